// A proposal waits while the window is loaded anew (and its server with it): it is still there, with the marks that were made.

import { pick } from '../hands.mjs';
import { ended, lens, mark, proposal, titleCommand } from '../review.mjs';

export const reload = {
  window: {},
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\necho '- more' >> log.md\n` },

  async play(desk) {
    const { until } = desk;
    const { run } = await proposal(desk);
    await lens(desk, run, 'log.md', 'Reject');
    await desk.editor.load(desk.wiki);
    await until('the server is ready', async () => (await desk.host('return vscode.commands.getCommands(true)')).includes('rigwiki.runs'));
    await desk.command('rig.proposals.focus');
    await desk.page.locator('.pane-body .monaco-list-row', { hasText: 'ingest raw/steps.md' }).first().waitFor();
    const asked = desk.command('rig.review'); // answers when one is picked
    await pick(desk, 'ingest raw/steps.md');
    await asked;
    await mark(desk, 'Rejected');
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'partly', 'applied');
    await desk.saved({ 'concepts/emoji.md': desk.before['concepts/emoji.md'].replace('one column', 'two columns'), 'log.md': desk.before['log.md'] });
  },
};
