// A proposal waits while the window is loaded anew (and its server with it): it is still there, with the marks that were made.

import { ended, lens, proposal, titleCommand } from '../review.mjs';

export const reload = {
  window: {},
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\necho '- more' >> log.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk);
    await lens(desk, 'log.md', 'Reject');
    await desk.page.locator('.codelens-decoration a', { hasText: 'Rejected' }).waitFor();
    await desk.editor.load(desk.wiki);
    await until('the server is ready', async () => (await desk.host('return vscode.commands.getCommands(true)')).includes('rigwiki.runs'));
    await desk.command('rig.proposals.focus');
    await desk.page.locator('.pane-body .monaco-list-row', { hasText: 'ingest raw/steps.md' }).first().waitFor();
    const asked = desk.command('rig.review'); // answers when one is picked
    await desk.page.locator('.quick-input-list .monaco-list-row', { hasText: 'ingest raw/steps.md' }).waitFor();
    await desk.page.keyboard.press('Enter');
    await asked;
    await desk.page.locator('.codelens-decoration a', { hasText: 'Rejected' }).waitFor();
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'partly', 'applied');
    await until('the page is saved', () => desk.text('concepts/emoji.md') === desk.before['concepts/emoji.md'].replace('one column', 'two columns'));
    assert.equal(desk.text('log.md'), desk.before['log.md']);
  },
};
