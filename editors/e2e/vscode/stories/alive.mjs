// One server serves all folders (T30). When it dies it is started again with a word that says why, and what waits still does; commands of a run
// can come late and twice (T43). One that keeps dying stays down until the user wants it again. What it logs has its own levels.

import { press } from '../mouse.mjs';
import { ended, proposal, undone, waiting } from '../review.mjs';
import { servers } from '../servers.mjs';

export const alive = {
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const rig = desk.editor.machine['rigwiki.path'];
    assert.ok((await desk.host('return vscode.workspace.workspaceFolders.length')) > 3);
    const { run } = await proposal(desk);
    const log = await until('the log has the end of the run', async () => {
      await desk.command('rig.log');
      const text = await desk.host(`return vscode.workspace.textDocuments.find((d) => d.uri.scheme === 'output' && d.uri.path.includes('Rig Wiki'))?.getText()`);
      return text?.includes(`run ended {"run": "${run}"`) && text;
    });
    assert.match(log.split('\n').find((line) => line.includes(`run ended {"run": "${run}"`)), /\[info\] run ended/);
    await desk.command('workbench.action.closePanel');

    // That of a window before, or of a story that started it anew, may still be at its end.
    const server = await until('one server for all folders', () => servers(rig).length === 1 && servers(rig)[0]);
    process.kill(server, 'SIGKILL');
    await desk.toast('ended unexpectedly (SIGKILL');
    await until('another one runs', () => servers(rig).some((pid) => pid !== server));
    assert.deepEqual(await until('it answers', () => waiting(desk, run)), ['concepts/emoji.md#1']);
    await desk.command('rigwiki.proposal.apply', { run });
    await ended(desk, run, 'applied');
    await desk.saved({ 'concepts/emoji.md': desk.before['concepts/emoji.md'].replace('one column', 'two columns') });
    const again = await desk.command('rigwiki.proposal.apply', { run }).catch((error) => error.message);
    assert.ok(desk.text('concepts/emoji.md').includes('takes two columns'), JSON.stringify(again));

    const dead = new Set();
    const kill = async () => {
      const pid = await until('it runs', () => servers(rig).find((p) => !dead.has(p)));
      await until('it answers', () => waiting(desk, run));
      await desk.command('notifications.clearAll'); // no more than three are shown at once
      dead.add(pid);
      process.kill(pid, 'SIGKILL');
    };
    dead.add(server);
    for (let died = 1; died < 5; died++) {
      await kill();
    }
    // In the list: of more than three words in 800 ms VS Code shows none (notificationsToasts.ts, SPAM_PROTECTION).
    const said = desk.page.locator('.notifications-center .notification-list-item', { hasText: 'ended 5 times in three minutes (SIGKILL' }).first();
    await until('it stays down', async () => {
      await desk.command('notifications.showList');
      return said.waitFor({ timeout: 2_000 }).then(() => true, () => false);
    });
    await press(desk, said.locator('.monaco-button', { hasText: 'Start again' }));
    await until('it answers again', () => waiting(desk, run));
    await undone(desk, { run });
    await Promise.all([desk.command('rig.restart'), desk.command('rig.restart')]);
    await until('two wishes for another server leave one', () => servers(rig).length === 1);
    await until('which answers', () => waiting(desk, run));
  },
};
