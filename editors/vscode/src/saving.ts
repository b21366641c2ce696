// Saves what an accepted edit changed. VS Code saves the files of a refactoring where there are several, and leaves a single one
// open and unsaved (microsoft/vscode#246720): that one is saved here, unless it had unsaved text of the user before.

import * as vscode from 'vscode';
import { type ApplyWorkspaceEditParams, CancellationToken, type Middleware } from 'vscode-languageclient/node';

type Handler = NonNullable<NonNullable<Middleware['workspace']>['handleApplyEdit']>;

export const applyAndSave: Handler = async (params, next) => {
  const wanted = params.metadata?.isRefactoring && vscode.workspace.getConfiguration('files').get<boolean>('refactoring.autoSave', true);
  const edited = new Set(urisOf(params).map((u) => vscode.Uri.parse(u).toString()));
  const own = new Set(vscode.workspace.textDocuments.filter((d) => d.isDirty).map((d) => d.uri.toString()));
  const answer = await next(params, CancellationToken.None);
  if (wanted && 'applied' in answer && answer.applied) {
    const changed = vscode.workspace.textDocuments.filter((d) => d.isDirty && edited.has(d.uri.toString()) && !own.has(d.uri.toString()));
    await Promise.all(changed.map((d) => d.save()));
  }
  return answer;
};

function urisOf({ edit }: ApplyWorkspaceEditParams): string[] {
  return (edit.documentChanges ?? []).flatMap((c) => ('textDocument' in c ? [c.textDocument.uri] : [])).concat(Object.keys(edit.changes ?? {}));
}
