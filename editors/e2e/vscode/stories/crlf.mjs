// A page with CRLF keeps it, byte for byte, also in lines that are new (T24); a new page ends as the agent wrote it (T18, T23);
// columns are right behind letters beyond the basic plane (T25).

import { ended, proposal, titleCommand, undone } from '../review.mjs';

const page = ['---', 'type: concept', 'sources: []', 'ingested-at: 2026-02-01', 'last-updated: 2026-02-01', '---', '# Returns', '', 'One 😀漢 line, see [[emoji]].', 'Another line.', ''].join('\r\n');

export const crlf = {
  files: {
    'concepts/returns.md': page,
    'raw/steps.md': [
      `printf 'added\\r\\n' > tail.tmp && sed -i 's/One 😀漢 line/One 😀漢 line changed 😀/' concepts/returns.md && cat tail.tmp >> concepts/returns.md && rm tail.tmp`,
      `printf -- '---\\ntype: source\\nsources: [raw/steps.md]\\ningested-at: 2026-02-01\\nlast-updated: 2026-02-01\\n---\\n# Steps\\n\\nNo line feed at the end, see [[emoji]].' > concepts/steps.md`,
      '',
    ].join('\n'),
  },

  async play(desk) {
    const { assert, until } = desk;
    const { run } = await proposal(desk);
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'applied');
    await until('the pages are saved', () => desk.has('concepts/steps.md') && desk.read('concepts/steps.md').length > 0);
    assert.equal(desk.text('concepts/returns.md'), page.replace('line, see', 'line changed 😀, see') + 'added\r\n');
    assert.ok(desk.text('concepts/steps.md').endsWith('see [[emoji]].'));
    await undone(desk, 'ingest raw/steps.md');
  },
};
