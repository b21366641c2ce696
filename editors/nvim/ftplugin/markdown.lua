-- A page of a wiki without a last line end keeps its bytes when it is saved.
if not vim.bo.endofline and require('rig-wiki').root(0) then
  vim.bo.fixendofline = false
  vim.b.undo_ftplugin = (vim.b.undo_ftplugin and vim.b.undo_ftplugin .. ' | ' or '') .. 'setlocal fixendofline<'
end
