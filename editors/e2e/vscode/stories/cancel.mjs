// The notification of a run has a Cancel that ends the agent (T37, T38).

import { readdirSync, readFileSync } from 'node:fs';
import { ended, start } from '../review.mjs';

export const cancel = {
  async play(desk) {
    const { assert, until } = desk;
    const { run } = await start(desk, { source: 'raw/widths.md', agent: 'endless' });
    await ended(desk, run, 'running');
    const agents = () => processes().filter((p) => p.includes('AGENT_MODE=') && p.includes(desk.wiki));
    await until('the agent runs', () => agents().length > 0);
    await desk.toast('ingest raw/widths.md', 'Cancel');
    const { refused } = await ended(desk, run, 'cancelled');
    assert.deepEqual(refused, []);
    await until('the agent is gone', () => agents().length === 0);
    await until('the notification is gone', async () => (await desk.page.locator('.notification-toast', { hasText: 'Cancel' }).count()) === 0);
    assert.ok(desk.same());
  },
};

/** The environments of this machine's processes. */
function processes() {
  return readdirSync('/proc').filter((p) => /^\d+$/.test(p)).map((p) => {
    try {
      return readFileSync(`/proc/${p}/environ`, 'utf8');
    } catch {
      return ''; // it has ended meanwhile, or is not ours
    }
  });
}
