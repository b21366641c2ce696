// A notification for each run under way, with a Cancel that cancels, and its live line.

import * as vscode from 'vscode';
import { told } from './failures';
import { isUnderWay } from './protocol';
import type { Change, Runs } from './runs';
import type { Server } from './server';

interface Bar {
  say(line: string): void;
  end(): void;
}

/** Shows the runs that this window started or hears of. */
export function showProgress(server: Server, runs: Runs): vscode.Disposable {
  const bars = new Map<string, Bar>();
  const follow = (change: Change | undefined) => {
    if (!change) {
      return;
    }
    const { run } = change.run;
    if (!isUnderWay(change.run.state)) {
      bars.get(run)?.end();
      bars.delete(run);
      return;
    }
    const bar = bars.get(run) ?? open(server, change);
    bars.set(run, bar);
    bar.say(lineOf(change));
  };
  return vscode.Disposable.from(
    runs.onDidChange(follow),
    server.onGone(() => clear(bars)), // what another program is at is told again
  );
}

function clear(bars: Map<string, Bar>): void {
  bars.forEach((bar) => bar.end());
  bars.clear();
}

function lineOf({ run, note }: Change): string {
  const state = run.state === 'queued' ? vscode.l10n.t('queued') : '';
  return [run.agent, state, note.event?.summary ?? note.message ?? ''].filter(Boolean).join(' · ');
}

function open(server: Server, { run }: Change): Bar {
  let say: (line: string) => void = () => undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: run.title, cancellable: true }, (progress, token) => {
    say = (line) => progress.report({ message: line });
    token.onCancellationRequested(() => told(server.execute('rigwiki.cancel', { run: run.run })));
    return ended;
  });
  return { say: (line) => say(line), end };
}
