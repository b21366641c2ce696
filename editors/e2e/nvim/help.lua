-- What a user meets first: one line to start, :help, :checkhealth, <Plug>, the words after :Rig.
local H = dofile('nvim/harness.lua')
H.start('builtin')
H.open('concepts/emoji.md')

-- :help rig-wiki, from tags made anew; each tag once, every verb and <Plug> described.
local doc = vim.env.HOME .. '/doc-copy'
vim.fn.mkdir(doc .. '/doc', 'p')
vim.fn.writefile(vim.fn.readfile(vim.env.PLUGIN .. '/doc/rig-wiki.txt'), doc .. '/doc/rig-wiki.txt')
vim.cmd.helptags(doc .. '/doc')
vim.opt.runtimepath:append(doc)
vim.cmd.help('rig-wiki')
H.check(vim.bo.buftype == 'help' and vim.fn.expand('%:t') == 'rig-wiki.txt', 'help opens ', vim.fn.expand('%'))
local help = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
for verb in pairs(require('rig-wiki.verbs').list) do H.check(help:find('*:Rig-' .. verb .. '*', 1, true), ':Rig ', verb, ' has no help') end
for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
  local plug = map.lhs:match('^<Plug>%(Rig%w+%)$')
  H.check(not plug or help:find(plug, 1, true), plug or '', ' has no help')
end
for _, line in ipairs(vim.split(help, '\n')) do H.check(#line <= 82 or line:find('*', 1, true), 'a long line in the help: ', line) end
vim.cmd.helpclose()

-- Nothing is mapped that the user did not ask for.
for _, map in ipairs(vim.list_extend(vim.api.nvim_get_keymap('n'), vim.api.nvim_buf_get_keymap(0, 'n'))) do
  H.check(not (map.desc or ''):find('hunk') or map.lhs:find('<Plug>', 1, true), map.lhs, ' is mapped')
end

vim.cmd('checkhealth rig-wiki')
local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
for _, want in ipairs({ 'rig version', 'server for ' .. H.wiki, 'agent builtin' }) do
  H.check(health:find(want, 1, true), 'health does not say ', want, ': ', health)
end
H.check(not health:find('ERROR', 1, true), 'health: ', health)

-- Words.
H.check(not pcall(vim.cmd, 'Rig') and #H.shown >= 0, ':Rig without a word')
vim.cmd('Rig nonsense')
H.check(H.told('no such command: nonsense'), 'an unknown word is not told')
vim.cmd.buffer(vim.fn.bufnr(H.wiki .. '/concepts/emoji.md'))
for _, verb in ipairs({ 'ingest', 'ask', 'lint', 'fetch', 'work', 'review', 'proposals', 'undo', 'agent', 'cancel', 'apply' }) do
  H.check(vim.tbl_contains(vim.fn.getcompletion('Rig ', 'cmdline'), verb), verb, ' is not completed')
end
vim.cmd('Rig undo')
H.check(H.told('no run has anything to take back'), 'an undo of nothing: ', vim.inspect(H.shown))
H.answer = 'builtin'
vim.cmd('Rig agent')
H.wait('the agent in use', function() return H.told('the agent is builtin') end)
H.stop()
