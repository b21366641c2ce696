-- One ingest, from the code action to the undo.
local H = dofile('nvim/harness.lua')
H.start('probe')

-- A page open beside: the agent's change must reach it where the user sees it.
local emoji = H.open('concepts/emoji.md')
local source, client = H.open('raw/widths.md')
H.check(client.config.root_dir == H.wiki, 'root is ', client.config.root_dir)

-- Hover on [[line-ends]].
vim.cmd.buffer(emoji)
local row = vim.fn.search('\\[\\[line-ends', 'w')
H.check(row > 0, 'no link on the page')
vim.cmd('normal! 2l')
local at = vim.lsp.util.make_position_params(0, client.offset_encoding)
local hover = vim.inspect(vim.lsp.buf_request_sync(emoji, 'textDocument/hover', at, 10000))
H.check(hover:find('line feed', 1, true), 'hover on a wikilink: ', hover)
H.check(not hover:find('ingested-at', 1, true), 'hover shows front matter: ', hover)
H.say('hover shows the target')

-- The code action, chosen as the menu would.
vim.cmd.buffer(source)
H.answer = 'Apply'
vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title == 'Ingest into wiki' end })
H.wait('the question before the apply', function() return #H.asked > 0 end)
H.wait('the run applied', function() return H.noted('applied') or H.noted('partly') end)
H.check(H.noted('applied'), 'applied only partly: ', vim.inspect(H.notes))
vim.cmd.wall()
for _, path in ipairs({ 'concepts/emoji.md', 'sources/widths.md', 'index.md', 'log.md' }) do
  local got = H.bytes(H.wiki .. '/' .. path)
  H.check(got == H.bytes(H.want .. '/' .. path), path, ' after the apply and :wall is ', vim.inspect(got))
end
H.check(not H.bytes(H.wiki .. '/Schema.md'), 'Schema.md was written')
H.check(vim.inspect(H.notes):find('protected-path', 1, true), 'the refusal is not told: ', vim.inspect(H.notes))
H.check(#H.shown > 0, 'nothing was shown')
H.say('applied: four pages as accepted')

-- What was proposed can be read again, in a buffer of its own.
vim.cmd.edit(('rigwiki://%s.diff/ingest.diff'):format(H.notes[1].run))
local diff = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
H.check(diff:find('+A face 😀 takes two columns', 1, true), 'the diff document is ', diff)
H.check(not vim.bo.modifiable, 'the diff document can be changed')
H.say('the diff document opens')

-- Undo: the bytes of before, the new page gone. The test compares the folder once Neovim has ended.
vim.cmd.buffer(source)
vim.cmd('Rig undo')
H.wait('the page in its buffer as before', function()
  return (vim.fn.getbufline(emoji, row)[1] or ''):find('takes one column', 1, true)
end)
H.wait('the new page gone', function() return not H.bytes(H.wiki .. '/sources/widths.md') end)
vim.cmd.wall()
H.stop()
