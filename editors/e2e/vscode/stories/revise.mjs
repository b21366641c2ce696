// A comment on a line asks for a revision: the agent runs again with it, and the old proposal gives way to the new one.

import { ended, proposal, runs, titleCommand } from '../review.mjs';

export const revise = {
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk);
    const line = desk.page.locator('.multiDiffEntry .modified .view-line', { hasText: 'two columns' }).first();
    await line.click();
    await desk.command('workbench.action.addComment');
    const box = desk.page.locator('.review-widget .comment-form .monaco-editor').first();
    await box.waitFor();
    await box.click();
    await desk.page.keyboard.type('Say it in one sentence');
    await desk.page.locator('.review-widget .monaco-button', { hasText: 'Ask for Revision' }).first().click();
    await desk.page.locator('.review-widget .review-comment', { hasText: 'Say it in one sentence' }).first().waitFor();
    await desk.picture('comment');
    const said = titleCommand(desk, 'Revise Proposal');
    await said;
    await desk.page.locator('.quick-input-widget', { hasText: 'comments on lines' }).waitFor();
    await desk.page.keyboard.press('Enter');
    const next = await until('a new proposal waits', async () => (await runs(desk)).find((r) => r.waits && r.run !== run));
    await ended(desk, run, 'discarded');
    const prompt = await desk.host(`return (await vscode.workspace.openTextDocument(vscode.Uri.parse('rigwiki://' + argument + '.prompt/prompt.md'))).getText()`, next.run);
    assert.ok(prompt.includes('concepts/emoji.md, line 9: Say it in one sentence'), 'the prompt has the comment, and can be read');
    await desk.command('rigwiki.proposal.discard', { run: next.run });
    await ended(desk, next.run, 'discarded');
    assert.ok(desk.same());
  },
};
