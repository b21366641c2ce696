// With rigwiki.preview "annotations" VS Code's own Refactor Preview shows the proposal: the real edits are ticked (T14), Apply takes
// them and saves (T16), nothing is written before.

import { press } from '../mouse.mjs';
import { ended, start, undone } from '../review.mjs';

export const native = {
  settings: { 'rigwiki.preview': 'annotations' },
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\nsed -i 's/a line ends/a line comes to its end/' index.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await start(desk);
    await ended(desk, run, 'proposed');
    const boxes = (ticked) => desk.page.locator(`.edit-checkbox[aria-checked="${ticked}"]`).count();
    await until('both pages are ticked, and the gate is not', async () => (await boxes(true)) >= 4 && (await boxes(false)) > 0);
    await desk.picture('native');
    assert.ok(desk.same(), 'nothing is written before the yes');
    await press(desk, desk.page.locator('.panel .monaco-button', { hasText: 'Apply' }));
    await ended(desk, run, 'applied');
    const { 'concepts/emoji.md': emoji, 'index.md': index } = desk.before;
    await desk.saved({ 'concepts/emoji.md': emoji.replace('one column', 'two columns'), 'index.md': index.replace('a line ends', 'a line comes to its end') });
    await undone(desk, { run });
  },
};
