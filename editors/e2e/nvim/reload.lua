-- Neovim ends with a proposal waiting, and starts again: the proposal is still there, is drawn in its pages, and can be applied. The test
-- plays this twice, with STEP 1 and 2.
local H = dofile('nvim/harness.lua')
H.start('probe')
if vim.env.STEP == '1' then
  H.open('raw/widths.md')
  vim.cmd('Rig ingest')
  H.until_state('proposed')
  return H.stop()
end
local emoji = H.open('concepts/emoji.md')
H.wait('word of what waits', function() return H.told('1 proposal waits to review') end)
H.wait('the hunk drawn', function() return #H.drawn(emoji).delete == 1 end)
H.equal(require('rig-wiki.verbs').complete('re', 'Rig re'), { 'report', 'review' }, 'completion of re')
H.equal(#require('rig-wiki.verbs').complete('', 'Rig review '), 1, 'runs to review')
H.check(vim.tbl_contains(require('rig-wiki.verbs').complete('b', 'Rig ingest b'), 'builtin'), 'completion knows no agents')
vim.cmd('Rig review')
H.wait('the list', function() return #vim.fn.getqflist() == 4 end)
H.press('A')
H.wait('the page applied', function() return H.page('concepts/emoji.md') == H.bytes(H.want .. '/concepts/emoji.md') end)
H.until_state('partly')
vim.cmd('Rig apply')
H.until_state('applied')
local from = #H.notes
vim.cmd('Rig undo')
H.until_state('discarded', from)
H.stop()
