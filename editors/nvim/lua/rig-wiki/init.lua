--- Starts `rig wiki lsp` and puts its commands under :Rig. What can be offered, previewed or undone is the server's to
--- decide; this file holds no logic of its own.
local M = {}

local NAME = 'rig_wiki'
local under_way = { queued = true, running = true }

--- What `rigwiki/run` said last of each run, the newest run last.
local runs = {} ---@type { run: string, state: string }[]

--- The wiki that a buffer lies in.
---@param buf integer
---@return string?
function M.root(buf)
  return vim.fs.root(buf, { '.rig/config.yml', 'schema.md' })
end

--- Remembers a run, and shows how it ended: once, and never while it is under way.
---@param note { run: string, state: string, title: string, message: string? }
local function on_run(_, note)
  local entry = vim.iter(runs):find(function(r) return r.run == note.run end)
  if not entry then
    entry = { run = note.run }
    table.insert(runs, entry)
  end
  local told = entry.state == note.state
  entry.state = note.state
  if told or under_way[note.state] then return end
  local bad = note.state == 'failed' or note.state == 'timed-out' or note.state == 'incomplete'
  local text = note.message ~= nil and note.message ~= '' and note.message or (note.title .. ': ' .. note.state)
  vim.notify(text, bad and vim.log.levels.WARN or vim.log.levels.INFO)
end

--- The client's configuration, as vim.lsp.config and vim.lsp.start take it.
---@param opts { cmd: string[]?, settings: table? }?
function M.config(opts)
  opts = opts or {}
  local settings = vim.tbl_extend('force', { notifications = true }, opts.settings or {})
  return {
    name = NAME,
    cmd = opts.cmd or { 'rig', 'wiki', 'lsp', '--stdio' },
    filetypes = { 'markdown', 'text' },
    root_dir = function(buf, start)
      local root = M.root(buf)
      if root then start(root) end
    end,
    init_options = { rigwiki = settings },
    -- Told 150 ms later, as is usual, a keystroke is unknown to an edit that comes between: 0.10 puts that on the wrong lines.
    flags = { debounce_text_changes = 0 },
    handlers = { ['rigwiki/run'] = on_run },
  }
end

--- Neovim 0.10, which has no vim.lsp.enable: starts the server for each page of a wiki that is opened.
---@param opts { cmd: string[]?, settings: table? }?
function M.setup(opts)
  local config = M.config(opts)
  vim.api.nvim_create_autocmd('FileType', {
    pattern = config.filetypes,
    group = vim.api.nvim_create_augroup('rig-wiki-start', {}),
    callback = function(ev)
      local root = vim.bo[ev.buf].buftype == '' and M.root(ev.buf)
      if root then vim.lsp.start(vim.tbl_extend('force', config, { root_dir = root }), { bufnr = ev.buf }) end
    end,
  })
end

---@return vim.lsp.Client
local function client_of(buf)
  local client = vim.lsp.get_clients({ name = NAME, bufnr = buf })[1] or vim.lsp.get_clients({ name = NAME })[1]
  return client or error('rig: no server runs; open a page of a wiki first', 0)
end

--- Sends a command; `done` gets its answer, an error is shown.
local function execute(command, argument, done)
  local client = client_of(0)
  local function answered(err, result)
    if err then return vim.notify('rig: ' .. err.message, vim.log.levels.ERROR) end
    if done then done(result) end
  end
  local params = { command = command, arguments = { argument } }
  if vim.fn.has('nvim-0.11') == 1 then
    client:request('workspace/executeCommand', params, answered)
  else
    client.request('workspace/executeCommand', params, answered)
  end
end

--- A verb that takes a run: the one named, else the newest that is in one of these states.
---@param command string
---@param states string[]
local function on_one_run(command, states)
  return function(arg)
    local newest = vim.iter(runs):rev():find(function(r) return vim.tbl_contains(states, r.state) end)
    local run = arg or (newest and newest.run)
    if not run then return vim.notify('rig: no run is ' .. table.concat(states, ' or '), vim.log.levels.WARN) end
    execute(command, { run = run })
  end
end

--- What :Rig can do, by its first word.
M.verbs = {
  ingest = function(agent) execute('rigwiki.ingest', { uri = vim.uri_from_bufnr(0), agent = agent }) end,
  proposals = function()
    execute('rigwiki.proposals', vim.empty_dict(), function(answer)
      if #answer.runs == 0 then return vim.notify('rig: no proposal waits') end
      local opts = { prompt = 'Proposals', format_item = function(r) return r.title end }
      vim.ui.select(answer.runs, opts, function(r)
        if r then vim.cmd.edit(('rigwiki://%s.diff/%s.diff'):format(r.run, r.op)) end
      end)
    end)
  end,
  apply = on_one_run('rigwiki.proposal.apply', { 'proposed', 'partly' }),
  discard = on_one_run('rigwiki.proposal.discard', { 'proposed', 'partly' }),
  undo = on_one_run('rigwiki.run.undo', { 'applied', 'partly' }),
  cancel = on_one_run('rigwiki.cancel', { 'running', 'queued' }),
}

--- Fills a rigwiki:// buffer with the text that the server has for it, which never changes.
local function read_virtual(ev)
  local client = client_of(ev.buf)
  local ask = client.request_sync
  local params = { uri = ev.match }
  local answer = vim.fn.has('nvim-0.11') == 1 and ask(client, 'workspace/textDocumentContent', params, 5000, ev.buf)
    or ask('workspace/textDocumentContent', params, 5000, ev.buf)
  if not answer or answer.err then error('rig: ' .. (answer and answer.err.message or 'no answer'), 0) end
  vim.api.nvim_buf_set_lines(ev.buf, 0, -1, false, vim.split(answer.result.text:gsub('\n$', ''), '\n'))
  vim.bo[ev.buf].buftype, vim.bo[ev.buf].modifiable, vim.bo[ev.buf].modified = 'nofile', false, false
  vim.bo[ev.buf].filetype = ev.match:match('%.diff$') and 'diff' or 'markdown'
  vim.lsp.buf_attach_client(ev.buf, client.id)
end

--- Defines :Rig and reads rigwiki:// buffers.
function M.commands()
  vim.api.nvim_create_user_command('Rig', function(cmd)
    local verb = M.verbs[cmd.fargs[1]]
    if not verb then return vim.notify('rig: no such command: ' .. cmd.fargs[1], vim.log.levels.ERROR) end
    verb(cmd.fargs[2])
  end, { nargs = '+', complete = function() return vim.tbl_keys(M.verbs) end, desc = 'Agents over this wiki' })
  local group = vim.api.nvim_create_augroup('rig-wiki-read', {})
  vim.api.nvim_create_autocmd('BufReadCmd', { pattern = 'rigwiki://*', group = group, callback = read_virtual })
end

return M
