// VS Code in a browser: one server, one browser, one window at a time.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync, openSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { Probe } from './probe.mjs';
import { servers } from './servers.mjs';
import { until } from './until.mjs';

const quiet = {
  'files.hotExit': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'git.enabled': false,
  'security.workspace.trust.enabled': false,
  'files.autoSave': 'off', // the browser's default is on
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.minimap.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
};

/** What a state of the page is waited for at most, milliseconds: a guard, no measure. */
const hang = 180_000;

const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
];

/** `code` is what vscode-install made, `work` an empty folder of ours, `machine` are settings of the machine: where rig and agents are. */
export class Editor {
  constructor({ code, work, vsix, machine, env }) {
    Object.assign(this, { code, work, vsix, machine, env });
    this.probe = new Probe();
    this.userData = join(work, 'user');
    this.extensions = join(work, 'extensions');
  }

  async start() {
    const probePort = await this.probe.listen();
    this.settings({});
    mkdirSync(this.extensions, { recursive: true });
    cpSync(new URL('./probe', import.meta.url).pathname, join(this.extensions, 'rigwiki-e2e.probe-0.0.1'), { recursive: true });
    const env = { ...process.env, ...this.env, RIG_PROBE: String(probePort) };
    const install = spawn(join(this.code, 'code-server'), [...this.#folders(), '--install-extension', this.vsix, '--force'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [code] = await once(install, 'exit');
    if (code !== 0) {
      throw new Error(`the VSIX cannot be installed: ${code}`);
    }
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    const log = openSync(join(this.work, 'code-server.log'), 'a');
    this.server = spawn(join(this.code, 'code-server'), [
      ...this.#folders(), '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check',
      '--disable-getting-started-override', '--reconnection-grace-time', '1',
    ], { env, stdio: ['ignore', log, log] });
    await until('code-server answers', async () => (await fetch(`${this.url}/healthz`).catch(() => undefined))?.ok);
    const { chromium } = createRequire(join(this.code, 'package.json'))('playwright-core');
    this.browser = await chromium.launch({ executablePath: process.env.RIG_CHROMIUM ?? '/usr/bin/chromium', args: flags });
  }

  /** Writes the settings: the quiet ones, those of the machine, and these. */
  settings(more) {
    mkdirSync(join(this.userData, 'User'), { recursive: true });
    const all = { ...quiet, ...this.machine, ...more };
    writeFileSync(join(this.userData, 'User', 'settings.json'), JSON.stringify(all, null, 2));
    // Settings of the machine are read from there when a window starts, and from the user's a moment later.
    mkdirSync(join(this.userData, 'Machine'), { recursive: true });
    writeFileSync(join(this.userData, 'Machine', 'settings.json'), JSON.stringify(Object.fromEntries(Object.keys(this.machine).map((key) => [key, all[key]]))));
  }

  /** Opens a folder or a .code-workspace file in a new window, and waits until its extensions run. VS Code's own texts stay English in any language. */
  async open(path, language = 'en') {
    await this.closeWindow();
    this.page = await this.browser.newPage({ viewport: { width: 1360, height: 850 } });
    this.page.setDefaultTimeout(hang);
    await this.page.addInitScript(() => localStorage.setItem('vscode-web-language', 'en'));
    await this.page.addInitScript((l) => (globalThis._VSCODE_NLS_LANGUAGE = l), language); // what a language pack sets
    await this.load(path);
  }

  /** Loads the window, anew where it is open already. */
  async load(path) {
    const ready = this.probe.next();
    const what = path.endsWith('.code-workspace') ? 'workspace' : 'folder';
    await this.page.goto(`${this.url}/?${what}=${encodeURIComponent(path)}`);
    await Promise.race([ready, this.page.waitForTimeout(hang).then(() => Promise.reject(new Error('the extension host does not start')))]);
  }

  /** The rig program that came with the extension. */
  bundled() {
    const extension = readdirSync(this.extensions).find((name) => name.startsWith('rigwiki.rig-wiki-'));
    return join(this.extensions, extension, 'bin', 'rig');
  }

  async closeWindow() {
    await this.page?.close();
    this.page = undefined;
    rmSync(join(this.userData, 'User', 'Backups'), { recursive: true, force: true }); // unsaved text of the window before comes back otherwise
  }

  async stop() {
    await this.browser?.close();
    this.probe.close();
    if (this.server && this.server.exitCode === null) {
      this.server.kill('SIGTERM');
      await once(this.server, 'exit');
    }
    // They end after the extension host, and write their records until then.
    await until('the servers have ended', () => servers(this.machine['rigwiki.path']).length === 0);
  }

  #folders() {
    return ['--user-data-dir', this.userData, '--extensions-dir', this.extensions];
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
