// What `rig wiki lsp` says and takes beyond LSP. The names are the server's.

export type RunState =
  | 'queued' | 'running' | 'done' | 'proposed' | 'applied' | 'partly'
  | 'discarded' | 'failed' | 'empty' | 'incomplete' | 'cancelled' | 'timed-out';

/** An event of an agent's stream. */
export interface RunEvent {
  kind: string;
  summary?: string;
  file?: string;
  cmd?: string;
  running?: boolean;
}

export interface Refusal {
  path: string;
  rule: string;
  reason: string;
}

export interface Flag {
  rule: string;
  reason: string;
}

/** `rigwiki/run`: what became of a run. */
export interface RunNote {
  run: string;
  wiki: string;
  op: string;
  agent: string;
  state: RunState;
  title: string;
  message?: string;
  event?: RunEvent;
  preview?: string; // of a proposal of this window: who shows it; "review" is for us to do
  proposal?: { files: { path: string }[]; refused: Refusal[] };
}

/** An entry of `rigwiki.runs`. */
export interface RunEntry {
  run: string;
  wiki: string;
  op: string;
  agent: string;
  model?: string;
  state: RunState;
  title: string;
  message: string;
  started: string;
  durationMs: number;
  files: number;
  refused: Refusal[];
  waits: boolean;
  undoable: boolean;
  usage?: { inputTokens?: number; outputTokens?: number; costUSD?: number };
}

export type Verdict = 'waiting' | 'accepted' | 'rejected' | 'partly';

export interface Hunk {
  id: string;
  header: string;
  text: string;
  state: Verdict;
}

export interface ShownFile {
  path: string;
  kind: 'create' | 'edit' | 'rename' | 'delete';
  from?: string;
  flags: string[];
  reasons?: Flag[] | null;
  added: number;
  removed: number;
  state: Verdict;
  hunks: Hunk[] | null;
}

/** The answer of `rigwiki.proposal.show`. */
export interface Shown {
  run: string;
  state: RunState;
  files: ShownFile[];
  refused: Refusal[];
}

/** The answer of `rigwiki.proposal.apply` and `rigwiki.run.undo`. */
export interface Applied {
  run: string;
  applied: boolean;
  reason?: string;
  conflicts: { path: string; reason: string; line: number }[];
  flagged: string[];
}

export interface Agent {
  name: string;
  installed: boolean;
  version: string;
  usable: boolean;
  why: string;
  default: boolean;
}

const underWay: ReadonlySet<RunState> = new Set<RunState>(['queued', 'running']);

export const isUnderWay = (state: RunState): boolean => underWay.has(state);
