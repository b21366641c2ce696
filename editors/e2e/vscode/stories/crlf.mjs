// A page with CRLF keeps it, byte for byte, also in lines that are new (T24); a new page ends as the agent wrote it (T18, T23);
// columns are right behind letters beyond the basic plane (T25). A page whose name an address has to encode is shown as it is proposed, and its
// proposed side stays the same when the page has moved on (T31).

import { ended, proposal, titleCommand, undone } from '../review.mjs';

const page = ['---', 'type: concept', 'sources: []', 'ingested-at: 2026-02-01', 'last-updated: 2026-02-01', '---', '# Returns', '', 'One 😀漢 line, see [[emoji]].', 'Another line.', ''].join('\r\n');
const steps = '---\ntype: source\nsources: [raw/steps.md]\ningested-at: 2026-02-01\nlast-updated: 2026-02-01\n---\n# Steps\n\nNo line feed at the end, see [[emoji]].';

const odd = 'concepts/a=b&c ü %41 #1 (1).md';

export const crlf = {
  files: {
    'concepts/returns.md': page,
    [odd]: '---\ntype: concept\nsources: []\ningested-at: 2026-02-01\nlast-updated: 2026-02-01\n---\n# Odd\n\nAn old line, see [[emoji]].\n',
    'raw/steps.md': [
      `sed -i 's/An old line/A new line/' '${odd}'`,
      `printf 'added\\r\\n' > tail.tmp && sed -i 's/One 😀漢 line/One 😀漢 line changed 😀/' concepts/returns.md && cat tail.tmp >> concepts/returns.md && rm tail.tmp`,
      `printf -- '${steps.replaceAll('\n', '\\n')}' > concepts/steps.md`,
      '',
    ].join('\n'),
  },

  async play(desk) {
    const { run } = await proposal(desk);
    const sides = () => desk.host(
      `const text = async (side) => (await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: 'rigwiki', authority: argument.run + side, path: argument.path }))).getText();
       return [await text('.base'), await text('')];`,
      { run, path: desk.path(odd) },
    );
    const both = [desk.before[odd], desk.before[odd].replace('An old line', 'A new line')];
    desk.assert.deepEqual(await sides(), both);
    await desk.page.locator('.multiDiffEntry .modified .view-line', { hasText: 'A new line' }).first().waitFor();
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'applied');
    await desk.saved({ 'concepts/returns.md': page.replace('line, see', 'line changed 😀, see') + 'added\r\n', 'concepts/steps.md': steps, [odd]: both[1] });
    desk.assert.deepEqual(await sides(), both, 'what was proposed is still to be read');
    await undone(desk, { title: 'ingest raw/steps.md' });
  },
};
