// What the server logs, in the output channel at the level that the server gave it.

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type * as vscode from 'vscode';
import { levelOf } from './levels';

/** Copies the server's stderr, line by line, and tells of each error. */
export function logLines(stderr: Readable, output: vscode.LogOutputChannel, failed: (text: string) => void): void {
  createInterface({ input: stderr, crlfDelay: Infinity, terminal: false }).on('line', (line) => {
    const { level, text } = levelOf(line);
    output[level](text);
    if (level === 'error') {
      failed(text);
    }
  });
}
