// Hovering a question shows the best passages, hovering a link what it leads to; no agent starts. Once it was asked, it shows the answer.

import { document } from '../hands.mjs';
import { ended, runs } from '../review.mjs';

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
    const { run } = await desk.command('rigwiki.query', { question: 'What does a face take in a terminal?', uri: desk.uri('concepts/open.md'), agent: 'builtin' });
    await ended(desk, run, 'done');
    await document(desk, `${run}.answer/answer.md`);
    await desk.command('workbench.action.closeActiveEditor');
    await desk.show('concepts/open.md');
    await over('What does', 'answered by builtin');
  },
};
