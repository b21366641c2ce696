// What the review of a proposal shows, and what can be done in it.

/** Waits until the review of a run is open, and gives the proposal as the server tells it. */
export async function reviewOf(desk, title) {
  await desk.page.locator('.tab.active', { hasText: `Review: ${title}` }).waitFor({ timeout: 60_000 });
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
