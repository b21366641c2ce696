--- rig in Neovim: starts `rig wiki lsp` for the pages of a wiki. What can be offered, proposed or undone is the server's to decide.
local M = {}

---@class rig.Options
---@field cmd string[]? the server; { 'rig', 'wiki', 'lsp', '--stdio' }
---@field settings table? the server's settings, as under `wiki` in config.json5: defaultAgent, preview, …
---@field save boolean? save pages that had no unsaved text after they were edited; true
---@field review boolean? open the list of hunks when a run that was started here has a proposal; true
---@field keys boolean? single keys in the list and in rigwiki:// buffers; true
---@field page_keys boolean? the same keys in pages while changes wait there: takes `a` and `x`; false
---@field tasks string[]? folders of a repository whose files are tasks, as `tasks` in config.json5 names them; { 'tasks' }

--- What setup was told of task folders.
M.tasks = { 'tasks' }

--- The repository of a task: its file lies below one of the task folders.
---@param path string
---@return string?
local function repository(path)
  local top = vim.fs.find('.git', { path = vim.fs.dirname(path), upward = true })[1]
  top = top and vim.fs.dirname(top)
  for _, folder in ipairs(top and M.tasks or {}) do
    if vim.startswith(path, vim.fs.joinpath(top, folder) .. '/') then return top end
  end
end

--- The wiki that a buffer lies in: the folder above it that one of the known layouts has; of a task, its repository.
---@param buf integer
---@return string?
function M.root(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if name == '' or name:match('^%a[%w+.-]+://') then return nil end
  local function has(dir, path) return vim.uv.fs_stat(vim.fs.joinpath(dir, path)) ~= nil end
  name = vim.fs.normalize(name)
  for dir in vim.fs.parents(name) do
    local schema = has(dir, 'schema.md') and (has(dir, 'raw') or has(dir, 'purpose.md'))
    local plain = has(dir, 'raw') and has(dir, 'wiki') and (has(dir, 'CLAUDE.md') or has(dir, 'AGENTS.md'))
    if has(dir, '.rig/config.yml') or has(dir, 'rig-wiki/.rig/config.yml') or schema or plain or has(dir, 'harness/llm-wiki/schema.md') then return dir end
  end
  return repository(name)
end

--- The server's commands that a code action may name: they go our way, so that we know which runs were started here.
local function commands()
  local function pass(command) require('rig-wiki.client').execute(command.command, (command.arguments or {})[1] or {}) end
  local out = {}
  for _, name in ipairs({ 'ingest', 'query', 'lint', 'fetch', 'work', 'actPr', 'review', 'proposal.revise', 'answer.file', 'proposal.discard', 'run.undo' }) do
    out['rigwiki.' .. name] = pass
  end
  local function review() return require('rig-wiki.review') end
  out['rigwiki.proposal.review'] = function(command) review().open(command.arguments[1].run) end
  out['rigwiki.proposal.apply'] = function(command) review().settle('apply', command.arguments[1]) end
  return out
end

--- Folders for a server that has not answered `initialize` yet.
local pending = {} ---@type table<integer, table[]> by client

local function tell_folders(client, added)
  local event = { added = added, removed = {} }
  require('rig-wiki.client').call(client, 'notify', 'workspace/didChangeWorkspaceFolders', { event = event })
end

--- One server for all wikis and repositories of a session: runs, proposals and answers of any of them can then be asked for from any buffer.
local function reuse(client, config)
  if client.name ~= config.name or require('rig-wiki.client').call(client, 'is_stopped') then return false end
  local uri = vim.uri_from_fname(config.root_dir)
  client.workspace_folders = client.workspace_folders or {}
  if not vim.iter(client.workspace_folders):any(function(f) return f.uri == uri end) then
    local folder = { uri = uri, name = config.root_dir }
    table.insert(client.workspace_folders, folder)
    if client.initialized then
      tell_folders(client, { folder })
    else
      pending[client.id] = vim.list_extend(pending[client.id] or {}, { folder })
    end
  end
  return true
end

local function initialised(client)
  if pending[client.id] then tell_folders(client, pending[client.id]) end
  pending[client.id] = nil
end

local caught_up = {} ---@type table<integer, integer> by client: of how many folders

--- LspAttach: the first page of a folder learns what waited before this session; each shows what waits in it.
function M.attached(ev)
  local client = vim.lsp.get_client_by_id(ev.data.client_id)
  if not client or client.name ~= 'rig_wiki' then return end
  require('rig-wiki.answer') -- listens
  local review = require('rig-wiki.review')
  local folders = #(client.workspace_folders or {})
  if caught_up[client.id] ~= folders then
    caught_up[client.id] = folders
    review.catch_up()
  end
  vim.schedule(function() review.draw(ev.buf) end)
end

--- The client's configuration, as vim.lsp.config and vim.lsp.start take it.
---@param opts rig.Options?
---@return table
function M.config(opts)
  opts = opts or {}
  return {
    name = 'rig_wiki',
    cmd = opts.cmd or { 'rig', 'wiki', 'lsp', '--stdio' },
    filetypes = { 'markdown', 'text' },
    root_dir = function(buf, start)
      local root = M.root(buf)
      if root then start(root) end
    end,
    reuse_client = reuse,
    on_init = initialised,
    init_options = { rigwiki = vim.tbl_extend('force', { notifications = true, review = true }, opts.settings or {}) },
    -- Told 150 ms later, as is usual, a keystroke is unknown to an edit that comes between.
    flags = { debounce_text_changes = 0 },
    handlers = {
      ['rigwiki/run'] = function(...) require('rig-wiki.runs').on_run(...) end,
      ['workspace/applyEdit'] = function(...) return require('rig-wiki.edit').on_apply(...) end,
    },
    commands = commands(),
    on_exit = function() vim.schedule(function() require('rig-wiki.runs').server_gone() end) end,
  }
end

local function take(opts)
  local edit, keys, review = require('rig-wiki.edit'), require('rig-wiki.keys'), require('rig-wiki.review')
  if opts.save ~= nil then edit.save = opts.save end
  if opts.review ~= nil then review.auto = opts.review end
  if opts.keys ~= nil then keys.own = opts.keys end
  if opts.tasks ~= nil then M.tasks = opts.tasks end
  if opts.page_keys ~= nil then keys.pages = opts.page_keys end
end

--- Starts the server for each page of a wiki that is opened, in any version; on 0.11 and later the same as
--- vim.lsp.config with these options and vim.lsp.enable('rig_wiki').
---@param opts rig.Options?
function M.setup(opts)
  opts = opts or {}
  take(opts)
  local config = M.config(opts)
  if vim.lsp.enable then
    vim.lsp.config('rig_wiki', config)
    return vim.lsp.enable('rig_wiki')
  end
  local function start(buf)
    local root = vim.bo[buf].buftype == '' and M.root(buf)
    if root then vim.lsp.start(vim.tbl_extend('force', config, { root_dir = root }), { bufnr = buf, reuse_client = reuse }) end
  end
  vim.api.nvim_create_autocmd('FileType', {
    pattern = config.filetypes, group = vim.api.nvim_create_augroup('rig-wiki-start', {}), callback = function(ev) start(ev.buf) end,
  })
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do -- a plug-in that is loaded late finds pages open
    if vim.api.nvim_buf_is_loaded(buf) and vim.tbl_contains(config.filetypes, vim.bo[buf].filetype) then start(buf) end
  end
end

--- One line for a status line: `%{%v:lua.require'rig-wiki'.status()%}`.
---@return string
function M.status() return package.loaded['rig-wiki.runs'] and require('rig-wiki.runs').status() or '' end

return M
