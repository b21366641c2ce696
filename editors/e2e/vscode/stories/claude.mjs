// The real claude, led by the scripted model server: ingest, review, apply, undo.

import { existsSync } from 'node:fs';
import { ended, proposal, undone, titleCommand } from '../review.mjs';

const page = '---\ntype: source\nsources: [widths]\ningested-at: 2026-03-01\nlast-updated: 2026-03-01\nsource-path: raw/widths.md\n---\n# Widths\n\nSee [[emoji]].\n';

export const claude = {
  needs: () => (process.env.RIG_AGENTS && existsSync(`${process.env.RIG_AGENTS}/claude`) ? undefined : 'RIG_AGENTS is not set, or has no claude'),

  async play(desk) {
    const { assert } = desk;
    const steps = [
      { op: 'read', path: desk.path('index.md') },
      { op: 'write', path: desk.path('sources/widths.md'), content: page },
      { op: 'edit', path: desk.path('index.md'), old: '## Sources\n', new: '## Sources\n- [[widths]] — what a face takes\n' },
      { op: 'say', text: 'INGEST DONE: widths' },
    ];
    const { run, shown } = await proposal(desk, { source: 'raw/widths.md', agent: 'claude', note: `<<F64:${Buffer.from(JSON.stringify(steps)).toString('base64')}>>` });
    assert.deepEqual(shown.files.map((f) => `${f.kind} ${f.path}`).sort(), ['create sources/widths.md', 'edit index.md']);
    assert.ok(desk.same());
    await titleCommand(desk, 'Apply Proposal');
    await ended(desk, run, 'applied');
    await desk.saved({ 'sources/widths.md': page, 'index.md': desk.before['index.md'].replace('## Sources\n', '## Sources\n- [[widths]] — what a face takes\n') });
    await undone(desk, { title: 'ingest raw/widths.md' });
  },
};
