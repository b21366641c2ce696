// Ingest with the builtin agent from the light bulb; the review opens; one hunk is rejected; the rest is applied; undo.

import { lens, patched, reviewOf, stateOf, titleCommand } from '../review.mjs';

export const ingest = {
  settings: { 'rigwiki.defaultAgent': 'builtin' },

  async play(desk) {
    const { assert, until } = desk;
    await desk.show('raw/widths.md');
    await desk.lightBulb('Ingest into wiki');
    const { run, shown } = await reviewOf(desk, 'ingest raw/widths.md');
    assert.deepEqual(desk.files(), desk.before, 'nothing is written before the yes');
    const proposed = await desk.host(`return (await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: 'rigwiki', authority: argument.run, path: argument.path }))).getText()`, { run, path: desk.path('sources/widths.md') });

    await lens(desk, 'log.md', 'Reject');
    await desk.page.locator('.codelens-decoration a', { hasText: 'Rejected' }).waitFor();
    await desk.picture('review');
    const badges = await desk.page.locator('.multiDiffEntry .status').allInnerTexts();
    assert.deepEqual(badges.filter(Boolean), ['A'], 'one page is new, and none is shown as renamed');
    await titleCommand(desk, 'Apply Proposal');
    await until('the run is applied', async () => (await stateOf(desk, run)) === 'partly' || (await stateOf(desk, run)) === 'applied');

    const index = shown.files.find((f) => f.path === 'index.md');
    await until('the pages are saved', () => desk.has('sources/widths.md') && desk.text('sources/widths.md') === proposed);
    assert.equal(desk.text('index.md'), patched(desk.before['index.md'], index.hunks));
    assert.equal(desk.text('log.md'), desk.before['log.md'], 'what was rejected is not written');
    await desk.toast('ingest raw/widths.md', 'Undo');
    await until('all is as before', () => desk.same());
  },
};
