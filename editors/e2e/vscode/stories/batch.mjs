// Several sources at once, from the menu of the explorer: the question names them with agent and model, and a no starts nothing.

import { explorer, leave, menu } from '../hands.mjs';
import { press } from '../mouse.mjs';
import { ended, runs } from '../review.mjs';

export const batch = {
  settings: { 'rigwiki.defaultAgent': 'obedient', 'rigwiki.models': { obedient: 'small-1' }, 'rigwiki.openReview': false },
  files: { 'raw/batch-one-steps.md': `echo '- one' >> log.md\n`, 'raw/batch-two-steps.md': `echo '- two' >> log.md\n` },

  async play(desk) {
    const { assert } = desk;
    const dialog = desk.page.locator('.monaco-dialog-box');
    const both = async () => {
      const first = await explorer(desk, 'raw/batch-one-steps.md');
      const second = desk.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'batch-two-steps.md' }).first();
      const selected = async (row) => (await row.getAttribute('aria-selected')) === 'true';
      const select = async () => {
        await desk.insist('both are selected', async () => {
          await first.click({ timeout: 5_000 });
          await second.click({ modifiers: ['Control'], timeout: 5_000 });
        }, async () => (await selected(first)) && (await selected(second)));
        await second.click({ button: 'right', timeout: 5_000 });
      };
      await menu(desk, select, 'Ingest into Wiki');
      const question = dialog.filter({ hasText: 'Ingest 2 sources with obedient (small-1)' });
      await question.waitFor();
      return question.innerText();
    };
    const said = await both();
    assert.ok(said.includes('raw/batch-one-steps.md') && said.includes('raw/batch-two-steps.md'), said);
    await desk.picture('batch');
    await leave(desk, dialog);
    assert.deepEqual(await runs(desk), [], 'a no starts nothing');
    await both();
    await press(desk, dialog.locator('.monaco-button', { hasText: 'Ingest' }));
    const started = await desk.until('both run', async () => (await runs(desk)).length === 2 && runs(desk));
    for (const { run } of started) {
      await ended(desk, run, 'proposed');
      await desk.command('rigwiki.proposal.discard', { run });
    }
    assert.ok(desk.same());
  },
};
