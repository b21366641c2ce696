// The language servers that run.

import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the servers of a program. */
export function servers(rig) {
  return readdirSync('/proc').filter((p) => {
    try {
      const [program, wiki, lsp] = readFileSync(`/proc/${p}/cmdline`, 'utf8').split('\0');
      return program === rig && wiki === 'wiki' && lsp === 'lsp';
    } catch {
      return false; // not a process, or it has ended meanwhile
    }
  }).map(Number);
}
