// A window in German: what this extension shows, from the menu to the message at the end, is in the language of the window.

import { readFileSync } from 'node:fs';
import { treeRow } from '../hands.mjs';
import { ended, start, titleCommand } from '../review.mjs';

const json = (path) => JSON.parse(readFileSync(new URL(`../../../vscode/${path}`, import.meta.url), 'utf8'));

export const german = {
  window: { language: 'de' },
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\n` },

  async play(desk) {
    const { assert, page } = desk;
    const says = json('l10n/bundle.l10n.de.json');
    const { contributes } = json('package.json');
    const command = json('package.nls.de.json')[contributes.commands.find((c) => c.command === 'rig.apply').title.replaceAll('%', '')];
    assert.equal(await desk.host('return vscode.env.language'), 'de');
    const { run } = await start(desk);
    await ended(desk, run, 'proposed');
    await page.locator('.tab.active', { hasText: says['Review: {0}'].replace('{0}', 'ingest raw/steps.md') }).first().waitFor();
    await page.locator('.codelens-decoration a', { hasText: new RegExp(`^\\s*${says.Accept}\\s*$`) }).first().waitFor();
    const label = await (await treeRow(desk, 'proposals', 'emoji.md')).getAttribute('aria-label');
    assert.ok(label.includes(says['changed page']), label);
    await desk.picture('german');
    await titleCommand(desk, command);
    await ended(desk, run, 'applied');
    await desk.toast('ingest raw/steps.md', says.Undo);
    await desk.until('all is as before', async () => desk.same() && (await desk.unsaved(desk.wiki)).length === 0);
  },
};
