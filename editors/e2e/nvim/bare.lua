-- Neovim without the plug-in, by its own LSP client alone: the server asks before it applies (rung 3), what was accepted is on disk after :wall,
-- and the undo is a code action. Neovim's word about an edit is not believed, so that nothing is lost where it is wrong.
local H = dofile('nvim/harness.lua')
local function open(path)
  vim.cmd.edit(H.wiki .. '/' .. path)
  vim.lsp.start({
    name = 'rig_wiki', cmd = { vim.env.RIG, 'wiki', 'lsp', '--stdio' }, root_dir = H.wiki, flags = { debounce_text_changes = 0 },
    init_options = { rigwiki = { defaultAgent = 'probe' } },
  })
  local buf = vim.api.nvim_get_current_buf()
  H.wait('the server attached to ' .. path, function()
    local client = vim.lsp.get_clients({ name = 'rig_wiki', bufnr = buf })[1]
    return client and client.initialized
  end)
  return buf
end
local function act(title)
  vim.lsp.buf.code_action({ apply = true, filter = function(a) return vim.startswith(a.title, title) end })
end

local emoji = open('concepts/emoji.md')
vim.api.nvim_buf_set_lines(emoji, -1, -1, false, { 'typed' })
local source = open('raw/widths.md')
H.answer = 'Apply'
act('Ingest into wiki')
H.wait('the question', function() return #H.asked > 0 end)
H.check(H.asked[1].prompt:find('4 pages (1 new, 3 changed); 1 refused', 1, true), 'the question is ', H.asked[1].prompt)
H.wait('the change in the open page', function()
  return table.concat(vim.api.nvim_buf_get_lines(emoji, 0, -1, false), '\n'):find('two columns', 1, true)
end)
H.wait('all of it', function()
  vim.cmd('silent wall')
  return H.page('log.md') == H.bytes(H.want .. '/log.md')
end)
for _, path in ipairs({ 'sources/widths.md', 'index.md' }) do H.equal(H.page(path), H.bytes(H.want .. '/' .. path), path) end
H.equal(H.page('concepts/emoji.md'), H.bytes(H.want .. '/concepts/emoji.md') .. 'typed\r\n', 'the page that was typed in')

vim.cmd.buffer(source)
local at = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } }
H.wait('the undo on offer', function()
  local params = { textDocument = { uri = vim.uri_from_bufnr(source) }, range = at, context = { diagnostics = {} } }
  local answer = vim.lsp.buf_request_sync(source, 'textDocument/codeAction', params, 5000)
  return vim.inspect(answer):find('"Undo ingest', 1, true)
end)
act('Undo')
H.wait('all taken back', function()
  vim.cmd('silent wall')
  return not H.page('sources/widths.md') and not H.page('concepts/emoji.md'):find('two columns', 1, true)
end)
H.equal(vim.api.nvim_buf_get_lines(emoji, -2, -1, false), { 'typed' }, 'the last line after the undo')
vim.api.nvim_buf_call(emoji, function() vim.cmd('silent $delete | silent write') end)
H.stop()
