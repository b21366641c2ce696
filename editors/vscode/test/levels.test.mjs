import assert from 'node:assert/strict';
import test from 'node:test';
import { levelOf } from '../src/levels.ts';

const cases = [
  ['2026-11-30T18:37:18.556Z\terror\tserver ended\t{"error": "x"}', 'error', 'server ended {"error": "x"}'],
  ['2026-11-30T18:37:18.556+0100\tinfo\tindex ready', 'info', 'index ready'],
  ['2026-11-30T18:37:18.556Z\twarn\tsettings', 'warn', 'settings'],
  ['2026-11-30T18:37:18.556Z\tdebug\t', 'debug', ''],
  ['2026-11-30T18:37:18.556Z\tloud\tx', 'error', '2026-11-30T18:37:18.556Z\tloud\tx'],
  ['panic: runtime error', 'error', 'panic: runtime error'],
  ['goroutine 1 [running]:', 'error', 'goroutine 1 [running]:'],
  ['', 'error', ''],
];

for (const [line, level, text] of cases) {
  test(JSON.stringify(line), () => assert.deepEqual(levelOf(line), { level, text }));
}
