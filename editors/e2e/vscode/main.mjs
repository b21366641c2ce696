// main.mjs reads names of stories, one a line, plays each in VS Code, and prints a line of JSON for each: {"ok"} or
// {"error"}. With --list it prints the names. Its environment: CODE (what vscode-install made), WORK, VSIX, RIG, FIXTURES.

import { createInterface } from 'node:readline';
import { Editor } from './editor.mjs';
import { Desk } from './desk.mjs';
import { stories } from './stories/index.mjs';

if (process.argv.includes('--list')) {
  console.log(Object.keys(stories).join('\n'));
  process.exit(0);
}

const { CODE: code, WORK: work, VSIX: vsix, RIG: rig, FIXTURES: fixtures } = process.env;
// VS Code takes PATH from the login shell, so that an agent is named in the settings.
const agents = process.env.RIG_AGENTS ? { 'rigwiki.agent': { claude: { command: `${process.env.RIG_AGENTS}/claude` } } } : {};
const editor = new Editor({ code, work, vsix, machine: { 'rigwiki.path': rig, ...agents }, env: { RIG_HOME: `${work}/home/.rig`, HOME: `${work}/home` } });
const desk = new Desk(editor, work, fixtures);
process.on('SIGINT', () => void editor.stop().finally(() => process.exit(130)));
const say = (message) => console.log(JSON.stringify(message));

try {
  await editor.start();
  say({ ok: 'started' });
  for await (const name of createInterface({ input: process.stdin })) {
    const start = Date.now();
    try {
      const story = stories[name];
      if (!story) {
        throw new Error(`there is no story ${name}`);
      }
      const lacking = story.needs?.();
      if (lacking) {
        say({ skip: lacking });
        continue;
      }
      await desk.begin(name, story);
      const note = await story.play(desk);
      say({ ok: name, ms: Date.now() - start, note });
    } catch (error) {
      say({ error: String(error?.stack ?? error), picture: await desk.picture(`failed-${name}`).catch(() => '') });
      await editor.closeWindow(); // the next story starts in a fresh one
    }
  }
} catch (error) {
  say({ error: String(error?.stack ?? error) });
} finally {
  await editor.stop();
}
