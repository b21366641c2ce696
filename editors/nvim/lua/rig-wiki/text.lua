--- Texts as bytes: what a page is, what an edit makes of it, and how it gets into a buffer without losing a byte.
--- Lines end with \n, \r\n or \r, as the protocol says; columns count in the unit that was negotiated.
local M = {}

local ends = { unix = '\n', dos = '\r\n', mac = '\r' }

--- The text of a loaded buffer as the server knows it. A byte order mark is not part of it.
---@param buf integer
---@return string
function M.of_buffer(buf)
  local eol = ends[vim.bo[buf].fileformat]
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), eol)
  return vim.bo[buf].eol and text .. eol or text
end

--- The bytes of a file, or nil and why not.
---@param path string
---@return string?, string?
function M.of_file(path)
  local f, why = io.open(path, 'rb')
  if not f then return nil, why end
  local text = f:read('a')
  f:close()
  if not text then return nil, path .. ' cannot be read' end
  return text
end

--- Where each line begins, from 1.
local function starts(text)
  local list, at = { 1 }, 1
  while true do
    local from, to = text:find('\r?\n', at)
    local cr = text:find('\r', at, true)
    if cr and (not from or cr < from) then from, to = cr, cr end
    if not from then return list end
    at = to + 1
    table.insert(list, at)
  end
end

--- Bytes before a column of a line; a column behind its end is its end.
---@param line string
---@param character integer
---@param encoding 'utf-8'|'utf-16'|'utf-32'
local function column(line, character, encoding)
  if encoding == 'utf-8' then return math.min(character, #line) end
  local bytes, units = 0, 0
  while bytes < #line and units < character do
    local size = vim.str_utf_end(line, bytes + 1) + 1
    units = units + ((encoding == 'utf-16' and size == 4) and 2 or 1)
    bytes = bytes + size
  end
  return bytes
end

local function offset(text, lines, position, encoding)
  local start = lines[position.line + 1]
  if not start then return #text + 1 end
  local line = text:sub(start, (lines[position.line + 2] or #text + 1) - 1):gsub('[\r\n]+$', '')
  return start + column(line, position.character, encoding)
end

--- What edits make of a text. They count in the text as it is before any of them.
---@param text string
---@param edits { range: table, newText: string }[]
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return string?, string? nil and the reason where two overlap
function M.edited(text, edits, encoding)
  local lines, list = starts(text), {}
  for i, e in ipairs(edits) do
    local from, to = offset(text, lines, e.range.start, encoding), offset(text, lines, e.range['end'], encoding)
    table.insert(list, { from = from, to = to, new = e.newText, order = i })
  end
  table.sort(list, function(a, b)
    if a.from ~= b.from then return a.from < b.from end
    if a.to ~= b.to then return a.to < b.to end
    return a.order < b.order
  end)
  local out, at = {}, 1
  for _, e in ipairs(list) do
    if e.from < at or e.to < e.from then return nil, 'two of its edits overlap' end
    vim.list_extend(out, { text:sub(at, e.from - 1), e.new })
    at = e.to
  end
  table.insert(out, text:sub(at))
  return table.concat(out)
end

local function diffed(a, b)
  local diff = vim.text and vim.text.diff or vim.diff
  return diff(table.concat(a, '\n') .. '\n', table.concat(b, '\n') .. '\n', { result_type = 'indices' })
end

--- Makes a buffer hold a text, in one step of its undo. Only lines that differ are touched, so that marks and cursors stay.
--- A text without a last line end is kept so when it is written.
---@param buf integer
---@param text string
---@return boolean ended_anew whether the last line end came or went, which Neovim tells no server
function M.to_buffer(buf, text)
  local eol = ends[vim.bo[buf].fileformat]
  local ended = text == '' or vim.endswith(text, eol)
  local new = vim.split(ended and text:sub(1, -#eol - 1) or text, eol, { plain = true })
  local old = vim.api.nvim_buf_get_lines(buf, 0, -1, true)
  local hunks = diffed(old, new)
  for i = #hunks, 1, -1 do
    local from, count, to, added = unpack(hunks[i])
    from = count == 0 and from or from - 1
    vim.api.nvim_buf_set_lines(buf, from, from + count, true, vim.list_slice(new, to, to + added - 1))
  end
  if not vim.deep_equal(vim.api.nvim_buf_get_lines(buf, 0, -1, true), new) then
    vim.api.nvim_buf_set_lines(buf, 0, -1, true, new)
  end
  local anew = vim.bo[buf].eol ~= ended
  vim.bo[buf].eol = ended
  if not ended then vim.bo[buf].fixeol = false end
  return anew
end

return M
