// The picker of agents: what can run comes first, of the rest it says why not.

import { pick } from '../hands.mjs';

export const agents = {
  async play(desk) {
    const { assert, until } = desk;
    const asked = desk.command('rig.agent');
    const rows = desk.page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: 'builtin' }).first().waitFor();
    await rows.filter({ hasText: 'codex' }).first().waitFor();
    await desk.picture('agents');
    const { agents: list } = await desk.command('rigwiki.agent.list', {});
    const shown = await rows.evaluateAll((all) => all.map((r) => r.getAttribute('aria-label')));
    for (const agent of list.filter((a) => !a.usable)) {
      assert.ok(shown.some((label) => label.includes(agent.name) && label.includes(agent.why)), `${agent.name}: ${shown.join(' | ')}`);
    }
    const place = (name) => shown.findIndex((label) => label.includes(name));
    const last = Math.max(...list.filter((a) => a.usable).map((a) => place(a.name)));
    assert.ok(list.filter((a) => !a.usable).every((a) => place(a.name) > last), 'the usable ones come first');
    await pick(desk, 'builtin');
    await asked;
    await until('the status bar tells it', () => desk.page.locator('.statusbar-item', { hasText: 'builtin' }).isVisible());
    assert.ok((await desk.command('rigwiki.agent.list', {})).agents.some((a) => a.name === 'builtin' && a.default));
  },
};
