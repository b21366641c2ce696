-- A real agent, led by a scripted model: one hunk rejected, the rest applied, taken back.
local H = dofile('nvim/harness.lua')
H.start(vim.env.AGENT)
local emoji = H.open('concepts/emoji.md')
H.open('raw/widths.md')
local lines = {}
vim.api.nvim_create_autocmd('LspProgress', { callback = function(ev) table.insert(lines, ev.data.params and ev.data.params.value or ev.data.result.value) end })
vim.cmd('Rig ingest ' .. vim.env.AGENT .. ' ' .. (vim.env.SCRIPT or ''))
local note = H.until_state('proposed')
H.wait('progress from begin to end', function() return #lines > 1 and lines[1].kind == 'begin' and lines[#lines].kind == 'end' end)
H.check(lines[1].cancellable, 'the progress cannot be cancelled')
H.wait('the list', function() return #vim.fn.getqflist() >= 3 end)
vim.cmd.copen()
local row = vim.iter(ipairs(vim.fn.getqflist())):find(function(_, i) return i.user_data.path == 'log.md' end)
H.check(row, 'no change of log.md in the list: ', vim.inspect(vim.fn.getqflist()))
vim.cmd(tostring(row))
H.press('x')
H.wait('log.md decided', function()
  return not vim.iter(vim.fn.getqflist()):any(function(i) return i.user_data.path == 'log.md' end)
end)
local log = H.page('log.md')
H.answer = 'Leave them'
vim.cmd('Rig apply')
H.wait('the rest applied', function() return H.page('sources/widths.md') end)
H.wait('the end', function() return H.noted('applied') or H.noted('partly') end)
H.equal(H.page('log.md'), log, 'what was rejected')
if vim.env.AGENT == 'claude' then
  H.check(table.concat(vim.api.nvim_buf_get_lines(emoji, 0, -1, false), '\n'):find('two columns', 1, true), 'the open page is not edited')
  H.check(not vim.bo[emoji].modified, 'the open page is not saved')
end
local from = #H.notes
vim.cmd('Rig undo ' .. note.run)
H.until_state('discarded', from)
H.stop()
