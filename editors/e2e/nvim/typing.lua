-- What the user types before a run and while a proposal is shown is kept, beside what the agent changed and after the undo.
local H = dofile('nvim/harness.lua')
H.start('probe')
local emoji = H.open('concepts/emoji.md')
local source = H.open('raw/widths.md')

local function has(text)
  return vim.tbl_contains(vim.api.nvim_buf_get_lines(emoji, 0, -1, false), text)
end
local function lines()
  return vim.inspect(vim.api.nvim_buf_get_lines(emoji, 0, -1, false))
end
local agents = 'A face 😀 takes two columns 😀 in a terminal, see [[line-ends]].'

vim.api.nvim_buf_set_lines(emoji, -1, -1, false, { 'typed before the run' })
vim.cmd.buffer(source)
H.answer = 'Apply'
H.first = function()
  vim.api.nvim_buf_set_lines(emoji, 6, 6, false, { 'typed while asked' })
end
vim.cmd('Rig ingest')
H.wait('the run applied', function() return H.noted('applied') or H.noted('partly') end)
H.check(H.noted('applied'), 'applied only partly: ', vim.inspect(H.notes))
H.check(has(agents), "the agent's change is missing: ", lines())
H.check(has('typed before the run') and has('typed while asked'), 'keystrokes lost: ', lines())
vim.cmd.wall()
local saved = H.bytes(H.wiki .. '/concepts/emoji.md')
H.check(saved:find('\r\ntyped while asked\r\n', 1, true) and not saved:find('[^\r]\n'), 'line ends: ', vim.inspect(saved))

vim.cmd('Rig undo')
H.wait("the agent's change gone", function() return not has(agents) end)
H.wait('the new page gone', function() return not H.bytes(H.wiki .. '/sources/widths.md') end)
H.check(has('typed before the run') and has('typed while asked'), 'keystrokes lost by the undo: ', lines())

-- What is left is the user's own: without it the page is as it was.
vim.cmd.buffer(emoji)
vim.cmd('global/^typed /delete')
vim.cmd.wall()
H.stop()
