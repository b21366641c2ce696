// A page with CRLF keeps it, byte for byte, also in lines that are new (T24); a new page ends as the agent wrote it (T18, T23);
// columns are right behind letters beyond the basic plane (T25).

import { ended, proposal, titleCommand, undone } from '../review.mjs';

const page = ['---', 'type: concept', 'sources: []', 'ingested-at: 2026-02-01', 'last-updated: 2026-02-01', '---', '# Returns', '', 'One 😀漢 line, see [[emoji]].', 'Another line.', ''].join('\r\n');
const steps = '---\ntype: source\nsources: [raw/steps.md]\ningested-at: 2026-02-01\nlast-updated: 2026-02-01\n---\n# Steps\n\nNo line feed at the end, see [[emoji]].';

export const crlf = {
  files: {
    'concepts/returns.md': page,
    'raw/steps.md': [
      `printf 'added\\r\\n' > tail.tmp && sed -i 's/One 😀漢 line/One 😀漢 line changed 😀/' concepts/returns.md && cat tail.tmp >> concepts/returns.md && rm tail.tmp`,
      `printf -- '${steps.replaceAll('\n', '\\n')}' > concepts/steps.md`,
      '',
    ].join('\n'),
  },

  async play(desk) {
    const { run } = await proposal(desk);
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'applied');
    await desk.saved({ 'concepts/returns.md': page.replace('line, see', 'line changed 😀, see') + 'added\r\n', 'concepts/steps.md': steps });
    await undone(desk, { title: 'ingest raw/steps.md' });
  },
};
