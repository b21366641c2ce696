-- Two wikis in one session have one server: what waits in one is decided from a page of the other.
local H = dofile('nvim/harness.lua')
local second = vim.env.HOME .. '/second'
vim.system({ 'cp', '-R', H.wiki, second }):wait()
H.start('probe', { review = false })
vim.cmd.edit(second .. '/concepts/line-ends.md') -- before the first has answered `initialize`
local page = vim.api.nvim_get_current_buf()
H.open('raw/widths.md')
H.wait('the server at both', function() return vim.lsp.get_clients({ name = 'rig_wiki', bufnr = page })[1] end)
H.equal(#vim.lsp.get_clients({ name = 'rig_wiki' }), 1, 'servers')
local before = H.page('concepts/emoji.md')
vim.cmd('Rig ingest')
local run = H.until_state('proposed').run

vim.cmd.buffer(page)
vim.cmd('Rig apply')
H.until_state('applied')
H.check(H.page('concepts/emoji.md') ~= before, 'nothing was applied')
H.equal(H.bytes(second .. '/concepts/emoji.md'), before, 'the page of the other wiki')
vim.cmd('Rig undo ' .. run)
H.wait('taken back', function() return H.page('concepts/emoji.md') == before end)
H.stop()
