// Several sources at once, from the menu of the explorer: the question names them with agent and model, and a no starts nothing. Each is worked in
// on top of the ones before it, and its review opens as it is made, each in a tab of its own; they are applied one after the other.

import { explorer, leave, menu } from '../hands.mjs';
import { press } from '../mouse.mjs';
import { apply, ended, runs, undone } from '../review.mjs';

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
    await desk.host(`await vscode.workspace.getConfiguration().update('rigwiki.openReview', true, vscode.ConfigurationTarget.Global)`);
    await both();
    await press(desk, dialog.locator('.monaco-button', { hasText: 'Ingest' }));
    const names = ['one', 'two'];
    const title = (name) => `ingest raw/batch-${name}-steps.md`;
    await desk.until('the reviews of both are open', async () => {
      const tabs = await desk.tabs();
      return names.every((name) => tabs.filter((t) => t.startsWith(`Review: ${title(name)}`)).length === 1);
    }, { bound: 120_000 });
    const [one, two] = await desk.until('both wait', async () => {
      const waiting = (await runs(desk)).filter((r) => r.waits);
      const found = names.map((name) => waiting.find((r) => r.title.startsWith(title(name))));
      return found.every(Boolean) && found;
    });
    assert.ok(desk.same(), 'nothing is written before the yes');
    const proposed = ({ run }, side) => desk.host(
      `return (await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: 'rigwiki', authority: argument.run, path: argument.path }))).getText()`,
      { run: run + side, path: desk.path('log.md') },
    );
    const log = desk.before['log.md'];
    assert.equal(await proposed(one, ''), `${log}- one\n`);
    assert.equal(await proposed(two, '.base'), `${log}- one\n`, 'the second one starts from what the first one proposes');
    assert.equal(await proposed(two, ''), `${log}- one\n- two\n`);
    await apply(desk, one.run);
    await ended(desk, one.run, 'applied');
    await desk.saved({ 'log.md': `${log}- one\n` });
    await apply(desk, two.run);
    await ended(desk, two.run, 'applied');
    await desk.saved({ 'log.md': `${log}- one\n- two\n` });
    await desk.command('rigwiki.run.undo', { run: two.run });
    await desk.saved({ 'log.md': `${log}- one\n` });
    await undone(desk, { run: one.run });
  },
};
