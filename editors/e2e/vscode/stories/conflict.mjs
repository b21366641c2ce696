// A line that the agent changed is changed by the user while the review is open (T7): nothing of that page is written, the rest is,
// and the page tells of both sides. The user takes the agent's.

import { apply, ended, proposal } from '../review.mjs';

export const conflict = {
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\nsed -i 's/a line ends/a line comes to its end/' index.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk);
    await desk.show('concepts/emoji.md', 'one column', { select: true });
    await desk.type('a cell or two');
    const mine = desk.before['concepts/emoji.md'].replace('one column', 'a cell or two');
    await until('it is typed', async () => (await desk.buffer('concepts/emoji.md')) === mine);
    await apply(desk, run);
    await ended(desk, run, 'partly');
    await desk.toast('conflict in concepts/emoji.md');
    assert.equal(await desk.buffer('concepts/emoji.md'), mine, 'no keystroke is lost');
    assert.equal(desk.text('concepts/emoji.md'), desk.before['concepts/emoji.md'], 'and nothing is written on disk');
    await until('the other page is saved', () => desk.text('index.md') === desk.before['index.md'].replace('a line ends', 'a line comes to its end'));
    await until('the page tells of the conflict', async () =>
      (await desk.host(`return vscode.languages.getDiagnostics(vscode.Uri.file(argument)).map((d) => d.message)`, desk.path('concepts/emoji.md'))).some((m) => m.startsWith('conflict')),
    );
    await desk.picture('conflict');
    const answer = await desk.command('rigwiki.proposal.apply', { run, resolve: { 'concepts/emoji.md': 'agent' } });
    assert.equal(answer.applied, true);
    await until('the agent side is taken', async () => (await desk.buffer('concepts/emoji.md')).includes('two columns'));
    await desk.host(`await vscode.workspace.saveAll()`);
    await ended(desk, run, 'applied');
    await desk.saved({ 'concepts/emoji.md': desk.before['concepts/emoji.md'].replace('one column', 'two columns') });
  },
};
