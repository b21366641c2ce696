-- A question and its answer, with the built-in agent: in a float whose citations lead to pages, filed as a page.
local H = dofile('nvim/harness.lua')
H.start('builtin')
H.open('concepts/emoji.md')
H.words = 'How many columns does a face take in a terminal?'
vim.cmd('Rig ask')
local run = H.until_state('done').run
H.wait('the answer in a float', function() return vim.api.nvim_buf_get_name(0) == ('rigwiki://%s.answer/answer.md'):format(run) end)
H.check(vim.api.nvim_win_get_config(0).relative ~= '', 'the answer is in no float')
local answer = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
H.check(answer:find('takes one column', 1, true), 'the answer is ', answer)
H.check(vim.fn.search('\\[\\[', 'w') > 0, 'nothing is cited in ', answer)
vim.cmd('normal! 3l')
local cited = vim.api.nvim_get_current_line():match('%[%[([^%]|#]+)', 1)
H.press('<CR>')
H.wait('the page that is cited', function() return vim.api.nvim_buf_get_name(0):find(H.wiki .. '/', 1, true) and vim.bo.buftype == '' end)
H.check(vim.api.nvim_buf_get_name(0):find((cited:match('[^/]+$')), 1, true), cited, ' leads to ', vim.api.nvim_buf_get_name(0))
H.check(#vim.api.nvim_list_wins() == 1, 'the float is still open')

vim.cmd('Rig answer')
local from = #H.notes
H.press('F')
local filed = H.until_state('proposed', from)
H.check(vim.iter(filed.proposal.files):any(function(f) return f.kind == 'create' and vim.startswith(f.path, 'queries/') end), 'filed: ', vim.inspect(filed))
vim.cmd('Rig discard ' .. filed.run)
H.until_state('discarded', from)
H.stop()
