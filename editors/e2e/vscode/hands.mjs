// What a person does with menus, the palette and the trees.

/** Takes a command of the palette, by the keys alone. */
export async function palette(desk, name) {
  const row = desk.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first();
  await desk.until(`the palette offers ${name}`, async () => {
    await desk.page.keyboard.press('Escape');
    await desk.page.keyboard.press('F1');
    await desk.page.locator('.quick-input-box input').waitFor({ timeout: 10_000 });
    await desk.page.keyboard.type(name);
    return row.waitFor({ timeout: 10_000 }).then(() => true, () => false);
  });
  await desk.until('it is the first', async () => (await desk.page.locator('.quick-input-list .monaco-list-row.focused').innerText()).includes(name));
  await desk.page.keyboard.press('Enter');
}

/** Takes an entry of a context menu that `open` brings up. */
export async function menu(desk, open, name) {
  const entry = desk.page.locator('.monaco-menu .action-item', { hasText: name }).first();
  await desk.until(`the menu has ${name}`, async () => {
    await open();
    if (await entry.waitFor({ timeout: 10_000 }).then(() => true, () => false)) {
      return true;
    }
    await desk.page.keyboard.press('Escape');
    return false;
  });
  await entry.click();
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

/** The text of a visible document whose address ends so, once it is open. */
export async function document(desk, end) {
  return desk.until(`${end} is open`, () =>
    desk.host(`return vscode.window.visibleTextEditors.map((e) => e.document).find((d) => d.uri.toString().endsWith(argument))?.getText()`, end),
  );
}
