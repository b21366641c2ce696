// Hovering a question shows the best passages, hovering a link what it leads to; no agent starts.

import { runs } from '../review.mjs';

export const hover = {
  files: { 'concepts/open.md': '---\ntype: concept\nsources: []\ningested-at: 2026-02-01\nlast-updated: 2026-02-01\n---\n# Open\n\n> [!question] What does a face take in a terminal?\n\nSee [[emoji]].\n' },

  async play(desk) {
    const { assert, until } = desk;
    await desk.show('concepts/open.md');
    const shown = desk.page.locator('.monaco-hover:not(.hidden)');
    const over = async (text, want) => {
      const word = desk.page.locator('.editor-instance .view-line span > span', { hasText: text }).first();
      await until(`hovering ${text} shows ${want}`, async () => {
        await desk.page.mouse.move(5, 5);
        await word.hover({ timeout: 10_000 }).catch(() => {});
        return shown.filter({ hasText: want }).first().waitFor({ timeout: 5000 }).then(() => true, () => false);
      });
    };
    await over('What does', 'concepts/emoji.md');
    await desk.picture('hover');
    await over('emoji', 'Emoji');
    assert.deepEqual(await runs(desk), []);
  },
};
