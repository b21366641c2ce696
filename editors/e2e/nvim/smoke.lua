-- One ingest in a real Neovim, from the code action to the undo. Started by nvim_test.go, which says in the environment
-- where things are. It waits on states, never on time: the bound of a wait is there for a hang only.
local wiki, want, plugin = vim.env.WIKI, vim.env.WANT, vim.env.PLUGIN

local function say(...) io.stdout:write(table.concat({ ... }), '\n') end

local function wait(what, state)
  if not vim.wait(30000, state, 10) then error('never saw: ' .. what, 2) end
  say('saw ', what)
end

local function check(cond, ...)
  if not cond then error(table.concat({ ... }), 2) end
end

local function bytes(path)
  local f = io.open(path, 'rb')
  if not f then return nil end
  local text = f:read('a')
  f:close()
  return text
end

-- What the user sees and says.
local notes, shown, asked = {}, {}, {}
vim.notify = function(text) table.insert(shown, text) end
vim.ui.select = function(items, opts, on_choice)
  table.insert(asked, opts.prompt or '')
  for i, item in ipairs(items) do
    local title = type(item) == 'table' and item.title or item
    if title == 'Apply' then return on_choice(item, i) end
  end
  error('asked without Apply among the answers: ' .. vim.inspect(items))
end

-- The plug-in, as a user of this version would have it.
vim.opt.runtimepath:prepend(plugin)
vim.cmd.runtime('plugin/rig-wiki.lua')
local opts = { cmd = { vim.env.RIG, 'wiki', 'lsp', '--stdio' }, settings = { defaultAgent = 'probe' } }
if vim.lsp.enable then
  local config = require('rig-wiki').config(opts)
  vim.lsp.config('rig_wiki', { cmd = config.cmd, init_options = config.init_options })
  vim.lsp.enable('rig_wiki')
else
  require('rig-wiki').setup(opts)
end
vim.cmd('filetype on')

local function open(path)
  vim.cmd.edit(wiki .. '/' .. path)
  local buf = vim.api.nvim_get_current_buf()
  local client
  wait('the server attached to ' .. path, function()
    client = vim.lsp.get_clients({ name = 'rig_wiki', bufnr = buf })[1]
    return client and client.initialized
  end)
  return buf, client
end

-- A page open beside: the agent's change must reach it where the user sees it.
local emoji = open('concepts/emoji.md')
local source, client = open('raw/widths.md')
check(client.config.root_dir == wiki, 'root is ', client.config.root_dir)
local on_run = client.handlers['rigwiki/run']
client.handlers['rigwiki/run'] = function(err, note, ...)
  table.insert(notes, note)
  return on_run(err, note, ...)
end
local function noted(state)
  return vim.iter(notes):find(function(n) return n.state == state end)
end

-- Hover on [[line-ends]].
vim.cmd.buffer(emoji)
local row = vim.fn.search('\\[\\[line-ends', 'w')
check(row > 0, 'no link on the page')
vim.cmd('normal! 2l')
local encoding = client.offset_encoding
local at = vim.lsp.util.make_position_params(0, encoding)
local hover = vim.lsp.buf_request_sync(emoji, 'textDocument/hover', at, 10000)
local text = vim.inspect(hover)
check(text:find('line feed', 1, true), 'hover on a wikilink: ', text)
check(not text:find('ingested-at', 1, true), 'hover shows front matter: ', text)
say('hover shows the target')

-- The code action, chosen as the menu would.
vim.cmd.buffer(source)
vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title == 'Ingest into wiki' end })
wait('the question before the apply', function() return #asked > 0 end)
wait('the run applied', function() return noted('applied') or noted('partly') end)
vim.cmd.wall()
for _, path in ipairs({ 'concepts/emoji.md', 'sources/widths.md', 'index.md', 'log.md' }) do
  local got = bytes(wiki .. '/' .. path)
  check(got == bytes(want .. '/' .. path), path, ' after the apply and :wall is ', vim.inspect(got))
end
check(not bytes(wiki .. '/Schema.md'), 'Schema.md was written')
local proposed = noted('proposed') or noted('applied')
check(vim.inspect(proposed):find('protected-path', 1, true), 'the refusal is not told: ', vim.inspect(notes))
check(#shown > 0, 'nothing was shown')
say('applied: four pages as accepted')

-- What was proposed can be read again, in a buffer of its own.
local run = proposed.run
vim.cmd.edit(('rigwiki://%s.diff/ingest.diff'):format(run))
local diff = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
check(diff:find('+A face 😀 takes two columns', 1, true), 'the diff document is ', diff)
check(not vim.bo.modifiable, 'the diff document can be changed')
say('the diff document opens')

-- Undo: the bytes of before, the new page gone.
vim.cmd.buffer(source)
vim.cmd('Rig undo')
wait('the page in its buffer as before', function()
  local line = vim.fn.getbufline(emoji, row)[1] or ''
  return line:find('takes one column', 1, true)
end)
wait('the new page gone', function() return not bytes(wiki .. '/sources/widths.md') end)
vim.cmd.wall()
say('undone')
for _, c in ipairs(vim.lsp.get_clients()) do
  if vim.fn.has('nvim-0.11') == 1 then c:stop() else c.stop() end
end
wait('the server gone', function() return #vim.lsp.get_clients() == 0 end)
