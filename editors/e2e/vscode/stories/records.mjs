// The view Runs: of a run its prompt, timeline and report can be read, and it is taken back, all from the menu of its row.

import { menu, opened, treeRow } from '../hands.mjs';
import { apply, ended, proposal } from '../review.mjs';

export const records = {
  files: { 'raw/records-steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk, { source: 'raw/records-steps.md', note: 'Mind the columns' });
    await apply(desk, run);
    await ended(desk, run, 'applied');
    await until('the page is saved', () => desk.text('concepts/emoji.md').includes('two columns'));
    const row = () => desk.page.locator('.pane-body .monaco-list-row', { hasText: 'ingest raw/records-steps.md' }).first();
    await treeRow(desk, 'runs', 'ingest raw/records-steps.md');
    const take = (name) => menu(desk, () => row().click({ button: 'right' }), name);
    assert.match(await opened(desk, () => take('Show Prompt of Run'), `${run}.prompt/prompt.md`), /Mind the columns/);
    assert.match(await opened(desk, () => take('Show Timeline of Run'), `${run}.timeline/timeline.md`), /ingest raw\/records-steps\.md/);
    assert.match(await opened(desk, () => take('Show Report of Run'), `${run}.report/report.md`), /- agent: obedient/);
    await desk.picture('records');
    await take('Undo Run');
    await until('all is as before', () => desk.same());
  },
};
