// What the review of a proposal shows, and what can be done in it.

/** Waits until the review of a run is open, and gives the proposal as the server tells it. */
export async function reviewOf(desk, title) {
  const tab = desk.page.locator('.tab.active', { hasText: `Review: ${title}` });
  await desk.until('the review is open', async () => {
    const failed = (await runs(desk)).find((r) => r.title === title && ['failed', 'incomplete', 'empty', 'timed-out'].includes(r.state));
    if (failed) {
      desk.assert.fail(`${failed.state}: ${failed.message}`);
    }
    return tab.isVisible();
  }, { bound: 60_000 });
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

/** Clicks a code lens of the review that stands over a line. The lens is of the diff of the page that is named last above it. */
export async function lens(desk, page, title) {
  const section = desk.page.locator('.multiDiffEntry', { has: desk.page.locator('.file-path .monaco-icon-label', { hasText: page }) });
  await section.locator('.modified .codelens-decoration a', { hasText: title }).first().click();
}

/** Clicks a command in the title of the editor. */
export async function titleCommand(desk, name) {
  await desk.page.locator('.editor-group-container.active .editor-actions .action-label').and(desk.page.getByRole('button', { name })).first().click();
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

/** Takes a run back with the button of the message that told of it, and looks whether all is as it was. */
export async function undone(desk, title) {
  await desk.toast(title, 'Undo');
  await desk.until('all is as before', () => desk.same());
}

/** Comes back to the review of a run and applies it. */
export async function apply(desk, run) {
  await desk.command('rigwiki.proposal.review', { run });
  await titleCommand(desk, 'Apply Proposal');
}
