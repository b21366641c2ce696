-- What every scenario in a real Neovim shares: the plug-in as a user would have it, what the user sees and answers,
-- and waits. Waits are on states, never on time: the bound of a wait is there for a hang only.
-- nvim_test.go says in the environment where things are.
local H = { wiki = vim.env.WIKI, want = vim.env.WANT }

--- What the user does between reading a question and answering it.
H.first = function() end

--- What `rigwiki/run` told, what vim.notify showed, what vim.ui.select asked.
H.notes, H.shown, H.asked = {}, {}, {}

--- The title that the user answers a question with; nil closes it without an answer.
H.answer = nil ---@type string?

function H.say(...) io.stdout:write(table.concat({ ... }), '\n') end

function H.wait(what, state)
  if not vim.wait(30000, state, 10) then
    error(('never saw: %s\nnotes: %s\nshown: %s'):format(what, vim.inspect(H.notes), vim.inspect(H.shown)), 2)
  end
  H.say('saw ', what)
end

function H.check(cond, ...)
  if not cond then error(table.concat({ ... }), 2) end
end

--- The bytes of a file, or nil where there is none.
function H.bytes(path)
  local f = io.open(path, 'rb')
  if not f then return nil end
  local text = f:read('a')
  f:close()
  return text
end

--- The first note of a run's state, after the note numbered `from`.
function H.noted(state, from)
  for i = (from or 0) + 1, #H.notes do
    if H.notes[i].state == state then return H.notes[i] end
  end
end

--- Opens a page, waits for its server and listens to what that says of runs.
function H.open(path)
  vim.cmd.edit(H.wiki .. '/' .. path)
  local buf = vim.api.nvim_get_current_buf()
  local client
  H.wait('the server attached to ' .. path, function()
    client = vim.lsp.get_clients({ name = 'rig_wiki', bufnr = buf })[1]
    return client and client.initialized
  end)
  local on_run = client.handlers['rigwiki/run']
  if client ~= H.listening then
    H.listening = client
    client.handlers['rigwiki/run'] = function(err, note, ...)
      table.insert(H.notes, note)
      return on_run(err, note, ...)
    end
  end
  return buf, client
end

--- Starts the plug-in for an agent, as a user of this version of Neovim would.
function H.start(agent)
  vim.opt.runtimepath:prepend(vim.env.PLUGIN)
  vim.cmd.runtime('plugin/rig-wiki.lua')
  local opts = { cmd = { vim.env.RIG, 'wiki', 'lsp', '--stdio' }, settings = { defaultAgent = agent } }
  if vim.lsp.enable then
    local config = require('rig-wiki').config(opts)
    vim.lsp.config('rig_wiki', { cmd = config.cmd, init_options = config.init_options })
    vim.lsp.enable('rig_wiki')
  else
    require('rig-wiki').setup(opts)
  end
  vim.cmd('filetype on')
end

function H.stop()
  for _, c in ipairs(vim.lsp.get_clients()) do
    if vim.fn.has('nvim-0.11') == 1 then c:stop() else c.stop() end
  end
  H.wait('the server gone', function() return #vim.lsp.get_clients() == 0 end)
end

vim.notify = function(text) table.insert(H.shown, text) end
vim.ui.select = function(items, opts, on_choice)
  local titles = {}
  for i, item in ipairs(items) do
    titles[i] = opts.format_item and opts.format_item(item) or item.title or item
  end
  table.insert(H.asked, { prompt = opts.prompt, titles = titles })
  local at = H.answer and vim.iter(ipairs(titles)):find(function(_, t) return t:find(H.answer, 1, true) end)
  if H.answer and not at then error('no ' .. H.answer .. ' among ' .. vim.inspect(titles)) end
  H.first()
  on_choice(at and items[at], at)
end

return H
