if vim.g.loaded_rig_wiki then return end
vim.g.loaded_rig_wiki = true

vim.api.nvim_create_user_command('Rig', function(cmd) require('rig-wiki.verbs').rig(cmd) end, {
  nargs = '+', range = true, desc = 'Agents over this wiki',
  complete = function(lead, line) return require('rig-wiki.verbs').complete(lead, line) end,
})
local group = vim.api.nvim_create_augroup('rig-wiki', {})
vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = 'rigwiki://*', group = group, callback = function(ev) require('rig-wiki.virtual').read(ev) end,
})
vim.api.nvim_create_autocmd('LspAttach', { group = group, callback = function(ev) require('rig-wiki').attached(ev) end })
require('rig-wiki.keys').plug()
