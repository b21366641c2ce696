--- Keys. <Plug> mappings are offered; single keys are mapped in our own buffers alone, which cannot be typed in.
local M = {}

--- Whether our own buffers get keys, and whether pages do while a change waits in them: there `a` and `x` would be taken.
M.own, M.pages = true, false

local function review(name, ...)
  local args = { ... }
  return function() require('rig-wiki.review')[name](unpack(args)) end
end

---@type { [1]: string, [2]: string, [3]: fun(), [4]: string }[] key, <Plug> name, what it does, in words
local table_of_review = {
  { 'a', 'RigAccept', review('decide', 'apply', 'hunk'), 'Accept this hunk' },
  { 'x', 'RigReject', review('decide', 'discard', 'hunk'), 'Reject this hunk' },
  { 'A', 'RigAcceptPage', review('decide', 'apply', 'page'), 'Accept this page' },
  { 'X', 'RigRejectPage', review('decide', 'discard', 'page'), 'Reject this page' },
  { ']c', 'RigNext', review('move', 1), 'Next change that waits' },
  { '[c', 'RigPrev', review('move', -1), 'Previous change that waits' },
  { 'dv', 'RigDiff', review('side_by_side'), 'Page and proposal side by side' },
  { '=', 'RigWhy', review('why'), 'Why this change' },
}

local others = {
  { 'RigHover', function() require('rig-wiki.float').hover() end, 'What the wiki knows of this' },
  { 'RigFollow', function() require('rig-wiki.float').follow() end, 'Go to the page named here' },
}

--- The verbs that have a <Plug> of their own.
local verbs = { 'Ingest', 'Ask', 'Lint', 'Fetch', 'Work', 'Review', 'Proposals', 'Undo', 'Agent', 'Cancel', 'Apply' }

--- Defines <Plug>(Rig…).
function M.plug()
  for _, k in ipairs(table_of_review) do vim.keymap.set('n', ('<Plug>(%s)'):format(k[2]), k[3], { desc = k[4] }) end
  for _, k in ipairs(others) do vim.keymap.set('n', ('<Plug>(%s)'):format(k[1]), k[2], { desc = k[3] }) end
  for _, verb in ipairs(verbs) do
    vim.keymap.set('n', ('<Plug>(Rig%s)'):format(verb), ('<Cmd>Rig %s<CR>'):format(verb:lower()), { desc = 'Rig ' .. verb:lower() })
  end
  vim.keymap.set('x', '<Plug>(RigAsk)', ':Rig ask<CR>', { desc = 'Ask the wiki about the selection' })
end

--- Keys of a buffer that a proposal is reviewed in. `when` says whether they hold now; else the key does what it always does.
---@param buf integer
---@param when (fun(): boolean)?
function M.review(buf, when)
  if not M.own then return end
  for _, k in ipairs(table_of_review) do
    vim.keymap.set('n', k[1], function()
      if when and not when() then return vim.api.nvim_feedkeys(vim.keycode(k[1]), 'n', false) end
      k[3]()
    end, { buffer = buf, desc = k[4], nowait = true })
  end
end

--- The same keys in a page while changes wait in it, where the user asked for that; and takes them away.
---@param buf integer
---@param waits boolean
function M.page(buf, waits)
  if not M.pages or (vim.b[buf].rig_keys or false) == waits then return end
  vim.b[buf].rig_keys = waits
  for _, k in ipairs(table_of_review) do
    if waits then
      vim.keymap.set('n', k[1], k[3], { buffer = buf, desc = k[4], nowait = true })
    else
      pcall(vim.keymap.del, 'n', k[1], { buffer = buf })
    end
  end
end

--- Keys of an answer.
---@param buf integer
---@param run string
function M.answer(buf, run)
  if not M.own then return end
  local function map(key, does, desc) vim.keymap.set('n', key, does, { buffer = buf, desc = desc, nowait = true }) end
  for _, key in ipairs({ 'gf', '<CR>' }) do map(key, require('rig-wiki.float').follow, 'Go to the page cited here') end
  map('F', function() require('rig-wiki.answer').file(run) end, 'File the answer as a page')
  map('q', '<Cmd>close<CR>', 'Close')
end

return M
