--- What :Rig can do, by its first word.
local client = require('rig-wiki.client')
local runs = require('rig-wiki.runs')

local M = {}

local UNDECIDED, BUSY = { 'proposed', 'partly' }, { 'running', 'queued' }

---@class rig.Verb
---@field run fun(args: string[], range: string?) `range` is the selected text
---@field complete (fun(): string[])?
---@field help string

local function here() return vim.uri_from_bufnr(0) end

--- The names of the agents, as the server answered last: completion cannot wait.
local agents = {} ---@type string[]

local function agent_names()
  local c = client.find()
  if not c then return agents end
  local params = { command = 'rigwiki.agent.list', arguments = { vim.empty_dict() } }
  local answer = client.call(c, 'request_sync', 'workspace/executeCommand', params, 2000, 0)
  local list = answer and answer.result and answer.result.agents
  if list then agents = vim.tbl_map(function(a) return a.name end, list) end
  return agents
end

--- A verb about one run: that which is named, else the newest that is in one of these states.
---@param states string[]
---@param does fun(run: string)
---@param help string
---@return rig.Verb
local function about_run(states, does, help)
  return {
    help = help,
    complete = function() return runs.ids(states) end,
    run = function(args)
      local newest = runs.newest(states)
      local run = args[1] or (newest and newest.run)
      if not run then return client.say('no run is ' .. table.concat(states, ' or '), vim.log.levels.WARN) end
      does(run)
    end,
  }
end

--- A verb that starts a run about the file in this buffer, with an agent if one is named.
local function about_file(command, help)
  return {
    help = help, complete = agent_names,
    run = function(args) client.execute(command, { uri = here(), agent = args[1] }) end,
  }
end

--- Lets the user choose among the proposals that wait.
local function choose(does)
  client.execute('rigwiki.proposals', {}, function(answer)
    if #answer.runs == 0 then return client.say('no proposal waits') end
    local opts = {
      prompt = 'Proposals', kind = 'rig-proposal',
      format_item = function(r) return ('%s (%d %s, %s)'):format(r.title, r.files, r.files == 1 and 'page' or 'pages', r.agent) end,
    }
    vim.ui.select(answer.runs, opts, function(r)
      if r then does(r) end
    end)
  end)
end

--- Runs a command about the task in this buffer where the server offers it there, else does something else.
local function on_task(command, otherwise)
  local at = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } }
  local params = { textDocument = { uri = here() }, range = at, context = { diagnostics = {} } }
  client.request('textDocument/codeAction', params, function(actions)
    local action = vim.iter(actions or {}):find(function(a) return type(a.command) == 'table' and a.command.command == command end)
    if not action then return otherwise() end
    client.execute(command, action.command.arguments[1])
  end)
end

local function use_agent(name)
  client.execute('rigwiki.agent.use', { name = name }, function(answer) client.say(answer and answer.overridden or 'the agent is ' .. name) end)
end

---@type table<string, rig.Verb>
M.list = {
  ingest = {
    help = 'ingest the source in this buffer: AGENT, and words for it', complete = agent_names,
    run = function(args)
      local note = #args > 1 and table.concat(args, ' ', 2) or nil
      client.execute('rigwiki.ingest', { uri = here(), agent = args[1], note = note })
    end,
  },
  lint = about_file('rigwiki.lint', 'have an agent read the wiki for contradictions'),
  work = about_file('rigwiki.work', 'work on the task in this buffer'),
  ['act-pr'] = about_file('rigwiki.actPr', 'act on the pull request of the task in this buffer'),
  ask = {
    help = 'ask the wiki; without words, the selection or what is typed then',
    run = function(args, range) require('rig-wiki.answer').ask(#args > 0 and table.concat(args, ' ') or range) end,
  },
  fetch = {
    help = 'fetch an address into raw/',
    run = function(args)
      local function go(url)
        if url and url ~= '' then client.execute('rigwiki.fetch', { url = url, uri = vim.bo.buftype == '' and here() or nil }) end
      end
      if args[1] then return go(args[1]) end
      local under = vim.fn.expand('<cWORD>'):match('https?://[^%s>%)%]]+')
      vim.ui.input({ prompt = 'Fetch: ', default = under }, go)
    end,
  },
  review = {
    help = 'review the newest proposal, or RUN; where none waits, the pull request of the task in this buffer',
    complete = function() return runs.ids(UNDECIDED) end,
    run = function(args)
      local newest = runs.newest(UNDECIDED)
      local run = args[1] or (newest and newest.run)
      if run then return require('rig-wiki.review').open(run) end
      on_task('rigwiki.review', function() choose(function(r) require('rig-wiki.review').open(r.run) end) end)
    end,
  },
  proposals = {
    help = 'choose a proposal that waits and read its diff',
    run = function()
      choose(function(r) vim.cmd.edit(('rigwiki://%s.diff/%s.diff'):format(r.run, r.op)) end)
    end,
  },
  apply = about_run(UNDECIDED, function(run) require('rig-wiki.review').settle('apply', { run = run }) end, 'apply what waits, less what is flagged'),
  discard = about_run(UNDECIDED, function(run) require('rig-wiki.review').settle('discard', { run = run }) end, 'discard what waits'),
  undo = {
    help = 'take back the newest run that was applied or left commits, or RUN',
    complete = runs.done,
    run = function(args)
      local run = args[1] or runs.done()[1]
      if not run then return client.say('no run has anything to take back', vim.log.levels.WARN) end
      client.execute('rigwiki.run.undo', { run = run })
    end,
  },
  cancel = about_run(BUSY, function(run) client.execute('rigwiki.cancel', { run = run }) end, 'stop the run that is under way'),
  answer = about_run({ 'done' }, function(run) require('rig-wiki.answer').open(run) end, 'open the newest answer again'),
  report = about_run({ 'proposed', 'partly', 'applied', 'discarded', 'done', 'failed', 'empty', 'incomplete', 'cancelled', 'timed-out' },
    function(run) vim.cmd.edit(('rigwiki://%s.report/report.md'):format(run)) end, 'all that is known of a run'),
  agent = {
    help = 'choose the agent, or use NAME',
    complete = agent_names,
    run = function(args)
      if args[1] then return use_agent(args[1]) end
      client.execute('rigwiki.agent.list', {}, function(answer)
        local opts = {
          prompt = 'Agent', kind = 'rig-agent',
          format_item = function(a) return a.name .. (a.default and ' (in use)' or '') .. (a.usable and '' or ': ' .. (a.why or 'not usable')) end,
        }
        vim.ui.select(answer.agents, opts, function(a)
          if a then use_agent(a.name) end
        end)
      end)
    end,
  },
}

--- Completes `:Rig WORD ARGUMENT`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = vim.split(vim.trim(line:sub(1, #line - #lead)), '%s+')
  local names
  if #before < 2 or before[2] == '' then
    names = vim.tbl_keys(M.list)
  else
    local verb = M.list[before[2]]
    names = verb and verb.complete and #before == 2 and verb.complete() or {}
  end
  names = vim.tbl_filter(function(n) return vim.startswith(n, lead) end, names)
  table.sort(names)
  return names
end

--- The command.
function M.rig(cmd)
  local verb = M.list[cmd.fargs[1]]
  if not verb then return client.say('no such command: ' .. cmd.fargs[1], vim.log.levels.ERROR) end
  local range
  if cmd.range > 0 then
    range = vim.trim(table.concat(vim.api.nvim_buf_get_lines(0, cmd.line1 - 1, cmd.line2, false), ' '))
  end
  verb.run(vim.list_slice(cmd.fargs, 2), range)
end

return M
