-- Neovim 0.11 and later: vim.lsp.enable('rig_wiki')
return require('rig-wiki').config()
