// Where the hunks of a proposed page stand in it, and what each part of a proposal is called. No VS Code here.

import type { Hunk, Shown, ShownFile } from './protocol';

/** A part of a proposal that is decided by itself: a hunk, or a page without hunks. */
export interface Part {
  id: string;
  path: string;
  hunk: Hunk | undefined;
  flagged: boolean;
  waits: boolean;
}

/** The parts of a page in the order of the page. */
export function partsOf(file: ShownFile): Part[] {
  const flagged = file.flags.length > 0;
  const hunks = file.hunks ?? [];
  if (hunks.length === 0) {
    return [{ id: file.path, path: file.path, hunk: undefined, flagged, waits: file.state === 'waiting' || file.state === 'partly' }];
  }
  return hunks.map((hunk) => ({ id: hunk.id, path: file.path, hunk, flagged, waits: hunk.state === 'waiting' }));
}

export function allParts(shown: Shown): Part[] {
  return shown.files.flatMap(partsOf);
}

/** The lines of the proposed page that a hunk brings, from 0, end excluded: without its lines of context. An empty range where it only removes. */
export function newLines(hunk: Hunk): { start: number; end: number } {
  const at = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(hunk.header);
  if (!at) {
    return { start: 0, end: 0 }; // a move has no text
  }
  // "+5,0" stands behind line 5.
  const first = at[2] === '0' ? Number(at[1]) : Number(at[1]) - 1;
  let line = first;
  let start: number | undefined;
  let end = first;
  for (const text of hunk.text.split('\n')) {
    if (text.startsWith('+')) {
      start ??= line;
      line++;
      end = line;
    } else if (text.startsWith('-')) {
      start ??= line;
      end = Math.max(end, line);
    } else if (text.startsWith(' ')) {
      line++;
    }
  }
  return { start: start ?? first, end: Math.max(end, start ?? first) };
}
