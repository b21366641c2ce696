// A comment on a line asks for a revision: the agent runs again with it, and the old proposal gives way to the new one.

import { press } from '../mouse.mjs';
import { ended, proposal, runs, titleCommand } from '../review.mjs';

export const revise = {
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk);
    const line = desk.page.locator('.multiDiffEntry .modified .view-line', { hasText: 'two columns' }).first();
    const box = desk.page.locator('.review-widget .comment-form .monaco-editor').first();
    // Where a comment can stand VS Code learns after it has shown the page.
    await desk.insist('the line takes a comment', async () => {
      await line.click({ timeout: 10_000 });
      await desk.command('workbench.action.addComment');
    }, () => box.isVisible());
    await until('the comment has the keys', async () => {
      await box.click({ timeout: 10_000 });
      return desk.page.locator('.review-widget .comment-form .monaco-editor.focused').first().isVisible();
    });
    await desk.page.keyboard.type('Say it in one sentence');
    await press(desk, desk.page.locator('.review-widget .monaco-button:not(.disabled)', { hasText: 'Ask for Revision' }));
    await desk.page.locator('.review-widget .review-comment', { hasText: 'Say it in one sentence' }).first().waitFor();
    await desk.picture('comment');
    await titleCommand(desk, 'Revise Proposal');
    await desk.page.locator('.quick-input-widget', { hasText: 'comments on lines' }).waitFor();
    await desk.page.keyboard.press('Enter');
    const next = await until('a new proposal waits', async () => (await runs(desk)).find((r) => r.waits && r.run !== run));
    await ended(desk, run, 'discarded');
    // It is reviewed in its turn: what opens by itself must not come amid another story.
    await until('its review is open', () =>
      desk.host(`return vscode.window.visibleTextEditors.some((e) => e.document.uri.scheme === 'rigwiki' && e.document.uri.authority === argument)`, next.run));
    const prompt = await desk.host(`return (await vscode.workspace.openTextDocument(vscode.Uri.parse('rigwiki://' + argument + '.prompt/prompt.md'))).getText()`, next.run);
    assert.ok(prompt.includes('concepts/emoji.md, line 9: Say it in one sentence'), 'the prompt has the comment, and can be read');
    await desk.command('rigwiki.proposal.discard', { run: next.run });
    await ended(desk, next.run, 'discarded');
    assert.ok(desk.same());
  },
};
