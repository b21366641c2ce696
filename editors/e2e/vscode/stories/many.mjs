// A proposal of 300 pages opens its review in one tab, and is applied without 300 tabs (T17). How long the review took is printed, and not
// judged: it depends on what else the machine does.

import { ended, start } from '../review.mjs';

const count = 300;
const pages = Object.fromEntries(Array.from({ length: count }, (_, i) => [
  `concepts/page-${i}.md`,
  `---\ntype: concept\nsources: []\ningested-at: 2026-02-01\nlast-updated: 2026-02-01\n---\n# Page ${i}\n\nSee [[emoji]].\n\nLine ${i}.\n`,
]));

export const many = {
  files: { ...pages, 'raw/steps.md': `for p in concepts/page-*.md; do sed -i 's/^Line/The line/' "$p"; done\n` },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await start(desk);
    await ended(desk, run, 'proposed');
    const since = Date.now();
    await desk.page.locator('.tab.active', { hasText: 'Review: ingest raw/steps.md' }).waitFor();
    await desk.page.locator('.multiDiffEntry .modified .view-line', { hasText: 'The line' }).first().waitFor();
    const took = Date.now() - since;
    assert.ok((await desk.tabs()).length <= 2, `tabs: ${await desk.tabs()}`);
    await desk.picture('many');
    // All is flagged as many changes: each page is named by a tick, here all at once.
    const { files } = await desk.command('rigwiki.proposal.show', { run });
    assert.equal(files.length, count);
    await desk.command('rigwiki.proposal.apply', { run, paths: files.map((f) => f.path) });
    await ended(desk, run, 'applied');
    await until('all pages are saved', () => Object.keys(pages).every((p) => desk.text(p) === pages[p].replace('\nLine', '\nThe line')), { bound: 120_000 });
    assert.ok((await desk.tabs()).length < 10, `tabs: ${(await desk.tabs()).length}`);
    return `the review of ${count} pages was open ${took} ms after the proposal`;
  },
};
