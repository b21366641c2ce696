-- A proposal that was not decided at once waits, can be read, and can be dropped; a run can be stopped.
local H = dofile('nvim/harness.lua')
H.start('probe')
local source = H.open('raw/widths.md')

-- The question is closed without an answer: undecided, so nothing is applied and the proposal waits.
vim.cmd('Rig ingest')
H.wait('the question', function() return #H.asked > 0 end)
H.wait('the proposal', function() return H.noted('proposed') end)
local run = H.noted('proposed').run

H.answer = 'widths'
vim.cmd('Rig proposals')
H.wait('the diff document', function() return vim.api.nvim_buf_get_name(0) == ('rigwiki://%s.diff/ingest.diff'):format(run) end)
H.check(vim.bo.filetype == 'diff', 'filetype ', vim.bo.filetype)

vim.cmd('Rig discard')
H.wait('the proposal discarded', function() return H.noted('discarded') end)
H.answer = nil
local asked = #H.asked
vim.cmd('Rig proposals')
H.wait('no proposal waiting', function() return H.shown[#H.shown] == 'rig: no proposal waits' end)
H.check(#H.asked == asked, 'asked about a discarded proposal')

-- An agent that never ends is stopped.
vim.cmd.buffer(source)
local from = #H.notes
vim.cmd('Rig ingest endless')
H.wait('the run under way', function() return H.noted('running', from) end)
vim.cmd('Rig cancel')
H.wait('the run cancelled', function() return H.noted('cancelled', from) end)
H.stop()
