-- One page, three hunks: each is decided by itself, in the list, in the page, in the diff document.
local H = dofile('nvim/harness.lua')
local gap = ('between\n'):rep(12)
local text = '---\ntype: concept\nsources: []\n---\n# Slices\n\none\n' .. gap .. 'two\n' .. gap .. 'three\n'
H.lay({ ['concepts/slices.md'] = text })
H.start('slices', { page_keys = true })
local page = H.open('concepts/slices.md')
H.open('raw/widths.md')
vim.cmd('Rig ingest')
local run = H.until_state('proposed').run
H.wait('three hunks in the list', function() return #vim.fn.getqflist() == 3 end)
H.wait('three hunks in the page', function() return #H.drawn(page).delete == 3 end)

-- In the page: forth and back, why, and both sides in a tab.
vim.cmd.buffer(page)
vim.cmd('1')
local rows = H.drawn(page).delete
H.press(']c')
H.equal(vim.fn.line('.'), rows[1], 'the first change')
H.press(']c')
H.press(']c')
H.equal(vim.fn.line('.'), rows[3], 'the last change')
H.press('[c')
H.equal(vim.fn.line('.'), rows[2], 'back')
local function float_says(what)
  return vim.iter(vim.api.nvim_list_wins()):any(function(w)
    local lines = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false), '\n')
    return vim.api.nvim_win_get_config(w).relative ~= '' and lines:find(what, 1, true) ~= nil
  end)
end
H.press('=')
H.wait('why, in a float', function() return float_says('slices proposes to edit') and float_says('+TWO') end)
H.press('dv')
H.wait('both sides in a tab', function() return #vim.api.nvim_list_tabpages() == 2 end)
local sides = vim.tbl_map(function(w) return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(w)) end, vim.api.nvim_tabpage_list_wins(0))
table.sort(sides)
H.equal(sides, { H.wiki .. '/concepts/slices.md', ('rigwiki://%s%s/concepts/slices.md'):format(run, H.wiki) }, 'the sides')
H.check(vim.wo.diff and vim.api.nvim_buf_get_lines(0, 0, -1, false)[7] == 'ONE', 'the proposed side is not shown')
vim.cmd.tabclose()

-- The second is rejected in the list.
vim.cmd.copen()
vim.cmd('2')
H.press('x')
H.wait('two hunks left', function() return #vim.fn.getqflist() == 2 and #H.drawn(page).delete == 2 end)

-- The first is accepted in the diff document.
vim.cmd('wincmd p')
vim.cmd.edit(('rigwiki://%s.diff/ingest.diff'):format(run))
vim.fn.search('^+ONE', 'w')
H.press('a')
H.wait('the first applied and saved', function() return H.page('concepts/slices.md') == text:gsub('one', 'ONE') end)
H.wait('one hunk left', function() return #vim.fn.getqflist() == 1 and #H.drawn(page).delete == 1 end)

-- A letter that would be a decision is the user's own where nothing waits on the line.
vim.cmd.buffer(page)
vim.cmd('1')
H.press('x')
H.check(H.told('no change waits at this line'), 'x decided something off a hunk: ', vim.inspect({ H.shown, vim.api.nvim_buf_get_name(0), vim.fn.line('.'),
  vim.fn.maparg('x', 'n'), require('rig-wiki.inline').places(0) }))
H.equal(vim.api.nvim_buf_get_lines(page, 0, 1, false)[1], '---', 'the first line')

-- The third is accepted in the page.
vim.fn.search('^three', 'w')
H.press('a')
local want = text:gsub('one', 'ONE'):gsub('three', 'THREE')
H.wait('two of three in the page', function() return H.page('concepts/slices.md') == want end)
H.wait('no keys left in the page', function() return vim.fn.maparg('a', 'n') == '' end)
H.wait('the list empty', function() return vim.fn.getqflist({ size = 1 }).size == 0 end)
H.until_state('partly')

-- The undo takes back what was accepted, and keeps what was written since.
vim.api.nvim_buf_set_lines(page, -1, -1, false, { 'mine' })
vim.cmd.write()
vim.cmd('Rig undo')
H.wait('taken back', function() return H.page('concepts/slices.md') == text .. 'mine\n' end)
H.until_state('discarded')
H.unlay({ ['concepts/slices.md'] = text .. 'mine\n' })
H.stop()
