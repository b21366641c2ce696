-- One ingest, from the code action to the undo.
local H = dofile('nvim/harness.lua')
H.start('probe')

-- A page open beside: the agent's change must reach it where the user sees it.
local emoji = H.open('concepts/emoji.md')
local source, client = H.open('raw/widths.md')
H.check(client.config.root_dir == H.wiki, 'root is ', client.config.root_dir)

-- Hover on [[line-ends]], in a float whose names of pages lead there.
vim.cmd.buffer(emoji)
local row = vim.fn.search('\\[\\[line-ends', 'w')
H.check(row > 0, 'no link on the page')
vim.cmd('normal! 2l')
local function float()
  return vim.iter(vim.api.nvim_list_wins()):find(function(w) return vim.api.nvim_win_get_config(w).relative ~= '' end)
end
H.press('<Plug>(RigHover)')
H.wait('the hover', float)
local hover = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float()), 0, -1, false), '\n')
H.check(hover:find('line feed', 1, true), 'hover on a wikilink: ', hover)
H.check(not hover:find('ingested-at', 1, true), 'hover shows front matter: ', hover)
vim.api.nvim_set_current_win(float())
vim.fn.search('concepts/line-ends.md', 'w')
H.press('gf')
H.check(vim.api.nvim_buf_get_name(0) == H.wiki .. '/concepts/line-ends.md', 'gf in the hover leads to ', vim.api.nvim_buf_get_name(0))

-- The code action, chosen as the menu would.
vim.cmd.buffer(source)
vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title == 'Ingest into wiki' end })
local run = H.until_state('proposed').run
H.check(vim.inspect(H.notes):find('protected-path', 1, true), 'the refusal is not told: ', vim.inspect(H.notes))
H.wait('the list of hunks', function() return vim.fn.getqflist({ title = 1 }).title == 'rig: ingest raw/widths.md' end)
local list = table.concat(vim.tbl_map(function(i) return vim.fn.bufname(i.bufnr) .. ': ' .. i.text end, vim.fn.getqflist()), '\n')
H.check(#vim.fn.getqflist() == 4 and list:find('new page, +', 1, true), 'the list is ', list)
H.check(vim.api.nvim_get_current_buf() == source, 'the list took the cursor')
H.wait('the refusal in a float', float)
local refusal = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float()), 0, -1, false), '\n')
H.check(refusal:find('Schema.md', 1, true) and refusal:find('protected-path', 1, true), 'the float says ', refusal)
H.wait('the hunk drawn into the open page', function() return #H.drawn(emoji).add > 0 end)
H.equal(H.drawn(emoji).delete, { row }, 'what would go')
H.check(H.drawn(emoji).add[1]:find('two columns', 1, true), 'what would come: ', vim.inspect(H.drawn(emoji)))
H.check(not vim.bo[emoji].modified, 'drawing changed the page')
H.check(not H.page('sources/widths.md'), 'written before it was accepted')
H.check(require('rig-wiki').status() == 'rig: 1 to review', 'status line: ', require('rig-wiki').status())

-- All of it: applied and saved, byte for byte.
vim.cmd('Rig apply')
H.until_state('applied')
for _, path in ipairs({ 'concepts/emoji.md', 'sources/widths.md', 'index.md', 'log.md' }) do
  H.equal(H.page(path), H.bytes(H.want .. '/' .. path), path .. ' after the apply')
end
H.check(not H.page('Schema.md'), 'Schema.md was written')
H.check(not vim.bo[emoji].modified, 'the open page was not saved')
H.wait('nothing drawn any more', function() return #H.drawn(emoji).add == 0 end)

-- What was proposed can be read again, in a buffer of its own.
vim.cmd.edit(('rigwiki://%s.diff/ingest.diff'):format(run))
local diff = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
H.check(diff:find('+A face 😀 takes two columns', 1, true), 'the diff document is ', diff)
H.check(not vim.bo.modifiable, 'the diff document can be changed')

-- Undo: the bytes of before, the new page gone. The test compares the folder once Neovim has ended.
vim.cmd.buffer(source)
vim.cmd('Rig undo')
H.wait('the page in its buffer as before', function()
  return (vim.fn.getbufline(emoji, row)[1] or ''):find('takes one column', 1, true)
end)
H.wait('the new page gone', function() return not H.page('sources/widths.md') end)
H.until_state('discarded')
H.stop()
