// The addresses of a run's documents, as the server names them.

import * as vscode from 'vscode';
import type { Run } from './runs';

export const scheme = 'rigwiki';

/** Where a page of the wiki is. */
export function pageFile(run: Run, path: string): vscode.Uri {
  return vscode.Uri.joinPath(vscode.Uri.file(run.wiki), ...path.split('/'));
}

/** The page as the run proposes it, or with side "base" as the agent was given it. The path is the page's own: another one would be shown as a rename. */
export function pageOf(run: Run, path: string, side?: 'base'): vscode.Uri {
  return vscode.Uri.from({ scheme, authority: side ? `${run.run}.${side}` : run.run, path: pageFile(run, path).path });
}

/** A document of a run: its report, prompt, timeline or answer. */
export function documentOf(run: string, side: string, name: string): vscode.Uri {
  return vscode.Uri.from({ scheme, authority: `${run}.${side}`, path: `/${name}` });
}

/** The run of one of our documents, and its side: "" is the proposed page. */
export function runOf(uri: vscode.Uri): { run: string; side: string } | undefined {
  if (uri.scheme !== scheme) {
    return undefined;
  }
  const [run = '', side = ''] = uri.authority.split('.');
  return { run, side };
}
