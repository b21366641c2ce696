// An agent writes the schema too: the change is refused, and that is to be seen in the tree, in the report and at the source.

import { ended, proposal, titleCommand, undone } from '../review.mjs';

export const refusal = {
  async play(desk) {
    const { assert, until } = desk;
    const { run, shown } = await proposal(desk, { source: 'raw/widths.md', agent: 'probe' });
    assert.deepEqual(shown.refused.map((r) => r.rule), ['protected-path']);
    await desk.command('rig.proposals.focus');
    const row = desk.page.locator('.pane-body .monaco-list-row');
    await row.filter({ hasText: 'Refused: 1' }).first().waitFor();
    await row.filter({ hasText: 'Schema.md' }).filter({ hasText: 'protected-path' }).first().waitFor();
    await desk.picture('refused');
    await themes(desk);
    await until('the source says so', async () =>
      (await desk.host(`return vscode.languages.getDiagnostics(vscode.Uri.file(argument)).map((d) => d.message)`, desk.path('raw/widths.md'))).some((m) => m.includes('Schema.md')),
    );
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'applied');
    assert.equal(desk.text('schema.md'), desk.before['schema.md']);
    assert.equal(desk.has('Schema.md'), false);
    await until('nothing is left to be saved', async () => (await desk.unsaved(desk.wiki)).length === 0);
    await undone(desk, { title: 'ingest raw/widths.md' });
    await desk.command('workbench.view.explorer');
  },
};

/** Keeps a picture in each kind of theme, for who looks at them. */
async function themes(desk) {
  for (const [theme, kind] of [['Default Dark Modern', 'vs-dark'], ['Default High Contrast', 'hc-black'], ['Default High Contrast Light', 'hc-light']]) {
    await desk.host(`await vscode.workspace.getConfiguration('workbench').update('colorTheme', argument, vscode.ConfigurationTarget.Global)`, theme);
    await desk.page.locator(`.monaco-workbench.${kind}`).waitFor();
    await desk.picture(`theme-${kind}`);
  }
  await desk.host(`await vscode.workspace.getConfiguration('workbench').update('colorTheme', undefined, vscode.ConfigurationTarget.Global)`);
}
