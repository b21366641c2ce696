// A page has unsaved text when the run starts (T6), and gets more while the review is open (T4, T5). The agent starts from what the
// user sees; both texts are in the page after Apply, and the message says that it waits to be saved.

import { apply, ended, proposal } from '../review.mjs';

export const dirty = {
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    await desk.show('concepts/emoji.md', 'Kept as it is');
    await desk.type('Typed before. ');
    await until('the page is dirty', async () => (await desk.buffer('concepts/emoji.md')) === desk.before['concepts/emoji.md'].replace('Kept as it is', 'Typed before. Kept as it is'));
    const { run } = await proposal(desk);
    assert.equal(desk.text('concepts/emoji.md'), desk.before['concepts/emoji.md'], 'unsaved text is not saved by a run');
    await desk.show('concepts/emoji.md', 'Kept as it is');
    await desk.type('Typed after. ');
    await until('more was typed', async () => (await desk.buffer('concepts/emoji.md')).includes('Typed after. '));
    await apply(desk, run);
    await ended(desk, run, 'applied');
    const both = desk.before['concepts/emoji.md'].replace('one column', 'two columns').replace('Kept as it is', 'Typed before. Typed after. Kept as it is');
    await until('both texts are there', async () => (await desk.buffer('concepts/emoji.md')) === both);
    await desk.host('await vscode.workspace.saveAll()');
    await desk.saved({ 'concepts/emoji.md': both });
    // Only what the run brought is taken back.
    await desk.command('rigwiki.run.undo', { run });
    await until('the run is taken back', async () => (await desk.buffer('concepts/emoji.md')) === both.replace('two columns', 'one column'));
    await desk.host('await vscode.workspace.saveAll()');
  },
};
