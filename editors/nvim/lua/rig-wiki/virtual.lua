--- rigwiki:// buffers: proposed pages, diffs, answers and reports, as the server has them. They never change.
local client = require('rig-wiki.client')

local M = {}

--- The run and the kind of document that a name means: '' is a proposed page.
---@param name string
---@return string? run, string? side
function M.parse(name)
  local host = name:match('^rigwiki://([^/]+)')
  if not host then return nil end
  local run, side = host:match('^([^.]*)%.?(.*)$')
  return run, side
end

--- The name of the proposed page of a file: its own path, under the run.
---@param run string
---@param uri string of the page
function M.proposed(run, uri) return 'rigwiki://' .. run .. uri:gsub('^file://', '') end

--- BufReadCmd.
function M.read(ev)
  local text = client.content(ev.match)
  local buf = ev.buf
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text:gsub('\r\n', '\n'):gsub('\n$', ''), '\n'))
  vim.bo[buf].buftype, vim.bo[buf].modifiable, vim.bo[buf].modified = 'nofile', false, false
  vim.bo[buf].swapfile = false
  vim.bo[buf].filetype = ev.match:match('%.diff$') and 'diff' or 'markdown'
  local c = client.find()
  if c then vim.lsp.buf_attach_client(buf, c.id) end
  local run, side = M.parse(ev.match)
  local keys = require('rig-wiki.keys')
  if side == 'diff' or side == '' then keys.review(buf) end
  if side == 'answer' then keys.answer(buf, run) end
end

return M
