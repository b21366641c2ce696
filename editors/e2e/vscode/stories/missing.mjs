// Without the program the extension says what to install; naming it in the setting starts it at once; where none is named the one in the
// extension runs. How long activation takes over the start of the server is printed.

import { renameSync } from 'node:fs';
import { servers } from '../servers.mjs';

export const missing = {
  window: { settings: { 'rigwiki.path': '/nowhere/rig' }, noServer: true },

  async play(desk) {
    const { assert, until } = desk;
    await desk.command('rig.restart');
    assert.match(await desk.toast('/nowhere/rig'), /go install/);
    await desk.picture('missing');
    const bundled = desk.editor.bundled();
    renameSync(bundled, `${bundled}.away`);
    desk.editor.settings({ 'rigwiki.path': '' });
    await desk.toast('none comes with this build');
    renameSync(`${bundled}.away`, bundled);
    await desk.command('rig.restart');
    await until('the one in the extension runs', () => servers(bundled).length === 1);
    await until('and answers', () => desk.command('rigwiki.status', {}));
    desk.editor.settings({});
    await until('the server is ready', async () => (await desk.host('return vscode.commands.getCommands(true)')).includes('rigwiki.runs'));
    await until('and only that', () => servers(bundled).length === 0);
    await desk.editor.load(desk.wiki);
    const times = await until('it is active', () =>
      desk.host(`const e = vscode.extensions.getExtension('rigwiki.rig-wiki'); return e.isActive && e.exports.server > 0 && e.exports`),
    );
    return `ready ${Math.round(times.ready - times.server)} ms over the server's own start of ${Math.round(times.server)} ms`;
  },
};
