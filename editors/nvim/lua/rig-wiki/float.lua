--- Floating windows: what is said there is read and closed, its links jump.
local client = require('rig-wiki.client')

local M = {}

--- Goes where a link under the cursor leads, closing the float that the cursor is in.
local function go(locations, encoding)
  local to = locations and (vim.islist(locations) and locations[1] or locations)
  if not to or not next(to) then return client.say('no page is named here') end
  if vim.api.nvim_win_get_config(0).relative ~= '' then vim.api.nvim_win_close(0, true) end
  local at = to.targetUri and { uri = to.targetUri, range = to.targetSelectionRange } or to
  vim.lsp.util.show_document(at, encoding, { focus = true })
end

--- Follows the link under the cursor of a document that the server knows, also one of its own.
function M.follow()
  local c = client.find()
  if not c then return end
  local at = vim.lsp.util.make_position_params(0, c.offset_encoding)
  client.request('textDocument/definition', at, function(found) go(found, c.offset_encoding) end)
end

--- The page that a line names at a column, as hovers do: `path` or `path#heading`.
local function named(line, col)
  local from = 1
  while true do
    local s, e, name = line:find('`([^`]+)`', from)
    if not s then return nil end
    if col + 1 <= e then return name end
    from = e + 1
  end
end

--- Opens lines in a float at the cursor; a second call goes into it.
---@param lines string[]
---@param id string one float of each kind is open at a time
---@param root string? of the wiki, for links
---@return integer buf, integer win
function M.open(lines, id, root)
  local buf, win = vim.lsp.util.open_floating_preview(lines, 'markdown', { border = 'rounded', focus_id = id, max_width = 90, max_height = 30 })
  if not root then return buf, win end
  local function jump()
    local name = named(vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2])
    local path = name and vim.fs.joinpath(root, (name:gsub('#.*$', '')))
    if not path or not vim.uv.fs_stat(path) then return client.say('no page is named here') end
    vim.api.nvim_win_close(0, true)
    vim.cmd.edit(vim.fn.fnameescape(path))
    local heading = name:match('#(.+)$')
    if heading then vim.fn.search('^#\\+\\s*\\V' .. vim.fn.escape(heading, '\\'), 'w') end
  end
  for _, key in ipairs({ 'gf', '<CR>' }) do vim.keymap.set('n', key, jump, { buffer = buf, desc = 'Go to the page named here' }) end
  return buf, win
end

--- What the server knows of the place under the cursor; in the float gf and <CR> go to the page named at the cursor.
function M.hover()
  local c = client.find(0)
  if not c then return end
  local root = require('rig-wiki').root(0)
  client.request('textDocument/hover', vim.lsp.util.make_position_params(0, c.offset_encoding), function(result)
    local text = type(result) == 'table' and result.contents and result.contents.value
    if not text then return client.say('nothing is known of this place') end
    M.open(vim.split(text, '\n'), 'rig-hover', root)
  end)
end

return M
