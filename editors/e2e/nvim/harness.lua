-- What every scenario in a real Neovim shares: the plug-in as a user would have it, what the user sees and answers,
-- and waits. Waits are on states, never on time: the bound of a wait is there for a hang only.
-- nvim_test.go says in the environment where things are.
local H = { wiki = vim.env.WIKI, want = vim.env.WANT }

--- What `User RigRun` told, what vim.notify showed, what vim.ui.select asked, what our applyEdit answered.
H.notes, H.shown, H.asked, H.edits = {}, {}, {}, {}

--- The title that the user answers a question with; nil closes it without an answer.
H.answer = nil ---@type string?

--- What the user types when asked for words.
H.words = nil ---@type string?

function H.say(...) io.stdout:write(table.concat({ ... }), '\n') end

function H.wait(what, state)
  if not vim.wait(tonumber(vim.env.HANG_MS) or 60000, state, 10) then
    error(('never saw: %s\nnotes: %s\nshown: %s'):format(what, vim.inspect(H.notes), vim.inspect(H.shown)), 2)
  end
  H.say('saw ', what)
end

function H.check(cond, ...)
  if not cond then error(table.concat({ ... }), 2) end
end

function H.equal(got, want, what)
  if not vim.deep_equal(got, want) then error(('%s is %s, expected %s'):format(what, vim.inspect(got), vim.inspect(want)), 2) end
end

--- The bytes of a file, or nil where there is none.
function H.bytes(path)
  local f = io.open(path, 'rb')
  if not f then return nil end
  local text = f:read('a')
  f:close()
  return text
end

function H.page(path) return H.bytes(H.wiki .. '/' .. path) end

--- Puts pages into the wiki before the server starts; unlay looks whether they are as given and takes them away.
function H.lay(pages)
  for path, text in pairs(pages) do
    local f = assert(io.open(H.wiki .. '/' .. path, 'wb'))
    f:write(text)
    f:close()
  end
end

function H.unlay(pages)
  for path, text in pairs(pages) do
    H.equal(H.page(path), text, path .. ' at the end')
    os.remove(H.wiki .. '/' .. path)
  end
end

--- The first note of a run's state, after the note numbered `from`.
function H.noted(state, from)
  for i = (from or 0) + 1, #H.notes do
    if H.notes[i].state == state then return H.notes[i] end
  end
end

--- Waits for a state of a run and gives its note.
function H.until_state(state, from)
  H.wait('state ' .. state, function() return H.noted(state, from) end)
  return H.noted(state, from)
end

--- Whether something that was shown contains a text.
function H.told(text)
  return vim.iter(H.shown):any(function(s) return s:find(text, 1, true) ~= nil end)
end

--- Opens a page and waits for its server.
function H.open(path)
  vim.cmd.edit(vim.fn.fnameescape(H.wiki .. '/' .. path))
  local buf = vim.api.nvim_get_current_buf()
  local client
  H.wait('the server attached to ' .. path, function()
    client = vim.lsp.get_clients({ name = 'rig_wiki', bufnr = buf })[1]
    return client and client.initialized
  end)
  return buf, client
end

--- What is drawn into a buffer: lines that would go, by their row from 1, and lines that would come.
function H.drawn(buf)
  local ns = vim.api.nvim_get_namespaces()['rig-wiki']
  local out = { delete = {}, add = {}, notes = {} }
  for _, m in ipairs(ns and vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true }) or {}) do
    local d = m[4]
    if d.hl_group == 'RigDelete' then table.insert(out.delete, m[2] + 1) end
    for _, l in ipairs(d.virt_lines or {}) do table.insert(out.add, l[1][1]) end
    if d.virt_text then table.insert(out.notes, d.virt_text[1][1]) end
  end
  return out
end

--- Presses keys as a user does, mappings included.
function H.press(keys) vim.api.nvim_feedkeys(vim.keycode(keys), 'mx', false) end

--- Starts the plug-in as a user of this version of Neovim would; opts as in setup.
function H.start(agent, opts)
  vim.opt.runtimepath:prepend(vim.env.PLUGIN)
  vim.cmd('filetype plugin on')
  vim.cmd.runtime('plugin/rig-wiki.lua')
  opts = vim.tbl_extend('force', { cmd = { vim.env.RIG, 'wiki', 'lsp', '--stdio' }, settings = { defaultAgent = agent } }, opts or {})
  if vim.lsp.enable and vim.env.ONE_LINE then
    vim.fn.writefile({ ('{wiki: {defaultAgent: %q}}'):format(agent) }, vim.env.RIG_HOME .. '/config.json5')
    vim.env.PATH = vim.fs.dirname(vim.env.RIG) .. ':' .. vim.env.PATH
    vim.lsp.enable('rig_wiki')
  else
    require('rig-wiki').setup(opts)
  end
end

function H.stop()
  for _, c in ipairs(vim.lsp.get_clients()) do
    if vim.fn.has('nvim-0.11') == 1 then c:stop() else c.stop() end
  end
  H.wait('the server gone', function() return #vim.lsp.get_clients() == 0 end)
end

vim.api.nvim_create_autocmd('User', { pattern = 'RigRun', callback = function(ev) table.insert(H.notes, ev.data) end })
vim.api.nvim_create_autocmd('User', { pattern = 'RigApplied', callback = function(ev) table.insert(H.edits, ev.data) end })
vim.notify = function(text) table.insert(H.shown, text) end
vim.ui.input = function(_, on_confirm) on_confirm(H.words) end
vim.ui.select = function(items, opts, on_choice)
  local titles = {}
  for i, item in ipairs(items) do
    titles[i] = opts.format_item and opts.format_item(item) or item.title or item
  end
  table.insert(H.asked, { prompt = opts.prompt, titles = titles })
  local at = H.answer and vim.iter(ipairs(titles)):find(function(_, t) return t:find(H.answer, 1, true) end)
  if H.answer and not at then error('no ' .. H.answer .. ' among ' .. vim.inspect(titles)) end
  on_choice(at and items[at], at)
end

return H
