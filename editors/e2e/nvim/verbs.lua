-- The verbs that start other runs than an ingest: fetch, lint, work, act-pr and review, each from the buffer that it is about.
local H = dofile('nvim/harness.lua')
H.start('allround')
local page = H.open('concepts/emoji.md')

-- The address under the cursor is offered; what was fetched stands in raw/ and nowhere else.
vim.api.nvim_buf_set_lines(page, -1, -1, false, { 'See <' .. vim.env.WEB .. '/clay.html>.' })
vim.cmd('$')
vim.fn.search('http')
H.words = vim.fn.expand('<cWORD>'):match('https?://[^%s>]+')
vim.cmd('Rig fetch')
local function fetched() return vim.fn.glob(H.wiki .. '/raw/*-clay.md') end
H.wait('the source in raw/', function() return fetched() ~= '' end)
H.check(H.bytes(fetched()):find('Clay holds water', 1, true), 'fetched: ', H.bytes(fetched()))
H.wait('fetch told', function() return H.told('clay') end)
vim.cmd('silent undo')
os.remove(fetched())

-- What an agent found stands at its pages.
vim.cmd('Rig lint allround')
H.wait('the finding at the page', function()
  return vim.iter(vim.diagnostic.get(page)):any(function(d) return d.code == 'semantic-contradiction' and d.message:find('says one', 1, true) ~= nil end)
end)

-- A task of a repository: what was committed is on its branch, what lies in the tree stays.
local project = vim.env.HOME .. '/project'
local function git(...)
  local done = vim.system({ 'git', '-C', project, ... }, { text = true }):wait()
  H.check(done.code == 0, table.concat({ ... }, ' '), ': ', done.stderr)
  return vim.trim(done.stdout)
end
vim.fn.mkdir(project .. '/tasks', 'p')
vim.fn.writefile({ '# Add x' }, project .. '/tasks/0001-add-x.md')
git('init', '-q', '-b', 'main')
git('config', 'user.name', 'Ann Other')
git('config', 'user.email', 'ann@example.org')
git('add', '-A')
git('commit', '-qm', 'Begin')
vim.cmd.edit(project .. '/tasks/0001-add-x.md')
H.wait('the server at the task', function() return vim.lsp.get_clients({ name = 'rig_wiki', bufnr = 0 })[1] end)
local task = vim.api.nvim_get_current_buf()
local function do_task(verb, op)
  local from = #H.notes
  vim.cmd.buffer(task)
  vim.cmd('Rig ' .. verb)
  local function note() return vim.iter(vim.list_slice(H.notes, from + 1)):find(function(n) return n.op == op and n.state == 'done' end) end
  H.wait(op .. ' done', note)
  return note()
end
local branch = 'task/0001-add-x'
local run = do_task('work', 'work').run
H.equal(git('log', '--format=%an: %s', 'main..' .. branch), 'Ann Other: Add x, to work', 'on the branch')
H.equal(git('status', '--porcelain'), '', 'the tree')
H.check(vim.fn.filereadable(project .. '/x.txt') == 0, 'x.txt is in the tree')
H.wait('the diff against main', function()
  return vim.api.nvim_buf_get_name(0):find(run .. '/work.diff', 1, true) and vim.fn.search('^+from the agent', 'w') > 0
end)

-- Without a pull request that gh knows, the other two are about the branch.
do_task('act-pr', 'act-pr')
H.equal(git('rev-list', '--count', 'main..' .. branch), '2', 'commits on the branch')
local before = git('rev-parse', branch)
do_task('review', 'review')
H.wait('the verdict at the task', function()
  return vim.iter(vim.diagnostic.get(task)):any(function(d) return d.message:find('REQUEST CHANGES', 1, true) ~= nil end)
end)
H.equal(git('rev-parse', branch), before, 'the branch after its review')

-- Taken back, the newest first.
vim.cmd('Rig undo')
H.wait('one commit left', function() return git('rev-list', '--count', 'main..' .. branch) == '1' end)
vim.cmd('Rig undo ' .. run)
H.wait('the branch gone', function() return vim.system({ 'git', '-C', project, 'rev-parse', '-q', '--verify', branch }):wait().code ~= 0 end)
H.stop()
