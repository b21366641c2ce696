--- The review of what waits: a quickfix list of its hunks, the hunks drawn in their pages, and one decision at a time. What is accepted
--- is applied at once by the server's edit; each decision can be taken back with the run.
local client = require('rig-wiki.client')
local inline = require('rig-wiki.inline')
local keys = require('rig-wiki.keys')
local runs = require('rig-wiki.runs')
local virtual = require('rig-wiki.virtual')

local M = {}

--- Whether a proposal that was started here opens its list by itself.
M.auto = true

--- What the server shows of each proposal that waits, by run.
local shown = {} ---@type table<string, table>

--- How often the server was asked about each run: an answer that a later question overtook counts for nothing,
--- and who waits for the last one.
local asked = {} ---@type table<string, { count: integer, done: function[] }>

local function waits(file) return file.state == 'waiting' or file.state == 'partly' end

--- Hunks of a file that wait; a change without hunks is one itself.
local function parts(file)
  if #file.hunks == 0 then return waits(file) and { false } or {} end
  return vim.tbl_filter(function(h) return h.state == 'waiting' end, file.hunks)
end

--- The files of all proposals that are about the page of a buffer.
local function about(buf)
  local uri, out = vim.uri_from_bufnr(buf), {}
  for run, s in vim.spairs(shown) do
    for _, f in ipairs(s.files) do
      if f.kind ~= 'create' and #parts(f) > 0 and f.uri == uri then table.insert(out, { run = run, title = s.title, file = f }) end
    end
  end
  return out
end

--- Draws what waits in a page.
---@param buf integer
function M.draw(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= '' or vim.api.nvim_buf_get_name(buf) == '' then return end
  local waiting = about(buf)
  if #waiting == 0 and #inline.places(buf) == 0 then return keys.page(buf, false) end
  inline.draw(buf, waiting, function() keys.page(buf, #waiting > 0) end)
end

local function draw_all()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do M.draw(buf) end
end

--- What a hunk is about, in a line: the first that it changes and that says something.
local function first_change(text)
  local changed = vim.tbl_filter(function(l) return l:match('^[-+]') end, vim.split(text:gsub('\r', ''), '\n'))
  return vim.iter(changed):find(function(l) return l:match('%S', 2) end) or changed[1] or ''
end

--- The lines of the quickfix list.
local function items(s)
  local list = {}
  for _, f in ipairs(s.files) do
    local flags = #f.flags > 0 and (' [%s]'):format(table.concat(f.flags, ', ')) or ''
    for _, h in ipairs(parts(f)) do
      local item = { user_data = { run = s.run, path = f.path, hunk = h and h.id or nil }, lnum = 1, module = f.path, type = #f.flags > 0 and 'W' or 'I' }
      if f.kind == 'create' then
        item.bufnr = vim.fn.bufadd(virtual.proposed(s.run, f.uri))
        item.text = ('new page, +%d%s'):format(f.added, flags)
      else
        item.filename = vim.uri_to_fname(f.uri)
        item.lnum = h and inline.first_line(h) or 1
        item.text = h and (h.text == '' and h.header or first_change(h.text)) .. flags or f.kind .. ' ' .. f.path .. flags
      end
      table.insert(list, item)
    end
  end
  return list
end

--- Whether the list that quickfix shows is ours, and of which run.
local function listed()
  local context = vim.fn.getqflist({ context = 1 }).context
  return type(context) == 'table' and context.rig or nil
end

local function fill(s)
  local at = listed() == s.run and vim.fn.getqflist({ idx = 0 }).idx or nil
  local list = items(s)
  vim.fn.setqflist({}, at and 'r' or ' ', {
    title = 'rig: ' .. s.title, context = { rig = s.run }, items = list, idx = at and math.max(1, math.min(at, #list)) or nil,
  })
  return list
end

local function refused(s)
  local lines = {}
  for _, f in ipairs(s.files) do
    for _, r in ipairs(waits(f) and f.reasons or {}) do table.insert(lines, ('- flagged `%s` %s: %s'):format(f.path, r.rule, r.reason)) end
  end
  for _, r in ipairs(s.refused) do table.insert(lines, ('- refused `%s` %s: %s'):format(r.path, r.rule, r.reason)) end
  return lines
end

--- Opens the quickfix window; the cursor goes there if `focus` says so.
local function window(s, focus)
  local from = vim.api.nvim_get_current_win()
  vim.cmd('botright copen ' .. math.min(10, #vim.fn.getqflist() + 1))
  local run = s.run
  keys.review(vim.api.nvim_get_current_buf(), function() return listed() == run or shown[listed() or ''] ~= nil end)
  if not focus then vim.api.nvim_set_current_win(from) end
  local lines = refused(s)
  if #lines > 0 then
    table.insert(lines, 1, '**' .. s.title .. '**')
    require('rig-wiki.float').open(lines, 'rig-refused')
  end
end

--- Asks the server what waits of a run, and shows it in the pages. `done` gets nil where nothing does.
---@param run string
---@param done fun(shown: table?)?
local function load(run, done)
  local wait = asked[run] or { count = 0, done = {} }
  asked[run] = wait
  wait.count = wait.count + 1
  table.insert(wait.done, done)
  local count = wait.count
  client.execute('rigwiki.proposal.show', { run = run }, function(s)
    if wait.count ~= count then return end
    local any = vim.iter(s.files):any(function(f) return #parts(f) > 0 end)
    shown[run] = any and s or nil
    draw_all()
    local all = wait.done
    wait.done = {}
    for _, f in ipairs(all) do f(shown[run], s) end
  end)
end

--- Opens the review of a run.
---@param run string
---@param opts { focus: boolean }?
function M.open(run, opts)
  load(run, function(s, all)
    if not s then
      if #all.refused > 0 then return require('rig-wiki.float').open(refused(all), 'rig-refused') end
      return client.say('nothing of ' .. all.title .. ' waits')
    end
    fill(s)
    window(s, not opts or opts.focus)
  end)
end

--- Takes in what was decided somewhere: here, in another editor, in a terminal.
---@param run string
function M.refresh(run)
  load(run, function(s)
    if listed() ~= run then return end
    if s then return fill(s) end
    vim.fn.setqflist({}, 'r', { items = {}, title = 'rig: decided', context = { rig = run } })
    vim.cmd('cclose')
  end)
end

--- What stands at the cursor: the hunk or page, wherever it is looked at.
---@return { run: string, path: string?, hunk: string? }?
function M.target()
  if vim.bo.buftype == 'quickfix' then
    local item = vim.fn.getqflist({ idx = vim.fn.line('.'), items = 1 }).items[1]
    return item and type(item.user_data) == 'table' and item.user_data or nil
  end
  local name, row = vim.api.nvim_buf_get_name(0), vim.fn.line('.') - 1
  local run, side = virtual.parse(name)
  if side == '' then
    local f = shown[run] and vim.iter(shown[run].files):find(function(f) return virtual.proposed(run, f.uri) == name end)
    return f and { run = run, path = f.path } or nil
  elseif side == 'diff' then
    local c = client.find()
    local answer = c and client.call(c, 'request_sync', 'textDocument/codeLens', { textDocument = { uri = name } }, 3000, 0)
    local found
    for _, lens in ipairs(answer and answer.result or {}) do
      local arg = lens.command.command == 'rigwiki.proposal.apply' and lens.range.start.line <= row and lens.command.arguments[1]
      if arg then found = { run = arg.run, path = arg.paths and arg.paths[1], hunk = arg.hunks and arg.hunks[1] } end
    end
    return found
  end
  return vim.iter(inline.places(0)):find(function(p) return p.row <= row and row <= p.last end)
end

--- The path of the page that a hunk is in.
local function page_of(t)
  if t.path then return t.path end
  for _, f in ipairs(shown[t.run] and shown[t.run].files or {}) do
    for _, h in ipairs(f.hunks) do
      if h.id == t.hunk then return f.path end
    end
  end
end

local decided -- below

--- What can be done about pages whose text moved on where the agent wrote.
local function conflict(run, list, i)
  local c = list[i]
  if not c then return end
  local choices = { 'Keep mine', "Take the agent's", 'Both', 'Decide later' }
  local prompt = ('Conflict in %s, line %d: %s'):format(c.path, (c.line or 0) + 1, c.reason)
  vim.ui.select(choices, { prompt = prompt, kind = 'rig-conflict' }, function(choice)
    if choice == 'Keep mine' then
      client.execute('rigwiki.proposal.discard', { run = run, paths = { c.path }, reason = 'kept mine' }, function() M.refresh(run) end)
    elseif choice == "Take the agent's" or choice == 'Both' then
      local how = choice == 'Both' and 'both' or 'agent'
      client.execute('rigwiki.proposal.apply', { run = run, paths = { c.path }, resolve = { [c.path] = how } }, function(a) decided(run, a) end)
    end
    conflict(run, list, i + 1)
  end)
end

--- What an apply answered: conflicts are asked about, flagged pages need their names named.
decided = function(run, answer)
  M.refresh(run)
  if answer.reason and not answer.applied and #answer.conflicts == 0 and #answer.flagged == 0 then
    client.say('not applied: ' .. answer.reason, vim.log.levels.WARN)
  end
  conflict(run, answer.conflicts or {}, 1)
  if #(answer.flagged or {}) == 0 then return end
  local choices = { 'Leave them' }
  vim.list_extend(choices, answer.flagged)
  if #answer.flagged > 1 then table.insert(choices, 'All of them') end
  vim.ui.select(choices, { prompt = 'Flagged, left out. Apply anyway?', kind = 'rig-flagged' }, function(choice)
    if not choice or choice == 'Leave them' then return end
    local paths = choice == 'All of them' and answer.flagged or { choice }
    client.execute('rigwiki.proposal.apply', { run = run, paths = paths }, function(a) decided(run, a) end)
  end)
end

--- Applies or discards a run, or a part of it that is named.
---@param verb 'apply'|'discard'
---@param argument { run: string, paths: string[]?, hunks: string[]? }
function M.settle(verb, argument)
  client.execute('rigwiki.proposal.' .. verb, argument, function(answer)
    if verb == 'apply' then return decided(argument.run, answer) end
    M.refresh(argument.run)
  end)
end

--- Accepts or rejects what stands at the cursor.
---@param verb 'apply'|'discard'
---@param what 'hunk'|'page'
function M.decide(verb, what)
  local t = M.target()
  if not t then return client.say('no change waits at this line') end
  if what == 'hunk' and t.hunk then return M.settle(verb, { run = t.run, hunks = { t.hunk } }) end
  local path = page_of(t)
  if what == 'hunk' or path then return M.settle(verb, { run = t.run, paths = { path } }) end
  client.say('no page is named at this line')
end

--- Goes to the next or previous change that waits; from a page's last one to the next page of the list.
---@param step 1|-1
function M.move(step)
  if vim.bo.buftype == 'quickfix' then return pcall(vim.cmd, step > 0 and 'normal! j' or 'normal! k') end
  if virtual.parse(vim.api.nvim_buf_get_name(0)) then
    return vim.fn.search('^@@ ', step > 0 and 'w' or 'bw')
  end
  local row, list = vim.fn.line('.') - 1, inline.places(0)
  if step < 0 then list = vim.iter(list):rev():totable() end
  local next = vim.iter(list):find(function(p) return (p.row - row) * step > 0 end)
  if next then return vim.api.nvim_win_set_cursor(0, { next.row + 1, 0 }) end
  if not listed() then return client.say('no further change waits in this page') end
  pcall(vim.cmd, step > 0 and 'cnfile' or 'cpfile')
end

--- The page and what is proposed for it in a tab of their own, with differences marked.
function M.side_by_side()
  local t = M.target()
  local s = t and shown[t.run]
  local f = s and vim.iter(s.files):find(function(f) return f.path == page_of(t) end)
  if not f then return client.say('no change waits at this line') end
  local proposed = vim.fn.fnameescape(virtual.proposed(t.run, f.uri))
  if f.kind == 'create' then return vim.cmd.tabedit(proposed) end
  vim.cmd.tabedit(vim.fn.fnameescape(vim.uri_to_fname(f.uri)))
  vim.cmd.diffthis()
  if f.kind ~= 'delete' then
    vim.cmd('rightbelow vertical split ' .. proposed)
    vim.cmd.diffthis()
  end
end

--- Why the change at the cursor was made and why it is flagged, in a float.
function M.why()
  local t = M.target()
  local path = t and page_of(t)
  if not path then return client.say('no change waits at this line') end
  client.execute('rigwiki.proposal.why', { run = t.run, path = path }, function(answer)
    local f = shown[t.run] and vim.iter(shown[t.run].files):find(function(x) return x.path == path end)
    local hunk = f and vim.iter(f.hunks):find(function(h) return h.id == t.hunk end)
    local lines = vim.split(answer.why, '; ')
    if hunk and hunk.text ~= '' then
      vim.list_extend(lines, { '', '```diff', hunk.header })
      vim.list_extend(lines, vim.split((hunk.text:gsub('\n$', '')), '\n'))
      table.insert(lines, '```')
    end
    require('rig-wiki.float').open(lines, 'rig-why')
  end)
end

--- Learns of the proposals that waited before this session.
function M.catch_up()
  client.execute('rigwiki.proposals', {}, function(answer)
    for _, r in ipairs(answer.runs) do
      runs.know({ run = r.run, state = r.state, title = r.title, op = r.op })
      load(r.run)
    end
    if #answer.runs > 0 then
      client.say(('%d %s to review. :Rig review'):format(#answer.runs, #answer.runs == 1 and 'proposal waits' or 'proposals wait'))
    end
  end)
end

runs.listen(function(run)
  if run.state == 'proposed' and run.ours and M.auto and not shown[run.run] and vim.api.nvim_get_mode().mode == 'n' then
    return M.open(run.run, { focus = false })
  end
  if run.state == 'proposed' or shown[run.run] then M.refresh(run.run) end
end)

return M
