--- :checkhealth rig-wiki
local M = {}

--- The first lines of what a program prints, or nil and why it could not be run.
local function output(cmd)
  local ok, result = pcall(function() return vim.system(cmd, { text = true, timeout = 10000 }):wait() end)
  if not ok then return nil, result end
  if result.code ~= 0 then return nil, vim.trim(result.stderr ~= '' and result.stderr or result.stdout) end
  return vim.trim(result.stdout)
end

local function program()
  local config = vim.lsp.config and vim.lsp.config.rig_wiki
  local running = vim.lsp.get_clients({ name = 'rig_wiki' })[1]
  local cmd = running and running.config.cmd or config and config.cmd
  return type(cmd) == 'table' and cmd[1] or 'rig'
end

local function check_program(health)
  local rig = program()
  local version, why = output({ rig, '--version' })
  if not version then return health.error(('`%s` cannot be run: %s'):format(rig, why), { 'put rig on PATH, or name it: setup { cmd = { … } }' }) end
  health.ok(('%s: %s'):format(vim.fn.exepath(rig), version))
end

local function check_server(health)
  local clients = vim.lsp.get_clients({ name = 'rig_wiki' })
  if #clients == 0 then
    return health.info("no server runs: open a page of a wiki. 0.11 and later: vim.lsp.enable('rig_wiki'); before: require('rig-wiki').setup()")
  end
  for _, c in ipairs(clients) do
    health.ok(('server for %s, positions in %s'):format(c.config.root_dir or '?', c.offset_encoding))
    local ours = c.handlers['workspace/applyEdit'] ~= nil and vim.tbl_get(c.config, 'init_options', 'rigwiki', 'review') == true
    if not ours then health.warn("the client was not configured by this plug-in: edits are applied by Neovim's own handler, which does not ask") end
  end
end

local function check_agents(health)
  local text, why = output({ program(), 'wiki', 'agent', 'list', '--json' })
  local ok, answer = pcall(vim.json.decode, text or '')
  if not ok or not answer.data then return health.warn('the agents are not known: ' .. (why or 'no answer')) end
  local usable = 0
  for _, a in ipairs(answer.data.agents) do
    if a.usable then
      usable = usable + 1
      health.ok(('agent %s %s%s'):format(a.name, a.version or '', a.default and ' (in use)' or ''))
    elseif a.default then
      health.warn(('agent %s is in use, but not usable: %s'):format(a.name, a.why or ''), { ':Rig agent' })
    end
  end
  if usable == 0 then health.warn('no agent can run here') end
end

function M.check()
  local health = vim.health
  health.start('rig-wiki')
  local v = vim.version()
  if vim.fn.has('nvim-0.10') == 0 then return health.error('Neovim 0.10 or later is needed') end
  health.ok(('Neovim %d.%d.%d'):format(v.major, v.minor, v.patch))
  check_program(health)
  check_server(health)
  check_agents(health)
end

return M
