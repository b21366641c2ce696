// Each run's events in the output channel, a line each.

import type * as vscode from 'vscode';
import type { Runs } from './runs';

export function logRuns(output: vscode.LogOutputChannel, runs: Runs): vscode.Disposable {
  return runs.onDidChange((change) => {
    if (!change) {
      return;
    }
    const { note } = change;
    const what = note.event ? `${note.event.kind} ${note.event.summary ?? ''}` : `${note.state} ${note.message ?? ''}`;
    output.info(`${note.run} ${note.agent} ${what.trim()}`);
  });
}
