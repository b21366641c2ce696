// @wiki in the chat: the answer of the wiki with the pages that it cites, and an offer to file it. code-server has no model for its chat, so the
// question is put to what answers there, in the real extension host and to the real server.

import { ended, reviewOf, runs } from '../review.mjs';

const ask = `
  const said = { text: '', pages: [], buttons: [], lines: 0 };
  const stream = { markdown: (t) => (said.text += t), progress: () => said.lines++, reference: (u) => said.pages.push(u.path), button: (b) => said.buttons.push(b) };
  const { chat } = vscode.extensions.getExtension('rigwiki.rig-wiki').exports;
  await chat({ prompt: argument.question }, undefined, stream, new vscode.CancellationTokenSource().token);
  return JSON.parse(JSON.stringify(said));`;

export const chat = {
  settings: { 'rigwiki.defaultAgent': 'builtin' },

  async play(desk) {
    const { assert, until } = desk;
    assert.equal(await desk.host(`return typeof vscode.chat?.createChatParticipant`), 'function', 'this VS Code has the API');
    await desk.show('concepts/emoji.md');
    const said = await desk.host(ask, { question: 'What does a face take in a terminal?' });
    const [query] = await runs(desk);
    assert.equal(query.op, 'query');
    assert.equal(query.state, 'done');
    assert.match(said.text, /\[\[/, 'the answer cites');
    assert.ok(said.pages.includes(desk.path('concepts/emoji.md')), JSON.stringify(said));
    assert.deepEqual(said.buttons.map((b) => b.command), ['rig.answer.file']);
    await desk.host(`await vscode.commands.executeCommand(argument.command, vscode.Uri.from(argument.arguments[0]))`, said.buttons[0]);
    const filed = await until('it is proposed as a page', async () => (await runs(desk)).find((r) => r.waits));
    await reviewOf(desk, filed.title);
    await desk.command('rigwiki.proposal.discard', { run: filed.run });
    await ended(desk, filed.run, 'discarded');
    assert.ok(desk.same());
  },
};
