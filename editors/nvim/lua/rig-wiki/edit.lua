--- workspace/applyEdit, in place of Neovim's own handler: that one asks for every page and never for a file operation, says
--- "applied" of what was declined or outdated, empties a file that a create finds, and doubles last line ends.
---
--- Here an edit is looked at as a whole before anything is touched: a page that moved on, a file that is in the way or missing, a
--- page with unsaved text that would go are a refusal with its reason, and then nothing of the edit is done. What needs a
--- yes is asked, however long the answer takes. Unsaved text is never written; a page without is saved, unless told otherwise.
local client = require('rig-wiki.client')
local text = require('rig-wiki.text')

local M = {}

local uv = vim.uv

--- Whether pages that had no unsaved text are saved after an edit.
M.save = true

---@class rig.Step one change of an edit, checked and ready
---@field path string
---@field kind 'create'|'rename'|'delete'|'text'
---@field to string? of a rename
---@field buf integer? loaded
---@field clean boolean? the buffer holds what is on disk
---@field new string? the text to be
---@field annotation string?

local function path_of(uri)
  if not vim.startswith(uri, 'file:') then error(uri .. ' is no file', 0) end
  return vim.uri_to_fname(uri)
end

local function exists(path) return uv.fs_lstat(path) ~= nil end

--- The loaded buffer of a path.
local function loaded(path)
  local real = uv.fs_realpath(path) or path
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) or ''
    if name ~= '' and (name == path or uv.fs_realpath(name) == real) then return buf end
  end
end

local function short(path) return vim.fn.fnamemodify(path, ':t') end

local BOM = '\239\187\191'

--- The text that an edit is about, and the buffer that holds it.
---@return string, integer?, boolean?
local function current(path, version)
  local buf = loaded(path)
  local disk, why = text.of_file(path)
  if not buf then
    if not disk then error(why, 0) end
    return disk
  end
  local now = text.of_buffer(buf)
  local clean = not vim.bo[buf].modified and disk ~= nil and (disk == now or disk == BOM .. now)
  if type(version) == 'number' then
    local known = vim.lsp.util.buf_versions[buf]
    if known and known ~= version then
      error(('%s has changed since: version %d is meant, it is %d'):format(short(path), version, known), 0)
    end
  elseif not clean then
    error(short(path) .. ' has unsaved text that the edit does not know of', 0)
  end
  return now, buf, clean
end

local checks = {}

--- Reads of an edit come from `plan`, so that a text edit sees the create or rename before it.
---@param plan { steps: rig.Step[], at: table<string, rig.Step>, encoding: string }
function checks.create(plan, change)
  local path, options = path_of(change.uri), change.options or {}
  if exists(path) or plan.at[path] then
    if options.ignoreIfExists and not options.overwrite then return end
    error(short(path) .. ' is there already', 0)
  end
  local buf = loaded(path)
  if buf and vim.bo[buf].modified then error(short(path) .. ' has unsaved text', 0) end
  return { kind = 'create', path = path, buf = buf, new = '' }
end

function checks.rename(_, change)
  local from, to = path_of(change.oldUri), path_of(change.newUri)
  if not exists(from) then error(short(from) .. ' is gone', 0) end
  if exists(to) and uv.fs_realpath(from) ~= uv.fs_realpath(to) then error(short(to) .. ' is there already', 0) end
  local buf = loaded(from)
  return { kind = 'rename', path = from, to = to, buf = buf, clean = buf and not vim.bo[buf].modified }
end

function checks.delete(_, change)
  local path = path_of(change.uri)
  if not exists(path) then
    if change.options and change.options.ignoreIfNotExists then return end
    error(short(path) .. ' is gone', 0)
  end
  local buf = loaded(path)
  if buf and vim.bo[buf].modified then error(short(path) .. ' has unsaved text', 0) end
  return { kind = 'delete', path = path, buf = buf }
end

function checks.text(plan, change)
  local path = path_of(change.textDocument.uri)
  local before = plan.at[path]
  local now, buf, clean
  if before and before.new then
    now = before.new
  elseif before then -- renamed to here, its text from there
    buf, clean = before.buf, before.clean
    now = buf and text.of_buffer(buf) or assert(text.of_file(before.path))
  else
    now, buf, clean = current(path, change.textDocument.version)
  end
  local new, why = text.edited(now, change.edits, plan.encoding)
  if not new then error(short(path) .. ': ' .. why, 0) end
  if before and before.kind == 'create' then
    before.new = new
    return
  end
  return { kind = 'text', path = path, buf = buf, clean = clean, new = new }
end

--- The changes of an edit as steps, all of them checked. Raises the reason where one cannot be done.
local function check(changes, encoding)
  local plan = { steps = {}, at = {}, encoding = encoding }
  for _, change in ipairs(changes) do
    local step = (checks[change.kind or 'text'] or error('an edit of kind ' .. tostring(change.kind) .. ' is not known', 0))(plan, change)
    if step then
      table.insert(plan.steps, step)
      plan.at[step.to or step.path] = step
    end
  end
  return plan.steps
end

--- Writes a file whole or not at all. `new` files are never written over one that has come meanwhile.
local function write(path, bytes, new)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local real = uv.fs_realpath(path) or path
  local stat = uv.fs_stat(real)
  local temp = new and real or real .. '.rig-new'
  local fd = assert(uv.fs_open(temp, new and 'wx' or 'w', stat and stat.mode % 512 or tonumber('644', 8)))
  local ok, why = uv.fs_write(fd, bytes, 0)
  uv.fs_close(fd)
  if ok ~= #bytes then
    uv.fs_unlink(temp)
    error(why or (path .. ' was written in part'), 0)
  end
  if not new then assert(uv.fs_rename(temp, real)) end
end

--- Writes a buffer. What a formatter would make of the page is not what was accepted: it is left out here.
local function save(buf)
  local ignored = vim.o.eventignore
  vim.o.eventignore = (ignored == '' and '' or ignored .. ',') .. 'BufWritePre,FileWritePre'
  local ok, why = pcall(vim.api.nvim_buf_call, buf, function() vim.cmd('silent keepalt write') end)
  vim.o.eventignore = ignored
  if not ok then client.say(short(vim.api.nvim_buf_get_name(buf)) .. ' is not saved: ' .. why, vim.log.levels.WARN) end
end

--- Tells the server a text whole, where Neovim would not tell what changed.
local function tell(buf, now)
  local c = vim.lsp.get_clients({ name = client.NAME, bufnr = buf })[1]
  if not c then return end
  local document = { uri = vim.uri_from_bufnr(buf), version = vim.lsp.util.buf_versions[buf] or 0 }
  client.call(c, 'notify', 'textDocument/didChange', { textDocument = document, contentChanges = { { text = now } } })
end

--- Reads a buffer again that holds nothing unsaved.
local function reread(buf)
  vim.api.nvim_buf_call(buf, function() vim.cmd('silent keepalt edit!') end)
end

--- Gives a buffer another name, its text and what is unsaved of it kept. The server is told that one document is closed and another open.
local function moved(buf, to, clean)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, true)
  for _, c in ipairs(vim.lsp.get_clients({ name = client.NAME, bufnr = buf })) do vim.lsp.buf_detach_client(buf, c.id) end
  vim.api.nvim_buf_call(buf, function()
    vim.cmd('silent keepalt file ' .. vim.fn.fnameescape(to))
    vim.cmd('silent keepalt edit!')
  end)
  if not clean then vim.api.nvim_buf_set_lines(buf, 0, -1, true, lines) end
end

local does = {}

function does.create(step)
  write(step.path, step.new, true)
  if step.buf then reread(step.buf) end
end

function does.rename(step)
  vim.fn.mkdir(vim.fs.dirname(step.to), 'p')
  assert(uv.fs_rename(step.path, step.to))
  if step.buf then moved(step.buf, step.to, step.clean) end
end

function does.delete(step)
  assert(uv.fs_unlink(step.path))
  if step.buf then vim.api.nvim_buf_delete(step.buf, { force = true }) end
end

function does.text(step)
  if not step.buf then
    local disk = text.of_file(step.path) or ''
    local marked = vim.startswith(disk, BOM) and not vim.startswith(step.new, BOM)
    return write(step.path, marked and BOM .. step.new or step.new, false)
  end
  if text.to_buffer(step.buf, step.new) then tell(step.buf, step.new) end
  if step.clean and M.save then save(step.buf) end
end

--- Asks about the groups that need a yes, one by one; returns those that got none.
local function declined(annotations)
  local co, no = coroutine.running(), {}
  for id, a in vim.spairs(annotations or {}) do
    if a.needsConfirmation then
      local prompt = a.label .. (a.description and ': ' .. a.description or '') .. ' Apply?'
      vim.schedule(function()
        vim.ui.select({ 'Apply', 'Leave out' }, { prompt = prompt, kind = 'rig-confirm' }, function(choice) coroutine.resume(co, choice) end)
      end)
      if coroutine.yield() ~= 'Apply' then no[id] = true end
    end
  end
  return no
end

--- The changes that are left without the groups in `no`. An annotation that is not defined is an error: to guess would be to apply unasked.
local function left(edit, no)
  local known, out = edit.changeAnnotations or {}, {}
  local function wanted(id)
    if id and not known[id] then error('the edit names a group that it does not define: ' .. id, 0) end
    return not (id and no[id])
  end
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.kind then
      if wanted(change.annotationId) then table.insert(out, change) end
    else
      local edits = vim.tbl_filter(function(e) return wanted(e.annotationId) end, change.edits)
      if #edits > 0 then table.insert(out, { textDocument = change.textDocument, edits = edits }) end
    end
  end
  if not edit.documentChanges then
    for uri, edits in vim.spairs(edit.changes or {}) do
      local buf = loaded(path_of(uri))
      local version = buf and vim.lsp.util.buf_versions[buf] or vim.NIL
      table.insert(out, { textDocument = { uri = uri, version = version }, edits = edits })
    end
  end
  return out
end

--- Applies an edit. Everything is checked before anything is done.
---@param edit table a WorkspaceEdit
---@param encoding string
---@return { applied: boolean, failureReason: string?, failedChange: integer? }
function M.apply(edit, encoding)
  local no = declined(edit.changeAnnotations)
  local checked, steps = pcall(function()
    local changes = left(edit, no)
    if #changes == 0 then error(next(no) and 'declined' or 'the edit is empty', 0) end
    return check(changes, encoding)
  end)
  if not checked then return { applied = false, failureReason = steps } end
  for i, step in ipairs(steps) do
    local ok, why = pcall(does[step.kind], step)
    if not ok then return { applied = false, failureReason = short(step.path) .. ': ' .. tostring(why), failedChange = i - 1 } end
  end
  return { applied = true }
end

--- The handler. It may answer hours later: Neovim runs it in a coroutine of its own.
function M.on_apply(_, params, ctx)
  local c = assert(vim.lsp.get_client_by_id(ctx.client_id))
  local answer = M.apply(params.edit, c.offset_encoding)
  vim.api.nvim_exec_autocmds('User', { pattern = 'RigApplied', modeline = false, data = { label = params.label, answer = answer } })
  return answer
end

return M
