// Failures of what nobody waits for: without these they are in no place that a user looks at.

import * as vscode from 'vscode';

/** Tells of the failure of something that the user asked for. */
export function told(work: Promise<unknown>): void {
  work.catch((error: unknown) => vscode.window.showErrorMessage(sentence(error)));
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
