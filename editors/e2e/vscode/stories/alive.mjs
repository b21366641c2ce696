// One server serves all folders (T30). When it dies it is started again with a word, and what waits still does; commands of a run can
// come late and twice (T43).

import { ended, proposal, waiting } from '../review.mjs';
import { servers } from '../servers.mjs';

export const alive = {
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    assert.ok((await desk.host('return vscode.workspace.workspaceFolders.length')) > 3);
    const { run } = await proposal(desk);
    const [server, ...more] = servers(desk.editor.machine['rigwiki.path']);
    assert.deepEqual(more, [], 'one server for all folders');
    process.kill(server, 'SIGKILL');
    await desk.toast('started again');
    await until('another one runs', () => servers(desk.editor.machine['rigwiki.path']).some((pid) => pid !== server));
    assert.deepEqual(await until('it answers', () => waiting(desk, run)), ['concepts/emoji.md#1']);
    await desk.command('rigwiki.proposal.apply', { run });
    await ended(desk, run, 'applied');
    await until('the page is saved', () => desk.text('concepts/emoji.md').includes('two columns'));
    const again = await desk.command('rigwiki.proposal.apply', { run }).catch((error) => error.message);
    assert.ok(desk.text('concepts/emoji.md').includes('takes two columns'), JSON.stringify(again));
    await desk.command('rigwiki.run.undo', { run });
    await until('all is as before', () => desk.same());
  },
};
