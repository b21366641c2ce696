// What a person does with menus, the palette and the trees.

/** Takes a command of the palette, by the keys alone. */
export async function palette(desk, name) {
  await desk.until(`the palette offers ${name} first`, async () => {
    await desk.page.keyboard.press('Escape');
    await desk.page.keyboard.press('F1');
    await desk.page.locator('.quick-input-box input').waitFor({ timeout: 10_000 });
    await desk.page.keyboard.type(name);
    return focusedRow(desk, name).waitFor({ timeout: 10_000 }).then(() => true, () => false);
  });
  await desk.page.keyboard.press('Enter');
}

/** Takes a row of a quick pick by the keys: it is looked for by its text, and taken once it is the one that Enter takes. */
export async function pick(desk, text) {
  await desk.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first().waitFor();
  await desk.page.locator('.quick-input-box input').fill(text);
  await focusedRow(desk, text).waitFor();
  await desk.page.keyboard.press('Enter');
}

function focusedRow(desk, text) {
  return desk.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text }).first();
}

/**
 * Takes an entry of a context menu that `open` brings up. By Enter: VS Code's menus hear no click in their first 100 ms (menu.ts, runOnceToEnableMouseUp).
 * What is drawn anew below a menu closes it, and then Enter is for something else: the menu is brought up again until it hears it.
 */
export async function menu(desk, open, name) {
  const entry = desk.page.locator('.monaco-menu .action-item', { hasText: name }).first();
  const focused = desk.page.locator('.monaco-menu .action-item.focused', { hasText: name }).first();
  await desk.until(`the menu has ${name}`, async () => {
    await open();
    try {
      await entry.hover({ timeout: 5_000 });
      const item = await focused.elementHandle({ timeout: 2_000 });
      await item.evaluate((e) => {
        e.rigHeard = false;
        e.closest('.monaco-menu').addEventListener('keydown', () => (e.rigHeard = e.classList.contains('focused')), { capture: true, once: true });
      });
      await desk.page.keyboard.press('Enter');
      return await item.evaluate((e) => e.rigHeard);
    } catch {
      await desk.page.keyboard.press('Escape');
      return false;
    }
  }, { bound: 120_000 });
  await entry.waitFor({ state: 'detached' });
}

/** A row of the explorer, brought into view. */
export async function explorer(desk, rel) {
  const name = rel.split('/').pop();
  const row = desk.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first();
  await desk.until(`the explorer shows ${rel}`, async () => {
    await desk.host(`await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(argument))`, desk.path(rel));
    return row.waitFor({ timeout: 10_000 }).then(() => true, () => false);
  });
  return row;
}

/** A row of one of the trees of this extension ("proposals", "runs"). */
export async function treeRow(desk, view, text) {
  await desk.command(`rig.${view}.focus`);
  const row = desk.page.locator('.pane-body .monaco-list-row', { hasText: text }).first();
  await row.waitFor();
  return row;
}

/** Leaves a dialog without an answer. */
export async function leave(desk, dialog) {
  await desk.until('the dialog is gone', async () => {
    await desk.page.keyboard.press('Escape');
    return dialog.waitFor({ state: 'detached', timeout: 5_000 }).then(() => true, () => false);
  });
}

/** The text of a visible document whose address ends so, once it is open. */
export async function document(desk, end) {
  return desk.until(`${end} is open`, () =>
    desk.host(`return vscode.window.visibleTextEditors.map((e) => e.document).find((d) => d.uri.toString().endsWith(argument))?.getText()`, end),
  );
}
