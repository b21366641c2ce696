// The proposals that wait, with what the user marked in them. A mark is a wish: only apply and discard tell the server.

import * as vscode from 'vscode';
import { allParts, partsOf, type Part } from './hunks';
import { type Applied, isUnderWay, type Shown, type ShownFile } from './protocol';
import type { Run, Runs } from './runs';
import type { Server } from './server';

/** accepted and rejected are decisions, later leaves it waiting. */
export type Mark = 'accepted' | 'rejected' | 'later';

/** What is named to the server. */
export interface Selection {
  paths: string[];
  hunks: string[];
}

const memory = 'marks';

export class Proposals implements vscode.Disposable {
  private readonly shown = new Map<string, Promise<Shown>>();
  private readonly marks: Map<string, Map<string, Mark>>;
  private readonly emitter = new vscode.EventEmitter<string | undefined>();
  private readonly subscription: vscode.Disposable;
  /** Fires with the run whose proposal or marks changed, or with nothing where the list did. */
  readonly onDidChange = this.emitter.event;

  constructor(private readonly server: Server, private readonly runs: Runs, private readonly state: vscode.Memento) {
    const kept = state.get<Record<string, [string, Mark][]>>(memory, {});
    this.marks = new Map(Object.entries(kept).map(([run, list]) => [run, new Map(list)]));
    this.subscription = vscode.Disposable.from(
      server.onReady(() => this.forget()),
      runs.onDidChange((change) => {
        if (!change) {
          this.forgetDecided();
          void this.renew([], undefined); // each change of a proposal is told by itself
        } else if (!isUnderWay(change.run.state)) {
          void this.renew([change.run.run], change.run.run); // a line of a run under way changes no proposal
        }
      }),
    );
  }

  /** Has all proposals read anew when they are looked at next. */
  forget(): void {
    this.shown.clear();
  }

  waiting(): Run[] {
    return this.runs.all().filter((r) => r.waits || r.state === 'proposed');
  }

  run(id: string): Run | undefined {
    return this.runs.get(id);
  }

  /** The files and hunks of a proposal, asked for once until it changes. */
  show(run: string): Promise<Shown> {
    const had = this.shown.get(run);
    if (had) {
      return had;
    }
    const shown = this.server.execute<Shown>('rigwiki.proposal.show', { run });
    this.shown.set(run, shown);
    shown.catch(() => this.shown.get(run) === shown && this.shown.delete(run)); // who asked has the error; the next one asks again
    return shown;
  }

  mark(run: string, part: Part): Mark | undefined {
    return this.marks.get(run)?.get(part.id);
  }

  /** Marks parts; marking one as it is marked already takes the mark away. */
  async setMarks(run: string, parts: Part[], mark: Mark | undefined): Promise<void> {
    const marks = this.marks.get(run) ?? new Map<string, Mark>();
    const again = mark !== undefined && parts.every((p) => marks.get(p.id) === mark);
    for (const part of parts) {
      if (mark === undefined || again) {
        marks.delete(part.id);
      } else {
        marks.set(part.id, mark);
      }
    }
    this.marks.set(run, marks);
    await this.keep();
    this.emitter.fire(run);
  }

  /** Whether Apply would take a part: what is flagged needs to be accepted by name. */
  taken(run: string, part: Part): boolean {
    const mark = this.mark(run, part);
    return part.waits && (mark === 'accepted' || (mark === undefined && !part.flagged));
  }

  /** The pages that Apply leaves waiting since they are flagged and nobody said anything about them. */
  async flaggedLeft(run: string): Promise<string[]> {
    const parts = allParts(await this.show(run)).filter((p) => p.waits && p.flagged && this.mark(run, p) === undefined);
    return [...new Set(parts.map((p) => p.path))];
  }

  /** How many parts are accepted, rejected, and how many there are. */
  async count(run: string): Promise<{ accepted: number; rejected: number; all: number }> {
    const parts = allParts(await this.show(run)).filter((p) => p.waits);
    const marked = (mark: Mark) => parts.filter((p) => this.mark(run, p) === mark).length;
    return { accepted: marked('accepted'), rejected: marked('rejected'), all: parts.length };
  }

  /** Applies what Apply takes, or only what is accepted, and discards what is rejected. */
  async apply(run: string, which: 'taken' | 'accepted'): Promise<Applied | undefined> {
    const shown = await this.show(run);
    const takes = (p: Part) => (which === 'taken' ? this.taken(run, p) : p.waits && this.mark(run, p) === 'accepted');
    const chosen = select(shown, takes);
    const rejected = select(shown, (p) => p.waits && this.mark(run, p) === 'rejected');
    let answer: Applied | undefined;
    if (chosen.paths.length + chosen.hunks.length > 0) {
      answer = await this.server.execute<Applied>('rigwiki.proposal.apply', { run, ...chosen });
    }
    // What is rejected stays until the rest has arrived: a refused edit leaves all of it to decide again.
    if ((answer === undefined || answer.applied) && rejected.paths.length + rejected.hunks.length > 0) {
      await this.server.execute('rigwiki.proposal.discard', { run, ...rejected });
    }
    await this.renew([run], run);
    return answer;
  }

  async discard(run: string, selection?: Selection, reason?: string): Promise<void> {
    await this.server.execute('rigwiki.proposal.discard', { run, ...selection, ...(reason && { reason }) });
    await this.renew([run], run);
  }

  dispose(): void {
    this.subscription.dispose();
    this.emitter.dispose();
  }

  /** Reads proposals anew, and tells of the change when all that wait are there: a tree that waits for its rows loses the clicks on them. */
  private async renew(runs: string[], changed: string | undefined): Promise<void> {
    runs.forEach((run) => this.shown.delete(run));
    await Promise.allSettled(this.waiting().map((r) => this.show(r.run)));
    this.emitter.fire(changed);
  }

  private forgetDecided(): void {
    const waits = new Set(this.waiting().map((r) => r.run));
    for (const run of [...this.marks.keys()].filter((id) => !waits.has(id))) {
      this.marks.delete(run);
    }
    void this.keep();
  }

  private async keep(): Promise<void> {
    await this.state.update(memory, Object.fromEntries([...this.marks].map(([run, list]) => [run, [...list]])));
  }
}

/** Names parts as briefly as can be: a page by its path where all of it is meant. */
export function select(shown: Shown, meant: (part: Part) => boolean): Selection {
  const out: Selection = { paths: [], hunks: [] };
  for (const file of shown.files) {
    const parts = partsOf(file);
    const chosen = parts.filter(meant);
    if (chosen.length > 0 && chosen.length === parts.length) {
      out.paths.push(file.path);
    } else {
      out.hunks.push(...chosen.map((p) => p.id));
    }
  }
  return out;
}

/** The parts of one page. */
export function partsOfPage(shown: Shown, path: string): Part[] {
  const file = shown.files.find((f: ShownFile) => f.path === path);
  return file ? partsOf(file) : [];
}
