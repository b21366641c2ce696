// Initialise a wiki here, from the menu of a folder: what is there stays, and the new wiki is served.

import { explorer, menu } from '../hands.mjs';

export const init = {
  bare: true,
  files: { 'fresh-garden/notes.txt': 'mine\n' },

  async play(desk) {
    const { assert, until } = desk;
    const folder = await explorer(desk, 'fresh-garden');
    await menu(desk, () => folder.click({ button: 'right' }), 'Initialise a Wiki Here');
    await desk.toast('is a wiki');
    assert.ok(desk.has('fresh-garden/purpose.md') && desk.has('fresh-garden/schema.md'), Object.keys(desk.files()).join());
    assert.equal(desk.text('fresh-garden/notes.txt'), 'mine\n');
    await desk.write('fresh-garden/raw/first.md', '# First\n\nA first source.\n');
    await desk.show('fresh-garden/raw/first.md');
    await until('the server takes it as a source', async () =>
      (await desk.host(`return (await vscode.commands.executeCommand('vscode.executeCodeActionProvider', vscode.Uri.file(argument), new vscode.Range(0, 0, 0, 0))).map((a) => a.title)`, desk.path('fresh-garden/raw/first.md'))).includes('Ingest into wiki'),
    );
  },
};
