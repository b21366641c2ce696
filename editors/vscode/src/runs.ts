// The runs that this window knows of: those of the server's records, and those heard of since.

import * as vscode from 'vscode';
import { isUnderWay, type RunEntry, type RunEvent, type RunNote } from './protocol';
import type { Server } from './server';

/** How many events of a run are kept for its timeline. */
const maxEvents = 200;

export interface Run extends RunEntry {
  events: RunEvent[];
  line: string;
}

/** A change of a run: what it was before, and what was said. */
export interface Change {
  run: Run;
  before: RunEntry['state'] | undefined;
  note: RunNote;
}

export class Runs implements vscode.Disposable {
  private readonly byId = new Map<string, Run>();
  private readonly emitter = new vscode.EventEmitter<Change | undefined>();
  private readonly subscription: vscode.Disposable;
  /** Fires with a change, or with nothing where all was read anew. */
  readonly onDidChange = this.emitter.event;

  constructor(private readonly server: Server) {
    this.subscription = vscode.Disposable.from(
      server.onRun((note) => this.take(note)),
      server.onReady(() => void this.refresh()),
    );
  }

  /** All runs, newest first. */
  all(): Run[] {
    return [...this.byId.values()].sort((a, b) => b.started.localeCompare(a.started));
  }

  get(run: string): Run | undefined {
    return this.byId.get(run);
  }

  /** Reads the records anew. */
  async refresh(): Promise<void> {
    if (!this.server.has('rigwiki.runs')) {
      return;
    }
    const { runs } = await this.server.execute<{ runs: RunEntry[] }>('rigwiki.runs', {});
    for (const entry of runs) {
      const had = this.byId.get(entry.run);
      this.byId.set(entry.run, { ...entry, events: had?.events ?? [], line: had?.line ?? '' });
    }
    this.emitter.fire(undefined);
  }

  dispose(): void {
    this.subscription.dispose();
    this.emitter.dispose();
  }

  private take(note: RunNote): void {
    const had = this.byId.get(note.run);
    const run: Run = had ?? {
      run: note.run, wiki: note.wiki, op: note.op, agent: note.agent, state: note.state, title: note.title, message: '',
      started: new Date().toISOString(), durationMs: 0, files: 0, refused: [], waits: false, undoable: false, events: [], line: '',
    };
    const before = had?.state;
    Object.assign(run, { agent: note.agent, state: note.state, title: note.title, line: note.event?.summary ?? note.message ?? '' });
    if (note.event && run.events.length < maxEvents) {
      run.events.push(note.event);
    }
    if (note.proposal) {
      run.files = note.proposal.files.length;
      run.refused = note.proposal.refused;
    }
    if (!isUnderWay(note.state)) {
      run.message = note.message ?? run.message;
      void this.refresh(); // what was used, and what can be undone, is in the record
    }
    this.byId.set(run.run, run);
    this.emitter.fire({ run, before, note });
  }
}
