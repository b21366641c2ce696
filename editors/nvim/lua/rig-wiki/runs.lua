--- What the server told of each run (`rigwiki/run`), and who wants to hear of it.
local client = require('rig-wiki.client')

local M = {}

---@class rig.Run
---@field run string
---@field state string
---@field title string
---@field op string
---@field message string?
---@field line string? what the agent is doing
---@field ours boolean? started from this Neovim

local under_way = { queued = true, running = true }
local bad = { failed = true, ['timed-out'] = true, incomplete = true }

--- The newest run last.
local runs = {} ---@type rig.Run[]
local mine = {} ---@type table<string, true>

--- Called with each word about a run that is not under way.
local listeners = {} ---@type fun(run: rig.Run, note: table)[]

---@param listener fun(run: rig.Run, note: table)
function M.listen(listener) table.insert(listeners, listener) end

--- Notes that an answer names runs that were started here.
---@param answer { run: string, runs: string[]? }
function M.ours(answer)
  for _, id in ipairs(answer.runs or { answer.run }) do mine[id] = true end
end

---@param id string
---@return rig.Run?
function M.get(id)
  return vim.iter(runs):find(function(r) return r.run == id end)
end

--- The newest run in one of these states.
---@param states string[]
---@return rig.Run?
function M.newest(states)
  return vim.iter(runs):rev():find(function(r) return vim.tbl_contains(states, r.state) end)
end

--- The ids of the runs in one of these states, newest first; all of them without states.
---@param states string[]?
---@return string[]
function M.ids(states)
  return vim.iter(runs):rev():filter(function(r) return not states or vim.tbl_contains(states, r.state) end)
    :map(function(r) return r.run end):totable()
end

--- The ids of the runs that have something to take back, newest first: pages that were applied, or commits of a task.
---@return string[]
function M.done()
  return vim.iter(runs):rev():filter(function(r)
    return r.state == 'applied' or r.state == 'partly' or (r.state == 'done' and (r.op == 'work' or r.op == 'act-pr'))
  end):map(function(r) return r.run end):totable()
end

--- One line for a status line: what is under way, else what waits, else nothing.
---@return string
function M.status()
  local busy = M.newest({ 'running', 'queued' })
  if busy then return ('rig: %s%s'):format(busy.title, busy.line and ' · ' .. busy.line or busy.state == 'queued' and ' · queued' or '') end
  local waits = #M.ids({ 'proposed', 'partly' })
  return waits > 0 and ('rig: %d to review'):format(waits) or ''
end

local function show(run, note, news)
  local text = note.message ~= nil and note.message ~= '' and note.message or run.state
  if not text:find(run.title, 1, true) then text = run.title .. ': ' .. text end
  if news and run.state == 'proposed' then text = text .. '. :Rig review' end
  client.say(text, bad[run.state] and vim.log.levels.WARN or nil)
end

--- The handler of `rigwiki/run`. The end of a run is shown once, and never while it is under way.
---@param note { run: string, state: string, title: string, op: string, message: string?, event: table? }
function M.on_run(_, note)
  local run = M.get(note.run)
  if not run then
    run = { run = note.run }
    table.insert(runs, run)
  end
  local news, told = run.state ~= note.state, run.state == note.state and run.message == note.message
  run.state, run.title, run.op, run.message, run.ours = note.state, note.title, note.op, note.message, mine[note.run]
  run.line = note.event and note.event.summary or (under_way[note.state] and run.line or nil)
  vim.api.nvim_exec_autocmds('User', { pattern = 'RigRun', modeline = false, data = note })
  if under_way[note.state] then return end
  if not told then show(run, note, news) end
  for _, listener in ipairs(listeners) do listener(run, note) end
end

--- Knows of a run without having been told, as of one that waited before this session.
---@param run rig.Run
function M.know(run)
  if not M.get(run.run) then table.insert(runs, 1, run) end
end

--- The server went: what was under way ended with it.
function M.server_gone()
  for _, run in ipairs(runs) do
    if under_way[run.state] then
      run.state, run.line = 'failed', nil
      client.say(run.title .. ': the server ended; its pages are as they were', vim.log.levels.WARN)
    end
  end
end

return M
