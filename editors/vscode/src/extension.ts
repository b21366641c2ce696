// Starts `rig wiki lsp` and shows what it says. What can be offered, previewed or undone is the server's to decide.

import * as vscode from 'vscode';
import { ExecuteCommandRequest, LanguageClient, TransportKind } from 'vscode-languageclient/node';

/** What the server tells of a run with `rigwiki/run`. */
interface RunNote {
  run: string;
  op: string;
  agent: string;
  state: string;
  title: string;
  message?: string;
}

/** An entry of `rigwiki.proposals`. */
interface RunEntry {
  run: string;
  op: string;
  agent: string;
  state: string;
  title: string;
}

const underWay = new Set(['queued', 'running']);
const bad = new Set(['failed', 'timed-out', 'incomplete']);

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const client = newClient();
  const runs = new Runs(client);
  context.subscriptions.push(
    client,
    client.onNotification('rigwiki/run', (note: RunNote) => runs.note(note)),
    vscode.commands.registerCommand('rig.ingest', (uri?: vscode.Uri) => ingest(client, uri)),
    vscode.commands.registerCommand('rig.proposals', () => proposals(client)),
    vscode.commands.registerCommand('rig.undo', () => runs.undo()),
    vscode.commands.registerCommand('rig.restart', () => client.restart()),
  );
  await client.start();
}

function newClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration('rigwiki');
  return new LanguageClient(
    'rigwiki',
    'Rig Wiki',
    { command: settings.get<string>('path') || 'rig', args: ['wiki', 'lsp'], transport: TransportKind.stdio },
    {
      documentSelector: [
        { scheme: 'file', language: 'markdown' },
        { scheme: 'file', pattern: '**/raw/**' },
        { scheme: 'untitled', language: 'markdown' },
        { scheme: 'rigwiki' },
      ],
      initializationOptions: {
        rigwiki: {
          notifications: true,
          preview: settings.get<string>('preview'),
          defaultAgent: settings.get<string>('defaultAgent') || undefined,
        },
      },
    },
  );
}

function execute<T>(client: LanguageClient, command: string, argument: object): Promise<T> {
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] }) as Promise<T>;
}

async function ingest(client: LanguageClient, uri = vscode.window.activeTextEditor?.document.uri): Promise<void> {
  if (uri) {
    await execute(client, 'rigwiki.ingest', { uri: client.code2ProtocolConverter.asUri(uri) });
  }
}

/** Shows the diff of a proposal that waits, and asks what to do with it. */
async function proposals(client: LanguageClient): Promise<void> {
  const answer = await execute<{ runs: RunEntry[] }>(client, 'rigwiki.proposals', {});
  const items = answer.runs.map((r) => ({ label: r.title, description: `${r.op}, ${r.agent}`, entry: r }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: 'Proposals that wait' });
  if (!picked) {
    return;
  }
  const { run, op } = picked.entry;
  await vscode.window.showTextDocument(vscode.Uri.parse(`rigwiki://${run}.diff/${op}.diff`));
  const say = await vscode.window.showInformationMessage(picked.label, 'Apply', 'Discard');
  if (say) {
    await execute(client, `rigwiki.proposal.${say.toLowerCase()}`, { run });
  }
}

/** The runs heard of in this window: each has a progress with Cancel while it is under way, and one message at its end. */
class Runs {
  private readonly ends = new Map<string, () => void>();
  private readonly applied: RunNote[] = [];

  constructor(private readonly client: LanguageClient) {}

  note(note: RunNote): void {
    if (underWay.has(note.state)) {
      this.progress(note);
      return;
    }
    this.ends.get(note.run)?.();
    this.ends.delete(note.run);
    if (note.state === 'applied' || note.state === 'partly') {
      this.applied.unshift(note);
    }
    const text = note.message || `${note.title}: ${note.state}`;
    void (bad.has(note.state) ? vscode.window.showWarningMessage(text) : vscode.window.showInformationMessage(text));
  }

  private progress(note: RunNote): void {
    if (this.ends.has(note.run)) {
      return;
    }
    const ended = new Promise<void>((resolve) => this.ends.set(note.run, resolve));
    const options = { location: vscode.ProgressLocation.Notification, title: note.title, cancellable: true };
    void vscode.window.withProgress(options, (_, token) => {
      token.onCancellationRequested(() => execute(this.client, 'rigwiki.cancel', { run: note.run }));
      return ended;
    });
  }

  async undo(): Promise<void> {
    const items = this.applied.map((n) => ({ label: n.title, description: n.run, run: n.run }));
    const picked = await vscode.window.showQuickPick(items, { placeHolder: 'Runs applied in this window' });
    if (picked) {
      await execute(this.client, 'rigwiki.run.undo', { run: picked.run });
    }
  }
}
