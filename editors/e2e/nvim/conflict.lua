-- The user writes where the agent wrote: both sides are told, nothing of the page is written until it is decided, and each choice does what
-- it says. Then a page that moved on between the server's edit and our look at it.
local H = dofile('nvim/harness.lua')
H.start('probe')
local emoji = H.open('concepts/emoji.md')
local at = vim.fn.search('takes one column', 'w')
local first = vim.api.nvim_buf_get_lines(emoji, 0, -1, false)
local source = H.open('raw/widths.md')
local agents = 'A face 😀 takes two columns 😀 in a terminal, see [[line-ends]].'

local function round(choice, becomes)
  local from = #H.notes
  vim.cmd.buffer(source)
  vim.cmd('Rig ingest')
  local run = H.until_state('proposed', from).run
  vim.api.nvim_buf_set_lines(emoji, at - 1, at, false, { 'Mine.' })
  H.answer = choice
  from = #H.notes
  vim.cmd('Rig apply')
  H.wait('the question about the conflict', function() return vim.inspect(H.asked):find('Conflict in concepts/emoji.md', 1, true) end)
  H.wait('the page as chosen: ' .. choice, function()
    return vim.deep_equal(vim.api.nvim_buf_get_lines(emoji, at - 1, at - 1 + #becomes, false), becomes)
  end)
  H.wait('all decided', function() return H.noted('applied', from) or H.noted('partly', from) end)
  H.check(vim.bo[emoji].modified, 'unsaved text was written')
  H.answer = nil
  from = #H.notes
  vim.cmd('Rig undo ' .. run)
  H.wait('taken back', function() return not H.page('sources/widths.md') and #H.notes > from end)
  H.wait('its end', function() return H.noted('discarded', from) or H.noted('partly', from) end)
  vim.api.nvim_buf_set_lines(emoji, 0, -1, false, first)
  vim.api.nvim_buf_call(emoji, function() vim.cmd('silent write') end)
  H.asked = {}
end

round('Keep mine', { 'Mine.' })
round("Take the agent's", { agents })
round('Both', { 'Mine.', agents })

-- Stale: an edit for a version that is gone is refused as a whole, with its reason; the server is not told that it was applied (T1, T5, T7).
local edit = require('rig-wiki.edit')
local version = vim.lsp.util.buf_versions[emoji]
local zero = { line = 0, character = 0 }
local function change(v)
  return { documentChanges = {
    { kind = 'create', uri = vim.uri_from_fname(H.wiki .. '/concepts/stale.md') },
    { textDocument = { uri = vim.uri_from_bufnr(emoji), version = v }, edits = { { range = { start = zero, ['end'] = zero }, newText = 'x' } } },
  } }
end
local got = edit.apply(change(version - 1), 'utf-8')
H.check(not got.applied and got.failureReason:find('has changed since', 1, true), 'a stale edit: ', vim.inspect(got))
H.check(not H.page('concepts/stale.md'), 'a part of a refused edit was done')

-- What is in the way, missing, outside or not defined is refused before anything is done (T13, T19, T2).
local uri = vim.uri_from_fname(H.wiki .. '/concepts/')
for reason, bad in vim.spairs({
  ['is there already'] = { documentChanges = { { kind = 'create', uri = uri .. 'emoji.md' } } },
  ['is gone'] = { documentChanges = { { kind = 'create', uri = uri .. 'x.md' }, { kind = 'delete', uri = uri .. 'none.md' } } },
  ['does not define'] = { documentChanges = { { kind = 'create', uri = uri .. 'x.md', annotationId = 'nobody' } }, changeAnnotations = {} },
  ['is no file'] = { documentChanges = { { kind = 'create', uri = 'untitled:x.md' } } },
  ['overlap'] = { documentChanges = { { textDocument = { uri = uri .. 'emoji.md', version = version }, edits = {
    { range = { start = zero, ['end'] = { line = 1, character = 0 } }, newText = 'a' },
    { range = { start = zero, ['end'] = { line = 2, character = 0 } }, newText = 'b' } } } } },
  ['is empty'] = { documentChanges = {} },
}) do
  got = edit.apply(bad, 'utf-8')
  H.check(not got.applied and got.failureReason:find(reason, 1, true), reason, ': ', vim.inspect(got))
  H.check(not H.page('concepts/x.md'), reason, ': a part of it was done')
end

-- A page with unsaved text is not deleted (T21), and groups that need a yes are asked about, also for files (T15).
vim.api.nvim_buf_set_lines(emoji, -1, -1, false, { 'typed' })
got = edit.apply({ documentChanges = { { kind = 'delete', uri = uri .. 'emoji.md' } } }, 'utf-8')
H.check(not got.applied and got.failureReason:find('unsaved text', 1, true), 'a dirty page: ', vim.inspect(got))
vim.api.nvim_buf_set_lines(emoji, 0, -1, false, first)
vim.api.nvim_buf_call(emoji, function() vim.cmd('silent write') end)
for answer, there in pairs({ ['Leave out'] = false, Apply = true }) do
  H.answer = answer
  local done
  coroutine.wrap(function()
    done = edit.apply({
      documentChanges = { { kind = 'create', uri = uri .. 'asked.md', annotationId = 'g' } },
      changeAnnotations = { g = { label = 'New pages', needsConfirmation = true } },
    }, 'utf-8')
  end)()
  H.wait('the answer to ' .. answer, function() return done end)
  H.check(done.applied == there and (H.page('concepts/asked.md') ~= nil) == there, answer, ': ', vim.inspect(done))
  if there then os.remove(H.wiki .. '/concepts/asked.md') end
end
H.stop()
