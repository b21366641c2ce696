// The language servers that run.

import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the servers of a program. A process that a server has just begun has its command line until it becomes another program: its parent tells it apart. */
export function servers(rig) {
  const parents = new Map();
  for (const pid of readdirSync('/proc')) {
    try {
      const [program, wiki, lsp] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (program === rig && wiki === 'wiki' && lsp === 'lsp') {
        parents.set(Number(pid), Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]));
      }
    } catch {
      // not a process, or it has ended meanwhile
    }
  }
  return [...parents.keys()].filter((pid) => !parents.has(parents.get(pid)));
}
