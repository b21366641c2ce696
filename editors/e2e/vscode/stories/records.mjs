// The view Runs: of a run its prompt, timeline and report can be read, and it is taken back, all from the menu of its row.

import { document, menu, treeRow } from '../hands.mjs';
import { apply, ended, proposal } from '../review.mjs';

export const records = {
  files: { 'raw/records-steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert } = desk;
    const { run } = await proposal(desk, { source: 'raw/records-steps.md', note: 'Mind the columns' });
    await apply(desk, run);
    await ended(desk, run, 'applied');
    await desk.saved({ 'concepts/emoji.md': desk.before['concepts/emoji.md'].replace('one column', 'two columns') });
    const row = await treeRow(desk, 'runs', 'ingest raw/records-steps.md');
    // A tree that is drawn anew just then does not tell whose row it was: the extension asks for the run instead, and the menu is taken again.
    const take = (name, shows) => desk.insist(`${name} is heard`, async () => {
      await desk.page.keyboard.press('Escape');
      await menu(desk, () => row.click({ button: 'right', timeout: 5_000 }), name);
    }, shows);
    const read = async (side) => {
      const name = `${run}.${side.toLowerCase()}/${side.toLowerCase()}.md`;
      await take(`Show ${side} of Run`, () => desk.host(`return vscode.window.visibleTextEditors.some((e) => e.document.uri.toString().endsWith(argument))`, name));
      return document(desk, name);
    };
    assert.match(await read('Prompt'), /Mind the columns/);
    assert.match(await read('Timeline'), /ingest raw\/records-steps\.md/);
    assert.match(await read('Report'), /- agent: obedient/);
    await desk.picture('records');
    await take('Undo Run', async () => desk.same() && (await desk.unsaved(desk.wiki)).length === 0);
  },
};
