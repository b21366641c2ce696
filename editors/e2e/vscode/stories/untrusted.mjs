// In a workspace that is not trusted no agent is started, whoever asks; links and findings work.

import { runs } from '../review.mjs';

export const untrusted = {
  window: { settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' } },

  async play(desk) {
    const { assert, until } = desk;
    assert.equal(await desk.host('return vscode.workspace.isTrusted'), false);
    await desk.show('raw/widths.md');
    const titles = await until('the server answers', async () =>
      desk.host(
        `const doc = await vscode.workspace.openTextDocument(vscode.Uri.file(argument));
         const page = await vscode.workspace.openTextDocument(vscode.Uri.file(argument.replace('raw/widths.md', 'concepts/emoji.md')));
         const links = await vscode.commands.executeCommand('vscode.executeLinkProvider', page.uri);
         const list = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', doc.uri, new vscode.Range(0, 0, 0, 0));
         return links.length > 0 && { actions: list.map((a) => a.title) };`,
        desk.path('raw/widths.md'),
      ),
    );
    assert.ok(!titles.actions.includes('Ingest into wiki'), titles.actions.join());
    await desk.command('rigwiki.ingest', { uri: desk.uri('raw/widths.md'), agent: 'builtin' });
    await desk.toast('not trusted');
    assert.deepEqual(await runs(desk), []);
  },
};
