// Starts `rig wiki lsp`, one for all folders, and says why where it cannot run.

import * as vscode from 'vscode';
import { CloseAction, CodeActionRequest, DocumentLinkRequest, ErrorAction, ExecuteCommandRequest, LanguageClient, State, TransportKind } from 'vscode-languageclient/node';
import type { CloseHandlerResult, LanguageClientOptions } from 'vscode-languageclient/node';
import { after } from './after';
import { type Binary, findBinary } from './binary';
import { told } from './failures';
import { logLines } from './log';
import { middleware, type Interception } from './middleware';
import type { RunNote } from './protocol';
import { serverSettings } from './settings';

/** How often a server that died is started anew within restartSpan, milliseconds. */
const restarts = 4;
const restartSpan = 3 * 60_000;

/** How long the end of the process may come after that of its connection, milliseconds. */
const exitWait = 5000;

/** How long a server may take to end when it is asked to, milliseconds. Then the client kills it. */
const stopWait = 10_000;

/** How long a start is waited for by the next one, milliseconds: a program that says nothing, named by mistake, must not bar the right one. */
const startWait = 30_000;

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private deaths: number[] = [];
  /** Why the server went away, as far as it is known: the last error that it wrote, and how its process ended. */
  private lastError = '';
  private exit = '';
  private exited = Promise.resolve();
  private readonly runEmitter = new vscode.EventEmitter<RunNote>();
  private readonly readyEmitter = new vscode.EventEmitter<void>();
  private readonly goneEmitter = new vscode.EventEmitter<void>();
  /** Each `rigwiki/run`. */
  readonly onRun = this.runEmitter.event;
  /** Each time that the server is ready, so also after a restart. */
  readonly onReady = this.readyEmitter.event;
  /** Each time that a server went away, and with it the runs that it was at. */
  readonly onGone = this.goneEmitter.event;
  binary: Binary | undefined;
  /** How long the start of the program took until it had answered `initialize`, milliseconds. */
  startTook = 0;
  private readonly settings: vscode.Disposable;
  /** The start that is under way, or the last one. */
  private turn = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
    private readonly interception: Interception,
  ) {
    this.settings = vscode.workspace.onDidChangeConfiguration((e) => told(this.settingsChanged(e)));
  }

  /** Starts the server. What is missing is said, and is no error. */
  start(): Promise<void> {
    return this.inTurn(() => this.launch());
  }

  /** Ends the server where one runs, and starts it anew. */
  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.stop();
      this.deaths = [];
      await this.launch();
    });
  }

  /** Does one start after the other: two at once would leave a server behind. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = Promise.race([this.turn, after(startWait)]).then(work);
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  /** Ends the client that there is, whatever it is at. */
  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      if (client?.state === State.Starting) {
        await Promise.race([client.start(), after(startWait)]); // one that is at its start cannot be ended
      }
      await client?.dispose(stopWait);
    } catch (error) {
      this.output.warn(String(error)); // it did not start, or did not end in time: then its process is killed
    }
    this.goneEmitter.fire();
  }

  private async launch(): Promise<void> {
    const found = await findBinary(this.context);
    if (typeof found === 'string') {
      void this.missing(found);
      return;
    }
    this.binary = found;
    this.output.info(`rig is ${found.path} (${found.from})`);
    const client = new LanguageClient(
      'rigwiki',
      'Rig Wiki',
      { command: found.path, args: ['wiki', 'lsp'], transport: TransportKind.stdio },
      this.options(),
    );
    this.client = client;
    client.onNotification('rigwiki/run', (note: RunNote) => this.runEmitter.fire(note));
    client.onDidChangeState(({ newState }) => newState === State.Running && void this.ready(client));
    const since = performance.now();
    try {
      await client.start();
      this.startTook = performance.now() - since;
    } catch (error) {
      this.output.error(String(error));
      void this.missing(vscode.l10n.t('{0} did not start as a language server: {1}', found.path, String(error)));
    }
  }

  /** Whether the server that runs has a command: older ones lack some. */
  has(command: string): boolean {
    return this.client?.initializeResult?.capabilities.executeCommandProvider?.commands.includes(command) ?? false;
  }

  execute<T>(command: string, argument: object): Promise<T> {
    if (!this.client) {
      return Promise.reject(new Error(vscode.l10n.t('The rig server does not run.')));
    }
    return this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] }) as Promise<T>;
  }

  /** The links of a document that the server was not told of: one of its own. */
  async links(document: vscode.Uri, token: vscode.CancellationToken): Promise<vscode.DocumentLink[]> {
    if (!this.client?.isRunning()) {
      return [];
    }
    const links = await this.client.sendRequest(DocumentLinkRequest.type, { textDocument: { uri: this.uri(document) } }, token);
    return (await this.client.protocol2CodeConverter.asDocumentLinks(links, token)) ?? [];
  }

  /** What the server would give to one of its commands here: the question or the address that it finds at the cursor or in the selection. */
  async offered(command: string): Promise<Record<string, string>> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !this.client?.isRunning()) {
      return {};
    }
    const range = this.client.code2ProtocolConverter.asRange(editor.selection);
    const actions = await this.client.sendRequest(CodeActionRequest.type, { textDocument: { uri: this.uri(editor.document.uri) }, range, context: { diagnostics: [] } });
    const found = actions?.map((a) => (typeof a.command === 'object' ? a.command : undefined)).find((c) => c?.command === command);
    return (found?.arguments?.[0] as Record<string, string> | undefined) ?? {};
  }

  /** Which wiki is meant by a command that names none: that of the page in the editor. */
  here(): { uri?: string } {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri?.scheme === 'file' ? { uri: this.uri(uri) } : {};
  }

  /** A URI in the spelling of the protocol. */
  uri(of: vscode.Uri): string {
    return this.client?.code2ProtocolConverter.asUri(of) ?? of.toString();
  }

  /** Writes the failure of something that nobody asked for into the log. */
  log(error: unknown): void {
    this.output.error(String(error));
  }

  dispose(): void {
    this.client?.dispose().catch(() => undefined); // nobody is left to be told
    this.settings.dispose();
    this.runEmitter.dispose();
    this.readyEmitter.dispose();
    this.goneEmitter.dispose();
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [
        { scheme: 'file', language: 'markdown' },
        { scheme: 'file', pattern: '**/raw/**' },
        { scheme: 'untitled', language: 'markdown' },
        // Not the proposed pages: the server has nothing to say about them, and a review opens hundreds.
        { scheme: 'rigwiki', pattern: '**/*.diff' },
        { scheme: 'rigwiki', pattern: '**/answer.md' },
      ],
      outputChannel: this.output,
      stdioOptions: { stderr: (stream) => logLines(stream, this.output, (line) => (this.lastError = line)), stdout: () => undefined },
      markdown: { isTrusted: false, supportHtml: false },
      middleware: middleware(this.interception),
      initializationOptions: { rigwiki: { ...serverSettings(), review: true, notifications: true } },
      errorHandler: { error: () => ({ action: ErrorAction.Continue, handled: true /* a connection that breaks is told when it has ended */ }), closed: () => this.closed() },
    };
  }

  /** Another program is started at once: so that a name that was wrong can be mended. Of the rest the server only hears that it changed, and asks. */
  private async settingsChanged(e: vscode.ConfigurationChangeEvent): Promise<void> {
    if (e.affectsConfiguration('rigwiki.path')) {
      await this.restart();
    } else if (e.affectsConfiguration('rigwiki') && this.client?.isRunning()) {
      await this.client.sendNotification('workspace/didChangeConfiguration', { settings: null });
    }
  }

  private async ready(client: LanguageClient): Promise<void> {
    this.watch(client);
    const commands = client.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
    await Promise.all(commands.map((c) => vscode.commands.executeCommand('setContext', `rig.has.${c.replace('rigwiki.', '')}`, true)));
    await vscode.commands.executeCommand('setContext', 'rig.ready', true);
    this.readyEmitter.fire();
  }

  /** The server went away by itself: it is started again, unless it keeps dying. */
  private async closed(): Promise<CloseHandlerResult> {
    this.goneEmitter.fire();
    await Promise.race([this.exited, after(exitWait)]);
    const now = Date.now();
    this.deaths = [...this.deaths.filter((at) => now - at < restartSpan), now];
    if (this.deaths.length > restarts) {
      void this.gaveUp();
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    void vscode.window.showWarningMessage(vscode.l10n.t('The rig server ended unexpectedly ({0}) and is started again. Proposals that wait are kept.', this.why()));
    return { action: CloseAction.Restart, handled: true };
  }

  /** Keeps how the process of the server ends: the client does not tell. */
  private watch(client: LanguageClient): void {
    this.exit = this.lastError = '';
    this.exited = new Promise((resolve) =>
      client.serverProcess?.once('exit', (code, signal) => {
        this.exit = signal ?? vscode.l10n.t('exit code {0}', code ?? '?');
        resolve();
      }),
    );
  }

  private why(): string {
    return [this.exit || vscode.l10n.t('its connection broke'), this.lastError].filter(Boolean).join(': ');
  }

  private async gaveUp(): Promise<void> {
    const restart = vscode.l10n.t('Start again');
    const log = vscode.l10n.t('Show log');
    const said = await vscode.window.showErrorMessage(vscode.l10n.t('The rig server ended {0} times in three minutes ({1}) and stays down.', this.deaths.length, this.why()), restart, log);
    if (said === restart) {
      await this.restart();
    } else if (said === log) {
      this.output.show();
    }
  }

  private async missing(why: string): Promise<void> {
    const help = vscode.l10n.t('How to install');
    const setting = vscode.l10n.t('Open the setting');
    const said = await vscode.window.showErrorMessage(`${why} ${vscode.l10n.t('Install it with `go install github.com/rigwiki/rig/cmd/rig@latest`, or name it in the setting.')}`, help, setting);
    if (said === help) {
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'rigwiki.rig-wiki#rig.start');
    } else if (said === setting) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'rigwiki.path');
    }
  }
}
