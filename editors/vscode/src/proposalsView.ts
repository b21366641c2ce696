// The tree of proposals that wait: pages with boxes to tick, flags as badges, what was refused with its reason.

import * as vscode from 'vscode';
import { pageFile, pageOf } from './addresses';
import { told } from './failures';
import { partsOf } from './hunks';
import type { Refusal, ShownFile } from './protocol';
import type { Proposals } from './proposals';
import type { Run } from './runs';

export type ProposalNode =
  | { kind: 'run'; run: Run }
  | { kind: 'page'; run: Run; file: ShownFile }
  | { kind: 'refused'; run: Run; refused: Refusal[] }
  | { kind: 'refusal'; run: Run; refusal: Refusal };

export class ProposalsView implements vscode.TreeDataProvider<ProposalNode>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  private readonly subscription: vscode.Disposable;
  private readonly view: vscode.TreeView<ProposalNode>;
  readonly onDidChangeTreeData = this.emitter.event;

  constructor(private readonly proposals: Proposals) {
    this.view = vscode.window.createTreeView('rig.proposals', { treeDataProvider: this, manageCheckboxStateManually: true, showCollapseAll: true });
    this.subscription = vscode.Disposable.from(
      this.view,
      this.view.onDidChangeCheckboxState(({ items }) => told(this.tick(items))),
      proposals.onDidChange(() => this.refresh()),
    );
  }

  getTreeItem(node: ProposalNode): vscode.TreeItem {
    switch (node.kind) {
      case 'run': return runItem(node.run);
      case 'page': return this.pageItem(node.run, node.file);
      case 'refused': return refusedItem(node.refused);
      case 'refusal': return refusalItem(node.refusal);
    }
  }

  async getChildren(node?: ProposalNode): Promise<ProposalNode[]> {
    if (!node) {
      return this.proposals.waiting().map((run) => ({ kind: 'run', run }));
    }
    if (node.kind === 'refused') {
      return node.refused.map((refusal) => ({ kind: 'refusal', run: node.run, refusal }));
    }
    if (node.kind !== 'run') {
      return [];
    }
    const shown = await this.proposals.show(node.run.run);
    const pages: ProposalNode[] = shown.files.map((file) => ({ kind: 'page', run: node.run, file }));
    return shown.refused.length === 0 ? pages : [...pages, { kind: 'refused', run: node.run, refused: shown.refused }];
  }

  dispose(): void {
    this.subscription.dispose();
    this.emitter.dispose();
  }

  private refresh(): void {
    const waits = this.proposals.waiting().length;
    this.view.badge = waits > 0 ? { value: waits, tooltip: vscode.l10n.t('{0} proposals wait', waits) } : undefined;
    this.emitter.fire(undefined);
  }

  /** A tick takes the page with Apply, flagged or not; none leaves it waiting. */
  private async tick(items: readonly [ProposalNode, vscode.TreeItemCheckboxState][]): Promise<void> {
    for (const [node, state] of items) {
      if (node.kind === 'page') {
        const ticked = state === vscode.TreeItemCheckboxState.Checked;
        const flagged = node.file.flags.length > 0;
        await this.proposals.setMarks(node.run.run, partsOf(node.file), undefined);
        if (ticked === flagged) {
          await this.proposals.setMarks(node.run.run, partsOf(node.file), ticked ? 'accepted' : 'later');
        }
      }
    }
  }

  private pageItem(run: Run, file: ShownFile): vscode.TreeItem {
    const item = new vscode.TreeItem(pageFile(run, file.path), vscode.TreeItemCollapsibleState.None);
    const parts = partsOf(file);
    const taken = parts.filter((p) => this.proposals.taken(run.run, p)).length;
    item.label = file.path;
    item.contextValue = 'page';
    item.iconPath = new vscode.ThemeIcon(icons[file.kind]);
    if (parts.some((p) => p.waits)) {
      item.checkboxState = {
        state: taken > 0 ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked,
        tooltip: taken > 0 ? vscode.l10n.t('Apply takes {0} of {1} changes', taken, parts.length) : vscode.l10n.t('Apply leaves this page waiting'),
        accessibilityInformation: { label: vscode.l10n.t('Take {0} with Apply', file.path), role: 'checkbox' },
      };
    }
    const flags = file.flags.length > 0 ? ` ⚑ ${file.flags.join(', ')}` : '';
    const some = taken > 0 && taken < parts.length ? ` (${taken}/${parts.length})` : '';
    item.description = `+${file.added} −${file.removed}${some}${flags}`;
    item.tooltip = [file.path, ...(file.reasons ?? []).map((f) => `${f.rule}: ${f.reason}`)].join('\n');
    item.id = `${run.run}/${file.path}`;
    const left = parts.some((p) => p.waits) && taken === 0 ? [vscode.l10n.t('Apply leaves this page waiting')] : [];
    item.accessibilityInformation = { label: [file.path, words[file.kind](), ...left, vscode.l10n.t('{0} lines added, {1} removed', file.added, file.removed), ...(file.reasons ?? []).map((f) => vscode.l10n.t('flagged: {0}', f.reason))].join(', ') };
    item.command = {
      title: vscode.l10n.t('Show the change'),
      command: file.kind === 'edit' || file.kind === 'rename' ? 'vscode.diff' : 'vscode.open',
      arguments: file.kind === 'edit' || file.kind === 'rename'
        ? [pageOf(run, file.from ?? file.path, 'base'), pageOf(run, file.path), file.path]
        : [pageOf(run, file.path, file.kind === 'delete' ? 'base' : undefined)],
    };
    return item;
  }
}

const icons = { create: 'new-file', edit: 'edit', rename: 'arrow-right', delete: 'trash' } as const;

const words = {
  create: () => vscode.l10n.t('new page'),
  edit: () => vscode.l10n.t('changed page'),
  rename: () => vscode.l10n.t('renamed page'),
  delete: () => vscode.l10n.t('deleted page'),
};

function runItem(run: Run): vscode.TreeItem {
  const item = new vscode.TreeItem(run.title, vscode.TreeItemCollapsibleState.Expanded);
  item.id = run.run;
  item.contextValue = 'proposal';
  item.iconPath = new vscode.ThemeIcon('git-pull-request');
  item.description = [run.agent, vscode.l10n.t('{0} pages', run.files), run.refused.length > 0 ? vscode.l10n.t('{0} refused', run.refused.length) : ''].filter(Boolean).join(' · ');
  item.tooltip = run.message;
  item.accessibilityInformation = { label: vscode.l10n.t('Proposal: {0}, {1}', run.title, String(item.description)) };
  return item;
}

function refusedItem(refused: Refusal[]): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Refused: {0}', refused.length), vscode.TreeItemCollapsibleState.Expanded);
  item.iconPath = new vscode.ThemeIcon('circle-slash');
  return item;
}

function refusalItem(refusal: Refusal): vscode.TreeItem {
  const item = new vscode.TreeItem(refusal.path, vscode.TreeItemCollapsibleState.None);
  item.iconPath = new vscode.ThemeIcon('error');
  item.description = refusal.rule;
  item.tooltip = `${refusal.rule}: ${refusal.reason}`;
  item.accessibilityInformation = { label: vscode.l10n.t('refused: {0}, {1}', refusal.path, refusal.reason) };
  return item;
}
