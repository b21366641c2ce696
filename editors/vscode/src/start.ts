// The ways to start a run. Each asks what it must know, and the server does the rest.

import * as vscode from 'vscode';
import type { Agents } from './agents';
import { mayRun } from './middleware';
import type { Server } from './server';

export class Starter {
  constructor(private readonly server: Server, private readonly agents: Agents) {}

  /** Ingests files: those selected in the explorer, else the one in the editor. Several are asked for first, and each is worked in on top of the ones before it. */
  async ingest(one?: vscode.Uri, several?: vscode.Uri[]): Promise<void> {
    const uris = several?.length ? several : [one ?? vscode.window.activeTextEditor?.document.uri].filter((u) => u !== undefined);
    if (uris.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Open a source in raw/, or select some in the explorer.'));
      return;
    }
    if (mayRun() && (uris.length === 1 || (await this.agreed(uris)))) {
      await this.server.execute('rigwiki.ingest', { uris: uris.map((u) => this.server.uri(u)), stacked: true });
    }
  }

  /** Asks the wiki: what is selected, the question at the cursor, or what the user types. */
  async ask(): Promise<void> {
    const { question: found } = await this.server.offered('rigwiki.query');
    const question = await vscode.window.showInputBox({
      title: vscode.l10n.t('Ask the wiki'), value: found ?? '', prompt: vscode.l10n.t('Answered from the pages, each claim with its citation'),
    });
    if (question?.trim() && mayRun()) {
      await this.server.execute('rigwiki.query', { question: question.trim(), ...this.server.here() });
    }
  }

  async lint(): Promise<void> {
    if (mayRun()) {
      await this.server.execute('rigwiki.lint', this.server.here());
    }
  }

  /** Fetches the URL at the cursor, or one that the user names. */
  async fetch(): Promise<void> {
    const { url: found } = await this.server.offered('rigwiki.fetch');
    const url = await vscode.window.showInputBox({
      title: vscode.l10n.t('Fetch into raw/'), value: found ?? '', prompt: vscode.l10n.t('The address of a page'),
      validateInput: (text) => (/^https?:\/\/\S+$/.test(text.trim()) ? undefined : vscode.l10n.t('An address that begins with http:// or https://')),
    });
    if (url && mayRun()) {
      await this.server.execute('rigwiki.fetch', { url: url.trim(), ...this.server.here() });
    }
  }

  /** Starts the run of a task file: work, actPr or review. */
  async task(op: string, uri = vscode.window.activeTextEditor?.document.uri): Promise<void> {
    if (!uri) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Open a task file, or select one in the explorer.'));
    } else if (mayRun()) {
      await this.server.execute(`rigwiki.${op}`, { uri: this.server.uri(uri) });
    }
  }

  /** A batch costs: it names its sources, agent and model before. */
  private async agreed(uris: vscode.Uri[]): Promise<boolean> {
    if (!vscode.workspace.getConfiguration('rigwiki').get<boolean>('askBeforeBatch', true)) {
      return true;
    }
    const { agent, model } = this.agents.current();
    const names = uris.map((u) => vscode.workspace.asRelativePath(u));
    const shown = names.length > 20 ? [...names.slice(0, 20), vscode.l10n.t('and {0} more', names.length - 20)] : names;
    const go = vscode.l10n.t('Ingest');
    const said = await vscode.window.showWarningMessage(
      vscode.l10n.t('Ingest {0} sources with {1}?', uris.length, model ? `${agent} (${model})` : agent),
      { modal: true, detail: shown.join('\n') },
      go,
    );
    return said === go;
  }
}
