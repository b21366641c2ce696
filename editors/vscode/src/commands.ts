// The commands, in the order of package.json.

import * as vscode from 'vscode';
import { documentOf } from './addresses';
import type { Agents } from './agents';
import type { Answers } from './answer';
import { wikiVerb } from './binary';
import type { Comments } from './comments';
import { sentence } from './failures';
import { newLines, partsOf } from './hunks';
import { pageShown, type PartAt } from './lenses';
import { mayRun } from './middleware';
import type { ProposalNode } from './proposalsView';
import { type Mark, partsOfPage, type Proposals } from './proposals';
import type { Review } from './review';
import type { Runs } from './runs';
import type { RunNode } from './runsView';
import type { Server } from './server';
import type { Starter } from './start';

export interface Parts {
  server: Server;
  runs: Runs;
  proposals: Proposals;
  review: Review;
  comments: Comments;
  starter: Starter;
  agents: Agents;
  answers: Answers;
  output: vscode.LogOutputChannel;
}

/** What a command of a hunk is called with: by a lens the hunk, by the menu of the line numbers a line (from 1), by other menus the document. */
type Where = PartAt | { uri: vscode.Uri; lineNumber: number } | vscode.Uri;

type Node = ProposalNode | RunNode | undefined;

/** What each command does. */
function table(p: Parts): Record<string, (...args: never[]) => unknown> {
  return {
    'rig.init': (uri?: vscode.Uri) => init(p, uri),
    'rig.demo': () => demo(p),
    'rig.ingest': (uri?: vscode.Uri, several?: vscode.Uri[]) => p.starter.ingest(uri, several),
    'rig.ask': () => p.starter.ask(),
    'rig.lint': () => p.starter.lint(),
    'rig.fetch': () => p.starter.fetch(),
    'rig.work': (uri?: vscode.Uri) => p.starter.task('work', uri),
    'rig.actPr': (uri?: vscode.Uri) => p.starter.task('actPr', uri),
    'rig.reviewTask': (uri?: vscode.Uri) => p.starter.task('review', uri),
    'rig.agent': () => p.agents.pick(),
    'rig.answer.file': (uri?: vscode.Uri) => p.answers.file(uri),
    'rig.review': (node: Node) => onProposal(p, node, (run) => p.review.open(run)),
    'rig.apply': (node: Node) => onProposal(p, node, (run) => apply(p, run, 'taken')),
    'rig.applyAccepted': (node: Node) => onProposal(p, node, (run) => apply(p, run, 'accepted')),
    'rig.discard': (node: Node) => onProposal(p, node, (run) => discard(p, run)),
    'rig.revise': (node: Node) => onProposal(p, node, (run) => revise(p, run)),
    'rig.hunk.accept': (at?: Where) => mark(p, at, 'accepted'),
    'rig.hunk.reject': (at?: Where) => mark(p, at, 'rejected'),
    'rig.hunk.why': (at?: Where) => why(p, at),
    'rig.page.reject': (node: Node) => node?.kind === 'page' && p.proposals.setMarks(node.run.run, partsOfPage({ run: '', state: 'proposed', files: [node.file], refused: [] }, node.file.path), 'rejected'),
    'rig.comment.add': (reply: vscode.CommentReply) => p.comments.add(reply),
    'rig.comment.remove': (thread: vscode.CommentThread) => p.comments.remove(thread),
    'rig.run.cancel': (node: Node) => onRun(p, node, (r) => r.state === 'queued' || r.state === 'running', (run) => p.server.execute('rigwiki.cancel', { run })),
    'rig.undo': (node: Node) => onRun(p, node, (r) => r.undoable, (run) => p.server.execute('rigwiki.run.undo', { run })),
    'rig.run.report': (node: Node) => onRun(p, node, () => true, (run) => show(run, 'report', 'report.md')),
    'rig.run.prompt': (node: Node) => onRun(p, node, () => true, (run) => show(run, 'prompt', 'prompt.md')),
    'rig.run.timeline': (node: Node) => onRun(p, node, () => true, (run) => show(run, 'timeline', 'timeline.md')),
    'rig.refresh': () => (p.proposals.forget(), p.runs.refresh()),
    'rig.log': () => p.output.show(),
    'rig.restart': () => p.server.restart(),
  };
}

/** Registers all; what fails is told in a sentence. */
export function registerCommands(parts: Parts): vscode.Disposable[] {
  return Object.entries(table(parts)).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...args: never[]) => {
      try {
        return await run(...args);
      } catch (error) {
        parts.output.error(`${name}: ${String(error)}`);
        void vscode.window.showErrorMessage(sentence(error));
        return undefined;
      }
    }),
  );
}

/** Does something with the proposal of a tree's node, the one that is looked at, or one that the user picks. */
async function onProposal(p: Parts, node: Node, act: (run: string) => unknown): Promise<unknown> {
  const named = node && 'run' in node ? node.run.run : p.review.current();
  const run = named ?? (await pickRun(p.proposals.waiting(), vscode.l10n.t('Proposals that wait')));
  return run && act(run);
}

async function onRun(p: Parts, node: Node, fits: (run: ReturnType<Runs['all']>[number]) => boolean, act: (run: string) => unknown): Promise<unknown> {
  const run = node && 'run' in node ? node.run.run : await pickRun(p.runs.all().filter(fits), vscode.l10n.t('Runs'));
  return run && act(run);
}

async function pickRun(runs: ReturnType<Runs['all']>, title: string): Promise<string | undefined> {
  if (runs.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is none.'));
    return undefined;
  }
  const items = runs.map((r) => ({ label: r.title, description: [r.agent, r.state].join(' · '), detail: r.message, run: r.run }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.run;
}

async function apply(p: Parts, run: string, which: 'taken' | 'accepted'): Promise<void> {
  const left = which === 'taken' ? await p.proposals.flaggedLeft(run) : [];
  const answer = await p.proposals.apply(run, which);
  if (answer === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Nothing is accepted: accept a change, or tick a page.'));
  } else if (left.length > 0) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Flagged and left waiting: {0}. Accept them one by one, or tick them.', left.join(', ')));
  }
  if (answer && !answer.applied && answer.reason) {
    void vscode.window.showWarningMessage(answer.reason);
  }
}

async function discard(p: Parts, run: string): Promise<void> {
  const yes = vscode.l10n.t('Discard');
  const title = p.proposals.run(run)?.title ?? run;
  const said = await vscode.window.showWarningMessage(vscode.l10n.t('Discard the proposal of {0}?', title), { modal: true, detail: vscode.l10n.t('Nothing of it reaches your pages. The record of the run stays.') }, yes);
  if (said === yes) {
    await p.proposals.discard(run);
  }
}

/** Runs the agent again with the comments on lines, and what the user adds. */
async function revise(p: Parts, run: string): Promise<void> {
  const wishes = await p.comments.wishes(run);
  const more = await vscode.window.showInputBox({
    title: vscode.l10n.t('What should be different?'),
    prompt: wishes.text ? vscode.l10n.t('Sent with your comments on lines; may be empty') : vscode.l10n.t('The agent runs again from this proposal'),
  });
  const text = [wishes.text, more?.trim()].filter(Boolean).join('\n\n');
  if (more === undefined || !text || !mayRun()) {
    return;
  }
  await p.server.execute('rigwiki.proposal.revise', { run, text, ...(wishes.hunks.length > 0 && { hunks: wishes.hunks }) });
  p.comments.sent(run);
}

/** Marks a hunk. */
async function mark(p: Parts, at: Where | undefined, wish: Mark): Promise<void> {
  const found = await partAt(p, at);
  if (!found) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no change at the cursor.'));
    return;
  }
  const parts = partsOfPage(await p.proposals.show(found.run), found.path).filter((part) => part.id === found.id);
  await p.proposals.setMarks(found.run, parts, wish);
}

async function why(p: Parts, at: Where | undefined): Promise<void> {
  const found = await partAt(p, at);
  if (found) {
    await p.server.execute('rigwiki.proposal.why', { run: found.run, path: found.path });
  }
}

/** The hunk of a lens, that at a line, else that at the cursor. */
async function partAt(p: Parts, at: Where | undefined): Promise<PartAt | undefined> {
  if (at && 'run' in at) {
    return at;
  }
  const editor = vscode.window.activeTextEditor;
  const where = at && 'lineNumber' in at ? { uri: at.uri, line: at.lineNumber - 1 } : editor && { uri: editor.document.uri, line: editor.selection.active.line };
  const page = where && (await pageShown(p.proposals, where.uri));
  const part = page && partsOf(page.file).find(({ hunk }) => !hunk || (newLines(hunk).start <= where.line && where.line <= newLines(hunk).end));
  return part && { run: page.run, path: part.path, id: part.id };
}

async function show(run: string, side: string, name: string): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(documentOf(run, side, name)), { preview: true });
}

async function init(p: Parts, uri?: vscode.Uri): Promise<void> {
  const folder = uri ?? (vscode.workspace.workspaceFolders?.length === 1 ? vscode.workspace.workspaceFolders[0]?.uri : (await vscode.window.showWorkspaceFolderPick())?.uri);
  if (!folder || !p.server.binary) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open the folder that shall become a wiki first.'));
    return;
  }
  const said = await wikiVerb(p.server.binary, ['init', folder.fsPath], folder.fsPath);
  p.output.info(said);
  void vscode.window.showInformationMessage(vscode.l10n.t('{0} is a wiki. Put a source into raw/ and ingest it.', folder.fsPath));
  await p.server.restart();
}

/** A task, not a terminal: that one would close with the demo's end. */
async function demo(p: Parts): Promise<void> {
  if (p.server.binary) {
    const how = new vscode.ProcessExecution(p.server.binary.path, ['wiki', 'demo']);
    await vscode.tasks.executeTask(new vscode.Task({ type: 'process' }, vscode.TaskScope.Workspace, 'demo', 'rig wiki', how));
  } else {
    void vscode.window.showInformationMessage(vscode.l10n.t('The rig server does not run.'));
  }
}
