// Several sources at once: the question names them with the agent, and a no starts nothing.

import { ended, runs } from '../review.mjs';

export const batch = {
  settings: { 'rigwiki.defaultAgent': 'builtin', 'rigwiki.openReview': false },
  files: { 'raw/second.md': '# Second\n\nA second source about faces.\n' },

  async play(desk) {
    const { assert } = desk;
    const dialog = desk.page.locator('.monaco-dialog-box');
    const ask = () =>
      desk.host(`const u = argument.map((p) => vscode.Uri.file(p)); await vscode.commands.executeCommand('rig.ingest', u[0], u);`, [desk.path('raw/widths.md'), desk.path('raw/second.md')]);
    let asked = ask();
    await dialog.filter({ hasText: 'Ingest 2 sources with builtin' }).filter({ hasText: 'raw/second.md' }).waitFor();
    await desk.picture('batch');
    await desk.page.keyboard.press('Escape');
    await asked;
    assert.deepEqual(await runs(desk), [], 'a no starts nothing');
    asked = ask();
    await dialog.locator('.monaco-button', { hasText: 'Ingest' }).click();
    await asked;
    const started = await desk.until('both run', async () => (await runs(desk)).length === 2 && runs(desk));
    for (const { run } of started) {
      await ended(desk, run, 'proposed');
      await desk.command('rigwiki.proposal.discard', { run });
    }
    assert.ok(desk.same());
  },
};
