-- Line ends, last lines, byte order marks, names and positions: what is accepted is on disk, byte for byte, whether the page is open or
-- not, and the undo brings the bytes back.
local H = dofile('nvim/harness.lua')
local BOM = '\239\187\191'
local front = '---\ntype: concept\nsources: []\ningested-at: 2026-03-01\nlast-updated: 2026-03-01\n---\n'
local pages = {
  ['concepts/edge-crlf.md'] = (front .. '# Crlf\n\nmiddle\nend\n'):gsub('\n', '\r\n'),
  ['concepts/edge-bare.md'] = front .. '# Bare\n\nmiddle\nno line end',
  ['concepts/edge-bom.md'] = BOM .. front .. '# Bom\n\nmiddle\nend\n',
  ['concepts/edge-trim.md'] = front .. '# Trim\n\nmiddle\nend\n',
  ['concepts/edge-mixed.md'] = front .. '# Mixed\r\n\nmiddle\r\nend\n',
  ['concepts/edge-wide.md'] = front .. '# Wide\n\n漢字 😀 👩‍👩‍👧 e\204\129 middle 😀 end\n',
  ['concepts/edge ü b&c (1).md'] = front .. '# Name\n\nmiddle\nend\n',
  ['concepts/edge-name.md'] = front .. '# Renamed\n\nmiddle\nend\n',
  ['concepts/edge-gone.md'] = '# Gone\n' .. ('nothing like any other page\n'):rep(9),
}
local want = {
  ['concepts/edge-new-bare.md'] = '---\ntype: concept\nsources: []\ningested-at: 2026-03-01\nlast-updated: 2026-03-01\n---\n# Bare\n\nno line end',
  ['concepts/deep/edge-new-deep.md'] = '---\ntype: concept\nsources: []\ningested-at: 2026-03-01\nlast-updated: 2026-03-01\n---\n# Deep\n',
}
for path, text in pairs(pages) do want[path] = text:gsub('middle', 'MIDDLE') end
want['concepts/edge-crlf.md'] = want['concepts/edge-crlf.md'] .. 'more\r\n'
want['concepts/edge-trim.md'] = want['concepts/edge-trim.md']:gsub('\n$', '')
want['concepts/edge-renamed.md'], want['concepts/edge-name.md'] = want['concepts/edge-name.md'], nil
want['concepts/edge-gone.md'] = nil

H.lay(pages)
H.start('edges')
if vim.env.OPEN == 'all' then
  for path in vim.spairs(pages) do H.open(path) end
end
H.open('raw/widths.md')
vim.cmd('Rig ingest')
H.until_state('proposed')
for path, text in pairs(pages) do H.equal(H.page(path), text, path .. ' before anything is accepted') end

-- The page that would go is flagged: it is named, and left, until the user says so.
H.answer = 'All of them'
vim.cmd('Rig apply')
H.until_state('applied')
H.check(vim.inspect(H.asked):find('concepts/edge-gone.md', 1, true), 'not asked about the page that would go: ', vim.inspect(H.asked))
for path, text in pairs(want) do H.equal(H.page(path), text, path .. ' as accepted') end
for _, path in ipairs({ 'concepts/edge-name.md', 'concepts/edge-gone.md' }) do H.check(not H.page(path), path, ' is still there') end
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  H.check(not vim.bo[buf].modified, vim.api.nvim_buf_get_name(buf), ' has unsaved text after the apply')
end
if vim.env.OPEN == 'all' then
  H.check(vim.fn.bufloaded(H.wiki .. '/concepts/edge-renamed.md') == 1, 'the buffer of the renamed page was not renamed')
  H.check(vim.fn.bufloaded(H.wiki .. '/concepts/edge-gone.md') == 0, 'the buffer of the deleted page is still there')
end

-- Saving once more changes nothing.
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  if vim.api.nvim_buf_get_name(buf):find('edge', 1, true) and vim.bo[buf].buftype == '' and vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_call(buf, function() vim.cmd('silent write!') end)
  end
end
for path, text in pairs(want) do H.equal(H.page(path), text, path .. ' after another save') end

H.answer = nil
vim.cmd('Rig undo')
H.until_state('discarded')
H.unlay(pages)
for path in pairs(want) do H.check(not H.page(path), path, ' left behind by the undo') end
H.stop()
