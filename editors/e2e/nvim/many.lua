-- 300 pages, one of them open, one with unsaved text: no buffer is opened for the others, all is applied and taken back.
local H = dofile('nvim/harness.lua')
local pages = {}
for i = 1, 300 do pages[('concepts/many-%03d.md'):format(i)] = ('---\ntype: concept\nsources: []\n---\n# Many %d\n\nold\n\nend\n'):format(i) end
H.lay(pages)
H.start('many')
local open = H.open('concepts/many-001.md')
local typed = H.open('concepts/many-002.md')
vim.api.nvim_buf_set_lines(typed, -1, -1, false, { 'typed' })
vim.cmd('hide edit ' .. H.wiki .. '/raw/widths.md')
H.open('raw/widths.md')
local buffers = #vim.api.nvim_list_bufs()
vim.cmd('Rig ingest')
H.until_state('proposed')
H.wait('300 hunks in the list', function() return #vim.fn.getqflist() == 300 end)
H.wait('the hunk in the open page', function() return #H.drawn(open).delete == 1 end)
local loaded = #vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs())
H.check(loaded <= buffers + 3, loaded, ' buffers are loaded')
-- So many changes are flagged as such: each page needs its yes.
H.answer = 'All of them'
vim.cmd('Rig apply')
H.wait('everything applied', function() return H.noted('applied') end)
for i = 1, 300 do
  local path = ('concepts/many-%03d.md'):format(i)
  if i ~= 2 then H.equal(H.page(path), (pages[path]:gsub('old', 'new')), path) end
end
H.equal(H.page('concepts/many-002.md'), pages['concepts/many-002.md'], 'the page with unsaved text, on disk')
H.check(vim.bo[typed].modified and vim.api.nvim_buf_get_lines(typed, 6, 7, false)[1] == 'new', 'the page with unsaved text is not edited')
H.check(vim.api.nvim_buf_get_lines(typed, -2, -1, false)[1] == 'typed', 'a keystroke is lost')
H.answer = nil
vim.cmd('Rig undo')
H.until_state('discarded')
vim.api.nvim_buf_call(typed, function() vim.cmd('silent $delete | silent write') end)
H.unlay(pages)
H.stop()
