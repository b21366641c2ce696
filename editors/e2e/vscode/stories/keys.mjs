// A review by keys alone, and by the gutter: a change is accepted at the cursor, one is rejected in the menu of its line number, what is
// accepted is applied. The gutter shows both; links of the proposed page lead into the wiki.

import { menu, palette } from '../hands.mjs';
import { ended, mark, marked, proposal, undone, waiting } from '../review.mjs';

const page = 'concepts/slices.md';
const filler = 'filler\n'.repeat(12);
const text = `---\ntype: concept\nsources: []\ningested-at: 2026-02-01\nlast-updated: 2026-02-01\n---\n# Slices\n\nSee [[emoji]].\n\none\n${filler}two\n${filler}three\n`;

export const keys = {
  files: { [page]: text },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk, { source: 'raw/widths.md', agent: 'slices' });
    const proposed = { run, path: desk.path(page) };
    const links = await until('the links of the proposed page are there', async () => {
      const all = await desk.host(
        `const uri = vscode.Uri.from({ scheme: 'rigwiki', authority: argument.run, path: argument.path });
         await vscode.workspace.openTextDocument(uri);
         return (await vscode.commands.executeCommand('vscode.executeLinkProvider', uri)).map((l) => String(l.target));`, proposed);
      return all.length > 0 && all;
    });
    assert.ok(links.every((l) => l.startsWith('file:') && l.endsWith('concepts/emoji.md')), links.join());

    await until('the review has the keys once it is open', () => desk.page.locator('.multiDiffEntry .monaco-editor.focused').first().isVisible());
    const at = (line) => until(`the cursor is at ${line}`, () =>
      desk.host(
        `const e = vscode.window.activeTextEditor;
         if (e?.document.uri.scheme !== 'rigwiki') return false;
         const at = new vscode.Position(e.document.getText().split('\\n').indexOf(argument), 0);
         e.selection = new vscode.Selection(at, at);
         return e.selection.active.isEqual(at);`,
        line,
      ),
    );
    const keys = async (chord) => {
      await desk.command('workbench.action.focusActiveEditorGroup');
      await at('ONE');
      await desk.page.keyboard.press(chord);
    };
    const why = desk.page.locator('.notification-toast', { hasText: 'slices proposes to edit it' }).first();
    await desk.insist('the keys ask why', () => keys('Control+Alt+w'), () => why.isVisible());
    await desk.insist('the keys accept', () => keys('Control+Alt+y'), () => marked(desk, run, page, 'Accepted'));
    await mark(desk, 'Accepted');
    await until('the gutter shows it', async () => (await desk.page.locator('.multiDiffEntry .modified .glyph-margin-widgets .cgmr').count()) === 1);

    const number = desk.page.locator('.multiDiffEntry .modified .margin-view-overlays .line-numbers', { hasText: new RegExp(`^${text.split('\n').indexOf('two') + 1}$`) }).first();
    await menu(desk, () => number.click({ button: 'right', timeout: 10_000 }), 'Reject Change at Cursor');
    await mark(desk, 'Rejected');
    await until('the gutter shows both', async () => (await desk.page.locator('.multiDiffEntry .modified .glyph-margin-widgets .cgmr').count()) === 2);
    await desk.picture('gutter');

    await palette(desk, 'Rig: Apply Accepted Changes');
    await ended(desk, run, 'partly');
    await desk.saved({ [page]: text.replace('one', 'ONE') });
    assert.deepEqual(await until('what nobody decided waits', async () => (await waiting(desk, run)).length === 1 && waiting(desk, run)), [`${page}#3`]);
    await undone(desk, { run });
  },
};
