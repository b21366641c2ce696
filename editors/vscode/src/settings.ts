// The section `rigwiki` as the server takes it: what somebody set, not the defaults, which are the server's own.

import * as vscode from 'vscode';

/** Keys that are about this extension. */
const ours = new Set(['path', 'trace', 'openReview', 'askBeforeBatch']);

/** What is set for a folder, weakest first: user, workspace, folder. */
export function serverSettings(scope?: vscode.Uri): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration('rigwiki', scope);
  const out: Record<string, unknown> = {};
  for (const key of keys()) {
    const set = section.inspect(key);
    const value = set?.workspaceFolderValue ?? set?.workspaceValue ?? set?.globalValue;
    if (value !== undefined && value !== '') {
      nest(out, key.split('.'), value);
    }
  }
  return out;
}

/** The keys that package.json declares, without the extension's own. */
function keys(): string[] {
  const declared = vscode.extensions.getExtension('rigwiki.rig-wiki')?.packageJSON as { contributes?: { configuration?: { properties: object }[] } };
  return (declared.contributes?.configuration ?? [])
    .flatMap((group) => Object.keys(group.properties))
    .map((key) => key.replace(/^rigwiki\./, ''))
    .filter((key) => !ours.has(key.split('.')[0] ?? ''));
}

function nest(into: Record<string, unknown>, path: string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) {
    return;
  }
  if (rest.length === 0) {
    into[head] = value;
    return;
  }
  into[head] ??= {};
  nest(into[head] as Record<string, unknown>, rest, value);
}
