--- Draws what a proposal would change into the page itself: lines that would go are marked, lines that would come stand below
--- them as virtual text. Nothing of the text is touched.
local client = require('rig-wiki.client')

local M = {}

local ns = vim.api.nvim_create_namespace('rig-wiki')

---@class rig.Place where a change stands in a page
---@field run string
---@field path string
---@field hunk string?
---@field row integer from 0
---@field last integer

--- By buffer, by the id of the mark that moves with the text.
local places = {} ---@type table<integer, table<integer, rig.Place>>

--- How often each buffer was drawn: an answer that a later question overtook draws nothing.
local drawings = {} ---@type table<integer, integer>

local function highlights()
  for name, link in pairs({ RigDelete = 'DiffDelete', RigAdd = 'DiffAdd', RigNote = 'Comment', RigSign = 'DiagnosticSignInfo' }) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

--- Lines of a hunk without its leading context; `\ No newline` is no line.
local function body(text)
  local out = {}
  for _, line in ipairs(vim.split((text:gsub('\n$', '')), '\n', { plain = true })) do
    local kind = line:sub(1, 1)
    if kind ~= '\\' and (kind ~= ' ' or #out > 0) then table.insert(out, { kind = kind, text = (line:sub(2):gsub('\r$', '')) }) end
  end
  while #out > 0 and out[#out].kind == ' ' do table.remove(out) end
  return out
end

--- The line of a page, from 1, that a hunk changes first, as the agent was given the page.
---@param hunk { header: string, text: string }
---@return integer
function M.first_line(hunk)
  local context = 0
  for _, line in ipairs(vim.split(hunk.text, '\n', { plain = true })) do
    if line:sub(1, 1) ~= ' ' then break end
    context = context + 1
  end
  local from, count = hunk.header:match('^@@ %-(%d+),?(%d*)')
  if not from then return 1 end
  return tonumber(from) + context + (count == '0' and 1 or 0)
end

--- What is to be drawn for a hunk whose first change is at a row; nil where the page's lines are not those of the hunk.
---@return { delete: integer[], add: { row: integer, lines: string[] }[], last: integer }?
local function layout(buf, row, lines)
  local out, at = { delete = {}, add = {} }, row
  for _, l in ipairs(lines) do
    if l.kind == '+' then
      local group = out.add[#out.add]
      if not group or group.row ~= at then
        group = { row = at, lines = {} }
        table.insert(out.add, group)
      end
      table.insert(group.lines, l.text)
    else
      local have = vim.api.nvim_buf_get_lines(buf, at, at + 1, false)[1]
      if have ~= l.text then return nil end
      if l.kind == '-' then table.insert(out.delete, at) end
      at = at + 1
    end
  end
  out.last = math.max(row, at - 1)
  return out
end

local function virtual(buf, row, lines)
  local last = vim.api.nvim_buf_line_count(buf) - 1
  local virt = vim.tbl_map(function(l) return { { '+ ' .. l .. ' ', 'RigAdd' } } end, lines)
  local above = row == 0
  vim.api.nvim_buf_set_extmark(buf, ns, above and 0 or math.min(row - 1, last), 0, { virt_lines = virt, virt_lines_above = above })
end

local function note(buf, row, text)
  row = math.min(row, vim.api.nvim_buf_line_count(buf) - 1)
  return vim.api.nvim_buf_set_extmark(buf, ns, row, 0, { sign_text = '▎', sign_hl_group = 'RigSign', virt_text = { { text, 'RigNote' } }, virt_text_pos = 'eol' })
end

local function draw_hunk(buf, row, hunk, about)
  local lines = body(hunk.text)
  local plan = #lines > 0 and layout(buf, row, lines)
  if not plan then return note(buf, row, #lines > 0 and about .. ' · the page moved on here: =' or about .. ' · ' .. hunk.header), row, row end
  for _, r in ipairs(plan.delete) do
    vim.api.nvim_buf_set_extmark(buf, ns, r, 0, { end_row = r + 1, hl_group = 'RigDelete', hl_eol = true, priority = 200 })
  end
  for _, group in ipairs(plan.add) do virtual(buf, group.row, group.lines) end
  local first = #plan.delete == 0 and math.max(0, row - 1) or row -- an addition alone belongs to the line that it stands below
  return note(buf, first, about), first, plan.last
end

local words = { create = 'would be a new page', delete = 'the page would be deleted', rename = 'the page would be moved' }

--- Where each change stands in the page now, as the server says by its lenses.
local function rows(lenses)
  local out = {}
  for _, lens in ipairs(lenses or {}) do
    local arg = lens.command and lens.command.command == 'rigwiki.proposal.apply' and lens.command.arguments[1]
    if arg then out[arg.run .. '\n' .. (arg.hunks and arg.hunks[1] or arg.paths[1])] = lens.range.start.line end
  end
  return out
end

--- Draws what waits in a page. `waiting` lists the files of proposals that concern it.
---@param buf integer
---@param waiting { run: string, title: string, file: table }[]
---@param done fun()?
function M.draw(buf, waiting, done)
  drawings[buf] = (drawings[buf] or 0) + 1
  local drawing = drawings[buf]
  if #waiting == 0 then
    M.clear(buf)
    if done then done() end
    return
  end
  highlights()
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
  client.request('textDocument/codeLens', params, function(lenses)
    if not vim.api.nvim_buf_is_loaded(buf) or drawings[buf] ~= drawing then return end
    M.clear(buf)
    local at, known = rows(lenses), {}
    for _, w in ipairs(waiting) do
      local flags = #w.file.flags > 0 and ' · flagged ' .. table.concat(w.file.flags, ', ') or ''
      local function place(hunk, row, mark, first, last)
        known[mark] = { run = w.run, path = w.file.path, hunk = hunk, row = first or row, last = last or row }
      end
      for _, h in ipairs(w.file.hunks) do
        -- Without any lens they are switched off; without this one the page has the hunk already.
        local row = at[w.run .. '\n' .. h.id] or (next(at) == nil and M.first_line(h) - 1)
        if h.state == 'waiting' and row then place(h.id, row, draw_hunk(buf, row, h, '◂ ' .. w.title .. flags)) end
      end
      if #w.file.hunks == 0 then place(nil, 0, note(buf, 0, ('◂ %s: %s%s'):format(w.title, words[w.file.kind] or w.file.kind, flags))) end
    end
    places[buf] = known
    if done then done() end
  end)
end

---@param buf integer
function M.clear(buf)
  places[buf] = nil
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
end

--- The changes that stand in a page, from its top, where they are now.
---@param buf integer
---@return rig.Place[]
function M.places(buf)
  if buf == 0 then buf = vim.api.nvim_get_current_buf() end
  local out = {}
  for id, p in pairs(places[buf] or {}) do
    local at = vim.api.nvim_buf_get_extmark_by_id(buf, ns, id, {})
    if at[1] then table.insert(out, vim.tbl_extend('force', p, { row = at[1], last = at[1] + p.last - p.row })) end
  end
  table.sort(out, function(a, b) return a.row < b.row end)
  return out
end

return M
