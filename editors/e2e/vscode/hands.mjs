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

/**
 * Takes an entry of a context menu that `open` brings up. By Enter: VS Code's menus hear no click in their first 100 ms (menu.ts, runOnceToEnableMouseUp).
 * What is drawn anew below a menu closes it: then it is brought up again.
 */
export async function menu(desk, open, name) {
  const entry = desk.page.locator('.monaco-menu .action-item', { hasText: name }).first();
  const soon = (wait) => wait.then(() => true, () => false);
  await desk.until(`the menu has ${name}`, async () => {
    await open();
    const focused = desk.page.locator('.monaco-menu .action-item.focused', { hasText: name });
    if (
      (await soon(entry.waitFor({ timeout: 5_000 }))) &&
      (await soon(entry.hover({ timeout: 2_000 }))) &&
      (await soon(focused.waitFor({ timeout: 2_000 })))
    ) {
      await desk.page.keyboard.press('Enter');
      return soon(entry.waitFor({ state: 'detached', timeout: 3_000 }));
    }
    await desk.page.keyboard.press('Escape');
    return false;
  });
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
  return desk.until(`${end} is open`, () => shown(desk, end));
}

function shown(desk, end) {
  return desk.host(`return vscode.window.visibleTextEditors.map((e) => e.document).find((d) => d.uri.toString().endsWith(argument))?.getText()`, end);
}

/** The text of a document that `act` opens, which is done again where it came to nothing: a tree that is drawn anew swallows what was meant for its row. */
export async function opened(desk, act, end) {
  for (let again = 3; ; again--) {
    await act();
    try {
      return await desk.until(`${end} is open`, () => shown(desk, end), { bound: again > 0 ? 8_000 : 30_000 });
    } catch (error) {
      if (again === 0) {
        throw error;
      }
    }
  }
}
