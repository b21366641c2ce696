// What a story works with: a wiki of its own in a window, eyes (the page), hands (keys, mouse), and VS Code's API.

import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import assert from 'node:assert/strict';
import { stories } from './stories/index.mjs';
import { clicked } from './mouse.mjs';
import { insist, until } from './until.mjs';

export class Desk {
  constructor(editor, work, fixtures) {
    Object.assign(this, { editor, work, fixtures, until, insist, assert });
  }

  get page() {
    return this.editor.page;
  }

  /** Lays out the wikis of all stories that share a window, once, and opens the window where it is not open. */
  async begin(name, story) {
    this.wiki = join(this.work, 'wikis', name);
    if (!existsSync(this.wiki)) {
      this.#layOut();
    }
    const alone = story.window !== undefined;
    const settings = { ...this.reset, ...story.settings }; // what the story before set holds no more
    this.reset = Object.fromEntries(Object.keys(story.settings ?? {}).map((key) => [key, null]));
    if (alone || !this.page || this.alone) {
      this.editor.settings({ ...story.window?.settings });
      await this.editor.open(alone ? this.wiki : join(this.work, 'stories.code-workspace'), story.window?.language);
      this.alone = alone;
    }
    await this.until('the server is ready', async () => story.window?.noServer || (await this.host(`return vscode.commands.getCommands(true)`)).includes('rigwiki.ingest'));
    await this.tidy();
    await this.host(
      `for (const [key, value] of Object.entries(argument)) { await vscode.workspace.getConfiguration().update(key, value ?? undefined, vscode.ConfigurationTarget.Global); }`,
      settings,
    );
    this.before = this.files();
  }

  #layOut() {
    cpSync(join(this.fixtures, 'adapters'), join(this.work, 'home/.rig/adapters'), { recursive: true });
    const folders = [];
    for (const [name, story] of Object.entries(stories)) {
      const root = join(this.work, 'wikis', name);
      if (!story.bare) {
        cpSync(join(this.fixtures, 'wiki'), root, { recursive: true });
      }
      for (const [path, text] of Object.entries(story.files ?? {})) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      story.prepare?.(root, join(this.work, 'home'));
      if (story.window === undefined) {
        folders.push({ path: root });
      }
    }
    writeFileSync(join(this.work, 'stories.code-workspace'), JSON.stringify({ folders }));
  }

  /** Closes all editors of the story before, and fails where it left something unsaved. */
  async tidy() {
    await this.until('nothing is left unsaved', async () => {
      const left = await this.unsaved(join(this.work, 'wikis'));
      if (left.length > 0) throw new Error(left.join());
      return true;
    });
    await this.command('workbench.action.closeAllEditors');
    await this.command('notifications.clearAll');
  }

  /** Runs code in the extension host. */
  host(body, argument) {
    return this.editor.probe.run(body, argument);
  }

  command(name, ...args) {
    return this.host(`return vscode.commands.executeCommand(argument.name, ...argument.args).then((v) => JSON.parse(JSON.stringify(v ?? null)), (e) => { throw e })`, { name, args });
  }

  path(rel) {
    return join(this.wiki, rel);
  }

  uri(rel) {
    return `file://${this.path(rel).split('/').map(encodeURIComponent).join('/')}`;
  }

  read(rel) {
    return readFileSync(this.path(rel));
  }

  text(rel) {
    return this.read(rel).toString();
  }

  /** Writes a file of the wiki as another program would, before it is looked at. */
  write(rel, text) {
    mkdirSync(dirname(this.path(rel)), { recursive: true });
    writeFileSync(this.path(rel), text);
  }

  has(rel) {
    return existsSync(this.path(rel));
  }

  /** All files of the wiki but those of rig and git, by path, as text: the wikis of the stories are UTF-8. */
  files() {
    const all = {};
    const walk = (dir) => {
      for (const entry of readdirSync(dir)) {
        const path = join(dir, entry);
        if (statSync(path).isDirectory()) {
          if (entry !== '.rig' && entry !== '.git') walk(path);
        } else {
          all[relative(this.wiki, path)] = readFileSync(path).toString();
        }
      }
    };
    walk(this.wiki);
    return all;
  }

  /** Waits until pages have these texts on disk, and nothing of the wiki is unsaved. */
  async saved(pages) {
    const there = () => Object.keys(pages).every((rel) => this.has(rel) && this.text(rel) === pages[rel]);
    try {
      await this.until('the pages are saved', async () => there() && (await this.unsaved(this.wiki)).length === 0);
    } catch (error) {
      this.assert.deepEqual(Object.fromEntries(Object.keys(pages).map((rel) => [rel, this.has(rel) ? this.text(rel) : undefined])), pages);
      throw error;
    }
  }

  /** The pages below a folder that have unsaved text. */
  unsaved(dir) {
    return this.host(`return vscode.workspace.textDocuments.filter((d) => d.isDirty && d.uri.path.startsWith(argument)).map((d) => d.uri.path)`, `${dir}/`);
  }

  /** Whether the wiki is as it was when the story began. */
  same() {
    return JSON.stringify(this.files()) === JSON.stringify(this.before);
  }

  /** Opens a page of the wiki, with the cursor at a text in it where one is given. */
  async show(rel, at, { select = false } = {}) {
    await this.host(
      `const doc = await vscode.workspace.openTextDocument(vscode.Uri.file(argument.path));
       const from = argument.at === undefined ? 0 : doc.getText().indexOf(argument.at);
       if (from < 0) throw new Error(argument.at + ' is not in ' + argument.path);
       const to = from + (argument.select ? argument.at.length : 0);
       await vscode.window.showTextDocument(doc, { preview: false, selection: new vscode.Range(doc.positionAt(from), doc.positionAt(to)) });`,
      { path: this.path(rel), at, select },
    );
  }

  /** Takes an entry of the light bulb's menu, once the server offers it: providers come late. */
  async lightBulb(title) {
    const widget = this.page.locator('.action-widget');
    const row = widget.locator('.monaco-list-row', { hasText: title });
    await this.until(`the server offers ${title}`, () =>
      this.host(
        `const e = vscode.window.activeTextEditor;
         return (await vscode.commands.executeCommand('vscode.executeCodeActionProvider', e.document.uri, e.selection)).some((a) => a.title.includes(argument));`,
        title,
      ),
    );
    await this.until(`the light bulb offers ${title}`, async () => {
      await this.command('workbench.action.focusActiveEditorGroup');
      await this.page.keyboard.press('Control+.');
      if (await row.first().waitFor({ timeout: 10_000 }).then(() => true, () => false)) {
        const box = await row.first().boundingBox();
        await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2); // takes away the block that lies over the rows (actionWidget.ts)
        return clicked(row.first(), { timeout: 3_000 });
      }
      await this.page.keyboard.press('Escape'); // a second Ctrl+. would take what is chosen
      await widget.waitFor({ state: 'detached' });
      return false;
    }, { bound: 120_000 });
  }

  /** Types into the editor that has the focus. */
  async type(text) {
    await this.until('the editor has the keys', async () => {
      await this.command('workbench.action.focusActiveEditorGroup');
      return this.page.locator('.editor-group-container.active .monaco-editor.focused').first().isVisible();
    });
    await this.page.keyboard.type(text);
  }

  /** The text of a document as the editor has it. */
  async buffer(rel) {
    return this.host(`return vscode.workspace.textDocuments.find((d) => d.uri.scheme === 'file' && d.uri.fsPath === argument)?.getText()`, this.path(rel));
  }

  /** The labels of all tabs. */
  async tabs() {
    return this.host(`return vscode.window.tabGroups.all.flatMap((g) => g.tabs.map((t) => t.label))`);
  }

  /**
   * Waits for a notification whose text contains `text`, clicks a button of it where one is named, and gives what it says. It is looked for in the list
   * as well: VS Code shows a toast for some seconds, three at once, and none where many come in a moment (notificationsToasts.ts).
   */
  async toast(text, button) {
    const within = (place) => {
      const all = this.page.locator(place, { hasText: text });
      return (button ? all.filter({ has: this.page.locator('.monaco-button', { hasText: button }) }) : all).first();
    };
    const soon = (found) => found.waitFor({ timeout: 8_000 }).then(() => found, () => undefined);
    return this.until(`it is told: ${text} ${button ?? ''}`, async () => {
      let found = await soon(within('.notification-toast'));
      if (!found) {
        await this.command('notifications.showList');
        found = await soon(within('.notifications-center .notification-list-item'));
      }
      const said = found && (await found.innerText({ timeout: 5_000 }));
      const heard = found && (!button || (await clicked(found.locator('.monaco-button', { hasText: button }).first())));
      await this.command('notifications.hideList');
      return heard && said;
    });
  }

  /** Keeps a picture of the window. */
  async picture(name) {
    const dir = process.env.PICTURES || join(this.work, 'pictures');
    mkdirSync(dir, { recursive: true });
    const path = join(dir, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }
}
