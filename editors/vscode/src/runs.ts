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
  /** The state of each run as it was told last. That of the records may be ahead of it: what a run came to is then still to be shown. */
  private readonly told = new Map<string, RunEntry['state']>();
  /** The reading of the records that is under way, and whether they are to be read again after it. */
  private reading: Promise<void> | undefined;
  private again = false;
  private readonly emitter = new vscode.EventEmitter<Change | undefined>();
  private readonly subscription: vscode.Disposable;
  /** Fires with a change, or with nothing where all was read anew. */
  readonly onDidChange = this.emitter.event;

  constructor(private readonly server: Server) {
    this.subscription = vscode.Disposable.from(
      server.onRun((note) => this.take(note)),
      server.onReady(() => this.reread()),
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
    if (this.server.has('rigwiki.runs')) {
      this.again = true;
      await (this.reading ??= this.read());
    }
  }

  dispose(): void {
    this.subscription.dispose();
    this.emitter.dispose();
  }

  private reread(): void {
    this.refresh().catch((error: unknown) => this.server.log(error));
  }

  /** Reads until nothing was told meanwhile: an answer that is older than a note does not cover it. */
  private async read(): Promise<void> {
    try {
      while (this.again) {
        this.again = false;
        const { runs } = await this.server.execute<{ runs: RunEntry[] }>('rigwiki.runs', {});
        if (!this.again) {
          runs.forEach((entry) => this.keep(entry));
          this.emitter.fire(undefined);
        }
      }
    } finally {
      this.reading = undefined;
    }
  }

  private keep(entry: RunEntry): void {
    const had = this.byId.get(entry.run);
    this.byId.set(entry.run, { ...entry, events: had?.events ?? [], line: had?.line ?? '' });
    if (!this.told.has(entry.run)) {
      this.told.set(entry.run, entry.state);
    }
  }

  private take(note: RunNote): void {
    const had = this.byId.get(note.run);
    const run: Run = had ?? {
      run: note.run, wiki: note.wiki, op: note.op, agent: note.agent, state: note.state, title: note.title, message: '',
      started: new Date().toISOString(), durationMs: 0, files: 0, refused: [], waits: false, undoable: false, events: [], line: '',
    };
    const before = this.told.get(note.run);
    this.told.set(note.run, note.state);
    this.again ||= before !== note.state;
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
      this.reread(); // what was used, and what can be undone, is in the record
    }
    this.byId.set(run.run, run);
    this.emitter.fire({ run, before, note });
  }
}
