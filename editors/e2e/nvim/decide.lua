-- A proposal that was not decided at once waits, can be read, and can be dropped; a run can be stopped.
local H = dofile('nvim/harness.lua')
H.start('probe', { review = false })
local source = H.open('raw/widths.md')

vim.cmd('Rig ingest')
local run = H.until_state('proposed').run
H.check(vim.fn.getqflist({ size = 1 }).size == 0, 'the list opened though it was not wanted')

H.answer = 'widths'
vim.cmd('Rig proposals')
H.wait('the diff document', function() return vim.api.nvim_buf_get_name(0) == ('rigwiki://%s.diff/ingest.diff'):format(run) end)
H.check(vim.bo.filetype == 'diff', 'filetype ', vim.bo.filetype)

vim.cmd('Rig discard')
H.until_state('discarded')
H.answer = nil
local asked = #H.asked
vim.cmd('Rig proposals')
H.wait('no proposal waiting', function() return H.told('no proposal waits') end)
H.check(#H.asked == asked, 'asked about a discarded proposal')

-- An agent that never ends is stopped; hovers and the status line go on meanwhile.
vim.cmd.buffer(source)
local from = #H.notes
vim.cmd('Rig ingest endless')
H.until_state('running', from)
H.check(require('rig-wiki').status():find('ingest raw/widths.md', 1, true), 'status line: ', require('rig-wiki').status())
vim.cmd('Rig cancel')
H.until_state('cancelled', from)

-- The server dies in the middle of a run: it is said, nothing is written, and a new one starts with the next page.
from = #H.notes
vim.cmd('Rig ingest endless')
H.until_state('running', from)
local client = vim.lsp.get_clients({ name = 'rig_wiki' })[1]
local pid = tonumber(vim.fn.system({ 'pgrep', '-P', tostring(vim.fn.getpid()), '-f', 'wiki lsp' }):match('%d+'))
H.check(pid, 'the server has no process')
vim.uv.kill(pid, 'sigkill')
H.wait('word of its end', function() return H.told('the server ended') end)
H.wait('the client gone', function() return vim.lsp.get_client_by_id(client.id) == nil end)
vim.cmd('edit')
H.open('raw/widths.md')
vim.cmd('Rig proposals')
H.wait('the new server answering', function() return #H.shown > 0 and H.shown[#H.shown]:find('no proposal waits', 1, true) end)
H.stop()
