// Ingest with the builtin agent from the light bulb; the review opens; one hunk is rejected; the rest is applied; undo.

import { ended, lens, patched, reviewOf, titleCommand, undone } from '../review.mjs';

export const ingest = {
  settings: { 'rigwiki.defaultAgent': 'builtin' },

  async play(desk) {
    const { assert, until } = desk;
    await desk.show('raw/widths.md');
    await desk.lightBulb('Ingest into wiki');
    const { run, shown } = await reviewOf(desk, 'ingest raw/widths.md');
    assert.deepEqual(desk.files(), desk.before, 'nothing is written before the yes');
    const proposed = await desk.host(`return (await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: 'rigwiki', authority: argument.run, path: argument.path }))).getText()`, { run, path: desk.path('sources/widths.md') });

    await lens(desk, run, 'log.md', 'Reject');
    await desk.picture('review');
    const badges = async () => (await desk.page.locator('.multiDiffEntry .status').allInnerTexts()).filter(Boolean);
    await until('one page is new, and none is shown as renamed', async () => (await badges()).join() === 'A');
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'partly', 'applied');

    const index = shown.files.find((f) => f.path === 'index.md');
    // What was rejected is not written.
    await desk.saved({ 'sources/widths.md': proposed, 'index.md': patched(desk.before['index.md'], index.hunks), 'log.md': desk.before['log.md'] });
    await undone(desk, { title: 'ingest raw/widths.md' });
  },
};
