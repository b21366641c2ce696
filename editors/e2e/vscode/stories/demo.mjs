// The demo runs in a terminal, which stays open with what it showed.

export const demo = {
  async play(desk) {
    const { assert } = desk;
    const ended = await desk.host(
      `return new Promise((resolve, reject) => {
         const said = vscode.tasks.onDidEndTaskProcess((e) => { said.dispose(); resolve({ name: e.execution.task.name, code: e.exitCode }); });
         vscode.commands.executeCommand('rig.demo').then(undefined, reject);
       });`,
    );
    assert.deepEqual(ended, { name: 'demo', code: 0 });
    await desk.page.locator('.terminal-wrapper.active').first().waitFor();
    assert.equal(await desk.host('return vscode.window.terminals.length'), 1, 'it stays to be read');
    await desk.picture('demo');
    await desk.host('vscode.window.terminals.forEach((t) => t.dispose())');
    await desk.command('workbench.action.closePanel');
  },
};
