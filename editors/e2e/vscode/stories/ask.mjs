// Ask the wiki from a question in a page: the answer opens beside it with its citations as links, and can be filed as a page.

import { ended, reviewOf, runs, titleCommand } from '../review.mjs';

export const ask = {
  settings: { 'rigwiki.defaultAgent': 'builtin' },
  files: { 'concepts/open.md': '---\ntype: concept\nsources: []\ningested-at: 2026-02-01\nlast-updated: 2026-02-01\n---\n# Open\n\n> [!question] What does a face take in a terminal?\n\nSee [[emoji]].\n' },

  async play(desk) {
    const { assert, until } = desk;
    await desk.show('concepts/open.md', 'What does');
    const asked = desk.command('rig.ask');
    await until('the question of the callout is in the box', async () => (await desk.page.locator('.quick-input-box input').inputValue()) === 'What does a face take in a terminal?');
    await desk.page.keyboard.press('Enter');
    await asked;
    const uri = await until('the answer is open', async () =>
      desk.host(`return vscode.window.visibleTextEditors.map((e) => e.document.uri).find((u) => u.scheme === 'rigwiki' && u.path === '/answer.md')?.toString()`),
    );
    await until('it is beside the page', async () => (await desk.host(`return vscode.window.tabGroups.all.length`)) === 2);
    const links = await until('the citation is a link to the page', async () => {
      const all = await desk.host(`return (await vscode.commands.executeCommand('vscode.executeLinkProvider', vscode.Uri.parse(argument), 50)).map((l) => String(l.target))`, uri);
      return all.some((l) => l.includes('concepts/emoji.md')) && all;
    });
    await desk.picture('answer');
    const query = (await runs(desk)).find((r) => r.op === 'query');
    assert.equal(query.state, 'done', String(links));
    await titleCommand(desk, 'File Answer as Page');
    const filed = await until('it is proposed as a page', async () => (await runs(desk)).find((r) => r.waits));
    await reviewOf(desk, filed.title);
    assert.ok(desk.same(), 'nothing is written before the yes');
    await desk.command('rigwiki.proposal.discard', { run: filed.run });
    await ended(desk, filed.run, 'discarded');
  },
};
