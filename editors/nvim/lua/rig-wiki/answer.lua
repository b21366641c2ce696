--- Questions to the wiki and their answers.
local client = require('rig-wiki.client')
local runs = require('rig-wiki.runs')

local M = {}

--- Opens the answer of a run in a float; gf and <CR> go to what is cited, F files it as a page, q closes.
---@param run string
function M.open(run)
  local buf = vim.fn.bufadd(('rigwiki://%s.answer/answer.md'):format(run))
  vim.fn.bufload(buf)
  local lines = vim.api.nvim_buf_line_count(buf)
  local width = math.min(90, vim.o.columns - 4)
  local height = math.max(1, math.min(lines + 2, vim.o.lines - 6))
  local win = vim.api.nvim_open_win(buf, true, {
    relative = 'editor', border = 'rounded', width = width, height = height,
    col = math.floor((vim.o.columns - width) / 2), row = math.floor((vim.o.lines - height) / 3),
    title = ' answer ', footer = ' <CR> go to page · F file as page · q close ',
  })
  vim.wo[win].wrap, vim.wo[win].linebreak = true, true
end

--- Asks; without a question the user is asked for one.
---@param question string?
function M.ask(question)
  if not question or question == '' then
    return vim.ui.input({ prompt = 'Ask the wiki: ' }, function(typed)
      if typed and typed ~= '' then M.ask(typed) end
    end)
  end
  client.execute('rigwiki.query', { question = question, uri = vim.bo.buftype == '' and vim.uri_from_bufnr(0) or nil })
end

--- Proposes the answer of a run as a page.
---@param run string
function M.file(run) client.execute('rigwiki.answer.file', { run = run }) end

runs.listen(function(run)
  if run.op ~= 'query' or run.state ~= 'done' or not run.ours then return end
  if vim.api.nvim_get_mode().mode == 'n' then M.open(run.run) else client.say('answered. :Rig answer') end
end)

return M
