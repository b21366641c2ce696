// The tree of runs, by what became of them, each with its timeline, cost and refusals.

import * as vscode from 'vscode';
import type { RunState } from './protocol';
import type { Run, Runs } from './runs';

interface Group {
  id: string;
  label: () => string;
  icon: string;
  has: (run: Run) => boolean;
}

const inState = (...states: RunState[]) => (run: Run) => states.includes(run.state);

/** In the order of the tree. */
const groups: Group[] = [
  { id: 'queued', label: () => vscode.l10n.t('Queued'), icon: 'clock', has: inState('queued') },
  { id: 'running', label: () => vscode.l10n.t('Running'), icon: 'sync', has: inState('running') },
  { id: 'waiting', label: () => vscode.l10n.t('Waiting'), icon: 'git-pull-request', has: (r) => r.waits || r.state === 'proposed' },
  { id: 'applied', label: () => vscode.l10n.t('Applied'), icon: 'check', has: (r) => !r.waits && inState('applied', 'partly')(r) },
  { id: 'answered', label: () => vscode.l10n.t('Answered'), icon: 'comment', has: (r) => r.state === 'done' && r.op === 'query' },
  { id: 'done', label: () => vscode.l10n.t('Done'), icon: 'pass', has: (r) => r.state === 'done' && r.op !== 'query' },
  { id: 'failed', label: () => vscode.l10n.t('Failed'), icon: 'error', has: inState('failed', 'incomplete', 'timed-out', 'cancelled', 'empty') },
  { id: 'discarded', label: () => vscode.l10n.t('Discarded'), icon: 'trash', has: inState('discarded') },
];

export type RunNode = { kind: 'group'; group: Group } | { kind: 'run'; run: Run } | { kind: 'line'; label: string; icon: string; tip?: string };

export class RunsView implements vscode.TreeDataProvider<RunNode>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  private readonly subscription: vscode.Disposable;
  readonly onDidChangeTreeData = this.emitter.event;

  constructor(private readonly runs: Runs) {
    this.subscription = vscode.Disposable.from(
      vscode.window.createTreeView('rig.runs', { treeDataProvider: this, showCollapseAll: true }),
      runs.onDidChange(() => this.emitter.fire(undefined)),
    );
  }

  getTreeItem(node: RunNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group': return this.groupItem(node.group);
      case 'run': return runItem(node.run);
      case 'line': return lineItem(node);
    }
  }

  getChildren(node?: RunNode): RunNode[] {
    if (!node) {
      return groups.filter((g) => this.runs.all().some(g.has)).map((group) => ({ kind: 'group', group }));
    }
    if (node.kind === 'group') {
      return this.runs.all().filter(node.group.has).map((run) => ({ kind: 'run', run }));
    }
    return node.kind === 'run' ? linesOf(node.run) : [];
  }

  dispose(): void {
    this.subscription.dispose();
    this.emitter.dispose();
  }

  private groupItem(group: Group): vscode.TreeItem {
    const item = new vscode.TreeItem(group.label(), vscode.TreeItemCollapsibleState.Expanded);
    item.id = group.id;
    item.iconPath = new vscode.ThemeIcon(group.icon);
    item.description = String(this.runs.all().filter(group.has).length);
    return item;
  }
}

function runItem(run: Run): vscode.TreeItem {
  const item = new vscode.TreeItem(run.title, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = run.run;
  item.description = [run.agent, run.state === 'running' ? run.line : ''].filter(Boolean).join(' · ');
  item.tooltip = [run.run, run.message].filter(Boolean).join('\n');
  item.contextValue = ['run', run.state, run.undoable ? 'undoable' : '', run.waits ? 'waits' : ''].filter(Boolean).join(' ');
  item.accessibilityInformation = { label: [run.title, run.agent, run.state, run.message].filter(Boolean).join(', ') };
  return item;
}

/** What is told of a run: its end, cost, refusals, then the timeline. */
function linesOf(run: Run): RunNode[] {
  const lines: RunNode[] = [];
  const add = (icon: string, label: string | undefined, tip?: string) => label && lines.push({ kind: 'line', icon, label, ...(tip && { tip }) });
  add('info', run.message);
  add('watch', run.durationMs > 0 ? vscode.l10n.t('took {0} s', (run.durationMs / 1000).toFixed(1)) : undefined);
  add('credit-card', costOf(run));
  run.refused.forEach((r) => add('circle-slash', vscode.l10n.t('refused {0}: {1}', r.path, r.rule), r.reason));
  run.events.filter((e) => e.summary).forEach((e) => add('debug-step-over', e.summary));
  return lines;
}

function costOf({ usage }: Run): string | undefined {
  if (!usage) {
    return undefined;
  }
  const tokens = vscode.l10n.t('{0} tokens in, {1} out', usage.inputTokens ?? 0, usage.outputTokens ?? 0);
  return usage.costUSD ? `${tokens} · $${usage.costUSD.toFixed(4)}` : tokens;
}

function lineItem(node: { label: string; icon: string; tip?: string }): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.None);
  item.iconPath = new vscode.ThemeIcon(node.icon);
  item.tooltip = node.tip ?? node.label;
  return item;
}
