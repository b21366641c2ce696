// The view Runs: of a run its prompt, timeline and report can be read, and it is taken back, all from the menu of its row.

import { document, menu, treeRow } from '../hands.mjs';
import { apply, ended, proposal } from '../review.mjs';

export const records = {
  files: { 'raw/records-steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk, { source: 'raw/records-steps.md', note: 'Mind the columns' });
    await apply(desk, run);
    await ended(desk, run, 'applied');
    await desk.saved({ 'concepts/emoji.md': desk.before['concepts/emoji.md'].replace('one column', 'two columns') });
    const row = await treeRow(desk, 'runs', 'ingest raw/records-steps.md');
    const take = (name) => menu(desk, () => row.click({ button: 'right', timeout: 5_000 }), name);
    const read = async (side) => {
      await take(`Show ${side} of Run`);
      return document(desk, `${run}.${side.toLowerCase()}/${side.toLowerCase()}.md`);
    };
    assert.match(await read('Prompt'), /Mind the columns/);
    assert.match(await read('Timeline'), /ingest raw\/records-steps\.md/);
    assert.match(await read('Report'), /- agent: obedient/);
    await desk.picture('records');
    await take('Undo Run');
    await until('all is as before', async () => desk.same() && (await desk.unsaved(desk.wiki)).length === 0);
  },
};
