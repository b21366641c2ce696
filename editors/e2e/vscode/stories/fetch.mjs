// Fetch: the address under the cursor is in the box, the light bulb names it; what came lies in raw/, with where it is from.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { runs } from '../review.mjs';

const html = '<!doctype html><title>Kiln</title><main><h1>Kiln</h1><p>A kiln is fired for a day and cools for two, as every potter of the town will tell whoever asks about it.</p></main>';

export const fetch = {
  settings: { 'rigwiki.sandbox.network': { fetch: ['127.0.0.1'] } },
  files: { 'concepts/web.md': '' },

  async play(desk) {
    const { assert, until } = desk;
    const web = createServer((_, answer) => answer.setHeader('content-type', 'text/html; charset=utf-8').end(html)).listen(0, '127.0.0.1');
    await once(web, 'listening');
    try {
      const url = `http://127.0.0.1:${web.address().port}/kiln.html`;
      await desk.write('concepts/web.md', `# Web\n\nSee ${url} for more.\n\nNothing here.\n`);
      await desk.show('concepts/web.md', '/kiln.html');
      const asked = desk.command('rig.fetch');
      const input = desk.page.locator('.quick-input-box input');
      await until('the address is in the box', async () => (await input.inputValue()) === url);
      await input.fill('ftp://x');
      await desk.page.locator('.quick-input-widget', { hasText: 'begins with http' }).waitFor();
      await input.fill(url);
      await desk.page.keyboard.press('Enter');
      await asked;
      const fetched = await until('it is fetched', async () => (await runs(desk)).find((r) => r.op === 'fetch' && r.state !== 'running' && r.state !== 'queued'));
      assert.equal(fetched.state, 'done', fetched.message);
      const [source] = Object.keys(desk.files()).filter((f) => f.startsWith('raw/') && f.includes('kiln'));
      assert.match(desk.text(source), new RegExp(`source-url: ${url}`));
      assert.match(desk.text(source), /cools for two/);
      await desk.show('concepts/web.md', '/kiln.html');
      await desk.lightBulb(`Fetch into raw/: ${url}`);
      await until('the same again is told', async () => (await runs(desk)).filter((r) => r.op === 'fetch' && r.state !== 'running' && r.state !== 'queued').length === 2);
      assert.deepEqual(Object.keys(desk.files()).filter((f) => f.includes('kiln')), [source], 'and not written twice');
    } finally {
      web.close();
    }
  },
};
