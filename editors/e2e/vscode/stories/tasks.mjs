// Work, act on a pull request, review: on a task file, from the palette, the menu of the explorer and the light bulb. What came is a branch, shown
// as a diff, or a verdict; the user's tree stays as it is.

import { execFileSync } from 'node:child_process';
import { document, explorer, menu, palette } from '../hands.mjs';
import { runs } from '../review.mjs';

const task = 'tasks/0007-add-x.md';

export const tasks = {
  bare: true,
  settings: { 'rigwiki.defaultAgent': 'tasks' },
  files: { [task]: '# Add x\n', 'README.md': '# Read me\n' },

  prepare(root, home) {
    for (const line of ['init -q -b main', 'config user.name Ann', 'config user.email ann@example.org', 'add -A', 'commit -qm first']) {
      git(root, home, line.split(' '));
    }
  },

  async play(desk) {
    const { assert, until } = desk;
    const read = (...args) => git(desk.wiki, `${desk.work}/home`, args);
    const run = async (op) => until(`${op} has ended`, async () => (await runs(desk)).find((r) => r.op === op && r.state !== 'queued' && r.state !== 'running'));
    await desk.show(task);
    await palette(desk, 'Rig: Work on Task');
    const worked = await run('work');
    assert.equal(worked.state, 'done', worked.message);
    assert.match(await document(desk, '.diff/work.diff'), /^\+x$/m);
    await desk.picture('task');
    assert.match(read('log', '--format=%s', 'main..task/0007-add-x'), /Add x/);

    await menu(desk, async () => (await explorer(desk, task)).click({ button: 'right' }), 'Act on Pull Request');
    const acted = await run('act-pr');
    assert.equal(acted.state, 'done', acted.message);
    assert.match(await document(desk, '.diff/act-pr.diff'), /^\+y$/m);
    assert.match(read('log', '--format=%s', 'main..task/0007-add-x'), /Mend x/);

    await desk.show(task);
    await desk.lightBulb('Review task');
    const judged = await run('review');
    assert.match(judged.message, /PR REVIEW: REQUEST CHANGES x is wrong/);
    await until('the task file tells the verdict', async () =>
      (await desk.host(`return vscode.languages.getDiagnostics(vscode.Uri.file(argument)).map((d) => d.message)`, desk.path(task))).some((m) => m.includes('x is wrong')),
    );
    assert.equal(read('status', '--porcelain'), '', 'the tree is as it was');
  },
};

function git(root, home, args) {
  return execFileSync('git', args, { cwd: root, env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' } }).toString();
}
