// With rigwiki.preview "annotations" VS Code's own Refactor Preview shows the proposal: the real edits are ticked (T14), Apply takes
// them and saves (T16), nothing is written before.

import { ended, start } from '../review.mjs';

export const native = {
  settings: { 'rigwiki.preview': 'annotations' },
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\nsed -i 's/a line ends/a line comes to its end/' index.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await start(desk);
    await ended(desk, run, 'proposed');
    const boxes = desk.page.locator('.edit-checkbox');
    await until('both pages are ticked', async () => (await desk.page.locator('.edit-checkbox[aria-checked="true"]').count()) >= 4);
    assert.ok((await boxes.count()) > 4, 'and the gate is not');
    await desk.picture('native');
    assert.ok(desk.same(), 'nothing is written before the yes');
    await desk.page.locator('.panel .monaco-button', { hasText: 'Apply' }).first().click();
    await ended(desk, run, 'applied');
    await until('both pages are saved', () => desk.text('concepts/emoji.md').includes('two columns') && desk.text('index.md').includes('comes to its end'));
    await desk.command('rigwiki.run.undo', { run });
    await until('all is as before', () => desk.same());
  },
};
