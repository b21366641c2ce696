// What the review of a proposal shows, and what can be done in it.

import { press } from './mouse.mjs';

/** Waits until the review of a run is open, and gives the proposal as the server tells it. */
export async function reviewOf(desk, title) {
  const tab = desk.page.locator('.tab.active', { hasText: `Review: ${title}` });
  await desk.until('the review is open', async () => {
    const failed = (await runs(desk)).find((r) => r.title === title && ['failed', 'incomplete', 'empty', 'timed-out'].includes(r.state));
    if (failed) {
      desk.assert.fail(`${failed.state}: ${failed.message}`);
    }
    return tab.first().isVisible();
  }, { bound: 120_000 });
  const run = await desk.until('the proposal waits', async () => (await runs(desk)).find((r) => r.title === title && r.waits));
  return { run: run.run, shown: await desk.command('rigwiki.proposal.show', { run: run.run }) };
}

/** The runs of this wiki, newest first. */
export async function runs(desk) {
  return (await desk.command('rigwiki.runs', {})).runs.filter((r) => r.wiki === desk.wiki);
}

/** The state of a run. */
export async function stateOf(desk, run) {
  return (await runs(desk)).find((r) => r.run === run)?.state;
}

/** Marks the first change of a page by its code lens, "Accept" or "Reject". Whether it is marked the extension knows: a lens that is drawn anew is not clicked. */
export async function lens(desk, run, page, title) {
  const section = desk.page.locator('.multiDiffEntry', { has: desk.page.locator('.file-path .monaco-icon-label', { hasText: page.split('/').pop() }) });
  const link = section.locator('.modified .codelens-decoration a', { hasText: new RegExp(`^\\s*${title}\\s*$`) }).first();
  await desk.insist(`${title} of ${page} is heard`, () => link.click({ timeout: 10_000 }), () => marked(desk, run, page, `${title}ed`));
  await mark(desk, `${title}ed`);
}

/** Whether a change of a page is marked so, "Accepted" or "Rejected". */
export async function marked(desk, run, page, word) {
  return desk.host(
    `const uri = vscode.Uri.from({ scheme: 'rigwiki', authority: argument.run, path: argument.path });
     return (await vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri, 100)).some((l) => l.command?.title.endsWith(argument.word));`,
    { run, path: desk.path(page), word },
  );
}

/** Waits until a lens shows a mark. */
export async function mark(desk, word) {
  await desk.page.locator('.codelens-decoration a', { hasText: word }).first().waitFor();
}

/** Clicks a command in the title of the editor. */
export async function titleCommand(desk, name) {
  await press(desk, desk.page.locator('.editor-group-container.active .editor-actions .action-label').and(desk.page.getByRole('button', { name })));
}

/** The text of a page after some of its hunks, applied from the last to the first. */
export function patched(text, hunks) {
  const lines = text.split(/(?<=\n)/);
  for (const { header, text: diff } of [...hunks].reverse()) {
    const [, from, count] = /^@@ -(\d+)(?:,(\d+))?/.exec(header);
    const out = diff.split(/(?<=\n)/).filter((l) => /^[ +]/.test(l)).map((l) => l.slice(1));
    const start = count === '0' ? Number(from) : Number(from) - 1;
    lines.splice(start, Number(count ?? 1), ...out);
  }
  return lines.join('');
}

/** Ingests a source with an agent, and waits for the review. Everything here starts from a command, as the palette does. */
export async function proposal(desk, { source = 'raw/steps.md', agent = 'obedient', note } = {}) {
  await start(desk, { source, agent, note });
  return reviewOf(desk, `ingest ${source}`);
}

/** Starts the run of a source. */
export async function start(desk, { source = 'raw/steps.md', agent = 'obedient', note } = {}) {
  return desk.command('rigwiki.ingest', { uri: desk.uri(source), agent, ...(note && { note }) });
}

/** Waits until a run is in one of these states, and gives its entry. */
export async function ended(desk, run, ...states) {
  return desk.until(`the run is ${states.join(' or ')}`, async () => (await runs(desk)).find((r) => r.run === run && states.includes(r.state)));
}

/** What waits of a proposal, as "path" or "path#hunk". */
export async function waiting(desk, run) {
  const { files } = await desk.command('rigwiki.proposal.show', { run });
  return files.flatMap((f) => (f.hunks?.length ? f.hunks.filter((h) => h.state === 'waiting').map((h) => h.id) : f.state === 'waiting' ? [f.path] : []));
}

/** Takes a run back, with the button of the message that told of it where its title is given, and looks whether all is as it was. */
export async function undone(desk, { run, title }) {
  await (title ? desk.toast(title, 'Undo') : desk.command('rigwiki.run.undo', { run }));
  await desk.until('all is as before', async () => desk.same() && (await desk.unsaved(desk.wiki)).length === 0);
}

/** Comes back to the review of a run and applies it. */
export async function apply(desk, run) {
  await desk.command('rigwiki.proposal.review', { run });
  await titleCommand(desk, 'Apply Proposal');
}
