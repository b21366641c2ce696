// The review of a proposal: all pages in one multi-file diff, with its commands in the editor's title.

import * as vscode from 'vscode';
import { pageFile, pageOf, runOf } from './addresses';
import { after } from './after';
import type { ShownFile } from './protocol';
import type { Proposals } from './proposals';
import type { Run } from './runs';

/** How long an opening is waited for by the next one, milliseconds: one that hangs must not bar the others. */
const openWait = 30_000;

export class Review implements vscode.Disposable {
  /** Runs by the title of their review: a multi-file diff tells its title only. */
  private readonly byTitle = new Map<string, string>();
  private readonly subscription: vscode.Disposable;
  /** The opening that is under way, or the last one. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly proposals: Proposals) {
    const tabs = vscode.window.tabGroups;
    this.subscription = vscode.Disposable.from(
      tabs.onDidChangeTabs(() => this.tell()),
      tabs.onDidChangeTabGroups(() => this.tell()),
      vscode.window.onDidChangeActiveTextEditor(() => this.tell()),
    );
  }

  /** Opens the review of a proposal, or says why there is nothing to see. One after the other: two at once would be one tab, of which the last is kept. */
  open(id: string): Promise<void> {
    const opened = Promise.race([this.turn, after(openWait)]).then(() => this.show(id));
    this.turn = opened.catch(() => undefined); // who asked for it has the error
    return opened;
  }

  /** The run that is looked at: of the review, or of a proposed page. */
  current(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const document = vscode.window.activeTextEditor?.document.uri;
    return (tab && this.shownIn(tab)) ?? (document && runOf(document)?.run);
  }

  /** Closes the review of a run that is decided. */
  async close(run: string): Promise<void> {
    await closeTabs((t) => this.shownIn(t) === run || isPageOf(t, run));
    [...this.byTitle].filter(([, id]) => id === run).forEach(([title]) => this.byTitle.delete(title));
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** The run whose review a tab is. VS Code says how many files there are behind the title. */
  private shownIn({ label }: vscode.Tab): string | undefined {
    return this.byTitle.get(label) ?? this.byTitle.get(label.replace(/ \([^()]*\)$/, ''));
  }

  private async show(id: string): Promise<void> {
    const run = this.proposals.run(id);
    const shown = await this.proposals.show(id);
    if (!run || shown.files.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Nothing of this proposal waits.'));
      return;
    }
    const title = this.titleOf(run);
    this.byTitle.set(title, id);
    await closeTabs((t) => this.shownIn(t) === id); // what waited before is shown anew
    await vscode.commands.executeCommand('vscode.changes', title, shown.files.map((f) => sides(run, f)));
    await vscode.commands.executeCommand('workbench.action.keepEditor'); // it would be replaced by the next page that is looked at
    this.tell();
  }

  /** Tells the menus whether a proposal is looked at. */
  private tell(): void {
    const run = this.current();
    void vscode.commands.executeCommand('setContext', 'rig.review', run !== undefined && this.proposals.waiting().some((r) => r.run === run));
  }

  private titleOf(run: Run): string {
    const title = vscode.l10n.t('Review: {0}', run.title);
    const taken = (t: string) => (this.byTitle.get(t) ?? run.run) !== run.run;
    const named = `${title} – ${run.wiki.split(/[\\/]/).pop()}`;
    return !taken(title) ? title : !taken(named) ? named : `${title} – ${run.run}`;
  }
}

/** A page as `vscode.changes` takes it: what it is called, before, after. */
function sides(run: Run, file: ShownFile): [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined] {
  return [
    pageFile(run, file.path),
    file.kind === 'create' ? undefined : pageOf(run, file.from ?? file.path, 'base'),
    file.kind === 'delete' ? undefined : pageOf(run, file.path),
  ];
}

async function closeTabs(meant: (tab: vscode.Tab) => boolean): Promise<void> {
  for (const tab of vscode.window.tabGroups.all.flatMap((g) => g.tabs).filter(meant)) {
    // One that was closed or moved meanwhile is another tab now, or none: it stays as the user wants it.
    await vscode.window.tabGroups.close(tab, true).then(undefined, () => false);
  }
}

function isPageOf(tab: vscode.Tab, run: string): boolean {
  const input = tab.input;
  const uri = input instanceof vscode.TabInputText ? input.uri : input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
  const at = uri && runOf(uri);
  return at?.run === run && (at.side === '' || at.side === 'diff');
}

/**
 * Lets VS Code start what a review of pages waits for, while the agent works: its own support for markdown, which the first markdown page that is opened
 * starts otherwise. Where it is off there is nothing to start.
 */
export async function prepare(): Promise<void> {
  await vscode.extensions.getExtension('vscode.markdown-language-features')?.activate();
}
