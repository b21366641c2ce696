// With rigwiki.preview "annotations" VS Code's own Refactor Preview shows the proposal: the real edits are ticked (T14), Apply takes
// them and saves (T16), nothing is written before. While it stays open the server answers, runs another agent and ends it (T36).

import { press } from '../mouse.mjs';
import { ended, start, stateOf, undone } from '../review.mjs';

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
    await answers(desk);
    assert.equal(await stateOf(desk, run), 'proposed', 'the proposal still waits');
    await press(desk, desk.page.locator('.panel .monaco-button', { hasText: 'Apply' }));
    await ended(desk, run, 'applied');
    const { 'concepts/emoji.md': emoji, 'index.md': index } = desk.before;
    await desk.saved({ 'concepts/emoji.md': emoji.replace('one column', 'two columns'), 'index.md': index.replace('a line ends', 'a line comes to its end') });
    await undone(desk, { run });
  },
};

/** Asks for the links and the actions of a page, and has a run started and cancelled. */
async function answers(desk) {
  const links = `const uri = vscode.Uri.file(argument); await vscode.workspace.openTextDocument(uri); return (await vscode.commands.executeCommand('vscode.executeLinkProvider', uri)).length`;
  await desk.until('the links of a page are told', async () => (await desk.host(links, desk.path('index.md'))) > 0);
  const { run } = await start(desk, { source: 'raw/widths.md', agent: 'endless' });
  await ended(desk, run, 'running');
  await desk.command('rigwiki.cancel', { run });
  await ended(desk, run, 'cancelled');
}
