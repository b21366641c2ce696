// The levels of the server's log. No VS Code here.

export type Level = 'debug' | 'info' | 'warn' | 'error';

const known: Record<string, Level> = { debug: 'debug', info: 'info', warn: 'warn', error: 'error', dpanic: 'error', panic: 'error', fatal: 'error' };

/** Splits a line of the server's stderr ("time, tab, level, tab, text") into its level and its text. A line of another form, as a crash has them, is an error. */
export function levelOf(line: string): { level: Level; text: string } {
  const [, name = '', text = ''] = /^\d{4}-\d\d-\d\dT\S*\t(\w+)\t(.*)$/.exec(line) ?? [];
  const level = known[name.toLowerCase()];
  return level ? { level, text: text.replaceAll('\t', ' ') } : { level: 'error', text: line };
}
