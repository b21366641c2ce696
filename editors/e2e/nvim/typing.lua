-- What the user types before a run and while a proposal is shown is kept, beside what the agent changed and after the undo.
local H = dofile('nvim/harness.lua')
H.start('probe')
local emoji = H.open('concepts/emoji.md')
local source = H.open('raw/widths.md')

local function lines() return vim.api.nvim_buf_get_lines(emoji, 0, -1, false) end
local function has(text) return vim.tbl_contains(lines(), text) end
local agents = 'A face 😀 takes two columns 😀 in a terminal, see [[line-ends]].'

vim.api.nvim_buf_set_lines(emoji, -1, -1, false, { 'typed before the run' })
vim.cmd.buffer(source)
vim.cmd('Rig ingest')
H.until_state('proposed')
H.wait('the hunk drawn', function() return #H.drawn(emoji).delete == 1 end)
vim.api.nvim_buf_set_lines(emoji, 6, 6, false, { 'typed while it is shown' })
local row = vim.iter(ipairs(lines())):find(function(_, l) return l:find('takes one column', 1, true) end)
H.equal(H.drawn(emoji).delete, { row }, 'the hunk after a line was typed above it')

-- The page is accepted where it is looked at. It had unsaved text, so that it is not saved.
vim.cmd.buffer(emoji)
vim.api.nvim_win_set_cursor(0, { row, 0 })
H.press('<Plug>(RigAccept)')
H.wait('the hunk applied', function() return has(agents) end)
H.check(has('typed before the run') and has('typed while it is shown'), 'keystrokes lost: ', vim.inspect(lines()))
H.check(vim.bo[emoji].modified and not H.page('concepts/emoji.md'):find('two columns', 1, true), 'unsaved text was written')
H.wait('the proposal told as partly applied', function() return H.noted('partly') end)
vim.cmd('Rig apply')
H.until_state('applied')
vim.cmd.wall()
local saved = H.page('concepts/emoji.md')
H.check(saved:find('\r\ntyped while it is shown\r\n', 1, true) and not saved:find('[^\r]\n'), 'line ends: ', vim.inspect(saved))
vim.cmd.buffer(source)
vim.cmd('Rig undo')
H.wait('the agent’s change gone', function() return not has(agents) end)
H.check(has('typed before the run') and has('typed while it is shown'), 'the undo took keystrokes: ', vim.inspect(lines()))
H.until_state('discarded')

-- As the folder was at first, for the test's own look.
vim.api.nvim_buf_set_lines(emoji, 0, -1, false, vim.tbl_filter(function(l) return not vim.startswith(l, 'typed ') end, lines()))
vim.cmd.wall()
H.stop()
