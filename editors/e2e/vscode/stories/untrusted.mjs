// In a workspace that is not trusted no agent is started, whoever asks, the chat neither; links and findings work.

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
    for (const command of ['rigwiki.query', 'rigwiki.lint', 'rigwiki.fetch', 'rigwiki.work', 'rigwiki.actPr', 'rigwiki.review', 'rigwiki.proposal.revise']) {
      await desk.command(command, { question: 'What?', url: 'http://127.0.0.1:1/', uri: desk.uri('raw/widths.md'), run: 'none', text: 'x' });
    }
    const said = await desk.host(
      `let said = ''; await vscode.extensions.getExtension('rigwiki.rig-wiki').exports.chat({ prompt: 'What?' }, undefined, { markdown: (t) => (said += t) }, new vscode.CancellationTokenSource().token); return said;`);
    assert.match(said, /not trusted/);
    assert.deepEqual(await runs(desk), []);
  },
};
