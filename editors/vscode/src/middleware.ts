// What this extension does instead of, or before, the language client.

import * as vscode from 'vscode';
import type { ConfigurationParams, Middleware } from 'vscode-languageclient/node';
import { applyAndSave } from './saving';
import { serverSettings } from './settings';

/** Commands of the server that this extension carries out itself. */
export interface Interception {
  /** Opens a proposal in the review of this extension. */
  review(run: string): Promise<unknown>;
}

/** Commands that start an agent: not in a workspace that the user does not trust. */
const runs = new Set(['rigwiki.ingest', 'rigwiki.query', 'rigwiki.lint', 'rigwiki.fetch', 'rigwiki.work', 'rigwiki.actPr', 'rigwiki.review', 'rigwiki.proposal.revise']);

/** Whether an agent may be started here; says so where not. */
export function mayRun(): boolean {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage(vscode.l10n.t('This workspace is not trusted: no agent is started in it.'), vscode.l10n.t('Manage trust')).then(
      (said) => said && vscode.commands.executeCommand('workbench.trust.manage'),
    );
  }
  return vscode.workspace.isTrusted;
}

export function middleware(own: Interception): Middleware {
  return {
    executeCommand: (command, args, next) => {
      if (command === 'rigwiki.proposal.review') {
        return own.review((args[0] as { run: string }).run);
      }
      return runs.has(command) && !mayRun() ? undefined : next(command, args);
    },
    provideCodeActions: async (document, range, context, token, next) => {
      const list = (await next(document, range, context, token)) ?? [];
      return vscode.workspace.isTrusted ? list : list.filter((a) => !runs.has(commandOf(a)));
    },
    workspace: {
      handleApplyEdit: applyAndSave,
      configuration: (params: ConfigurationParams) =>
        params.items.map((item) => (item.section === 'rigwiki' ? serverSettings(item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined) : null)),
    },
  };
}

function commandOf(action: vscode.Command | vscode.CodeAction): string {
  return typeof action.command === 'string' ? action.command : (action.command?.command ?? '');
}
