// The boxes of the view Proposals, by mouse: Apply takes what is ticked, Apply Accepted only what was accepted, the rest waits.

import { treeRow } from '../hands.mjs';
import { ended, lens, proposal, titleCommand, undone, waiting } from '../review.mjs';

export const boxes = {
  files: { 'raw/steps.md': `sed -i 's/one column/two columns/' concepts/emoji.md\nsed -i 's/a line ends/a line comes to its end/' index.md\necho '- more' >> log.md\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk);
    const box = async (page) => (await treeRow(desk, 'proposals', page)).getByRole('checkbox');
    // The box turns at once, what the row says comes from the extension.
    const is = async (page, yes) =>
      (await (await box(page)).getAttribute('aria-checked')) === String(yes) &&
      (await (await treeRow(desk, 'proposals', page)).getAttribute('aria-label')).includes('leaves this page waiting') === !yes;
    const decided = (page) => until(`${page} has no box any more`, async () => (await (await box(page)).count()) === 0);
    const ticked = (page, yes) => until(`${page} is ${yes ? '' : 'not '}ticked`, () => is(page, yes));
    const tick = (page, yes) => desk.insist(`a click makes ${page} ${yes ? '' : 'not '}ticked`, async () => (await box(page)).click({ timeout: 5_000 }), () => is(page, yes));
    const after = { 'concepts/emoji.md': ['one column', 'two columns'], 'index.md': ['a line ends', 'a line comes to its end'], 'log.md': [/$/, '- more\n'] };
    const saved = (...pages) => desk.saved(Object.fromEntries(Object.keys(after).map((page) => [page, pages.includes(page) ? desk.before[page].replace(...after[page]) : desk.before[page]])));
    for (const page of ['emoji.md', 'index.md', 'log.md']) {
      await ticked(page, true);
    }
    assert.match(await (await box('index.md')).getAttribute('aria-label'), /Take index.md with Apply/, 'a screen reader says what the box does');
    const back = () => desk.command('rigwiki.proposal.review', { run });

    await back();
    await titleCommand(desk, 'Apply Accepted Changes');
    await desk.toast('Nothing is accepted');
    assert.ok(desk.same());
    await lens(desk, run, 'concepts/emoji.md', 'Accept');
    await titleCommand(desk, 'Apply Accepted Changes');
    await ended(desk, run, 'partly');
    await saved('concepts/emoji.md');
    await until('the others wait', async () => String(await waiting(desk, run)) === 'index.md#1,log.md#1');

    await decided('emoji.md');
    await tick('index.md', false);
    await desk.picture('boxes');
    await back();
    await titleCommand(desk, 'Apply Proposal');
    await saved('concepts/emoji.md', 'log.md');
    await until('the other one waits', async () => String(await waiting(desk, run)) === 'index.md#1');

    await decided('log.md');
    await tick('index.md', true);
    await back();
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'applied');
    await saved(...Object.keys(after));
    await undone(desk, { run });
  },
};
