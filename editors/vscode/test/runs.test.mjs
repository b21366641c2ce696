// What the window knows of its runs, whatever comes first: the server's records or its notes.

import assert from 'node:assert/strict';
import test from 'node:test';
import { buildSync } from 'esbuild';

// VS Code is not here: an emitter and a bundle of subscriptions are all that runs.ts takes of it.
const vscode = `
export class EventEmitter {
  heard = [];
  event = (listener) => (this.heard.push(listener), { dispose() {} });
  fire(what) { this.heard.forEach((listener) => listener(what)); }
}
export const Disposable = { from: () => ({ dispose() {} }) };
`;
const [{ text }] = buildSync({
  entryPoints: ['src/runs.ts'], bundle: true, format: 'esm', write: false, alias: { vscode: `data:text/javascript,${encodeURIComponent(vscode)}` },
}).outputFiles;
const { Runs } = await import(`data:text/javascript,${encodeURIComponent(text)}`);

/** A server whose answers come when the test wants. */
function desk() {
  const asked = [];
  let tell;
  const server = {
    onRun: (listener) => (tell = listener),
    onReady: () => undefined,
    has: () => true,
    execute: () => new Promise((answer, fail) => asked.push({ say: (...states) => answer({ runs: states.map(entry) }), fail })),
  };
  const runs = new Runs(server);
  const changes = [];
  runs.onDidChange((change) => change && changes.push(`${change.before} -> ${change.note.state}`));
  const note = (state) => tell({ run: 'r1', wiki: '/w', op: 'ingest', agent: 'a', title: 't', state });
  return { runs, asked, changes, note, state: () => runs.get('r1')?.state };
}

const entry = (state) => ({ run: 'r1', wiki: '/w', op: 'ingest', agent: 'a', title: 't', state, message: '', started: '', durationMs: 0, files: 0, refused: [], waits: false, undoable: false });
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('records that are ahead of a note do not hide what it tells', async () => {
  const { runs, asked, changes, note } = desk();
  note('running');
  const read = runs.refresh();
  asked[0].say('proposed');
  await read;
  note('proposed');
  assert.deepEqual(changes, ['undefined -> running', 'running -> proposed']);
});

test('records that are older than a note do not cover it', async () => {
  const { runs, asked, note, state } = desk();
  note('running');
  const read = runs.refresh();
  note('proposed');
  asked[0].say('running');
  await settled();
  assert.equal(state(), 'proposed');
  assert.equal(asked.length, 2, 'they are read again');
  asked[1].say('proposed');
  await read;
  assert.equal(state(), 'proposed');
});

test('records are read once at a time, and again where it was asked for meanwhile', async () => {
  const { runs, asked, state } = desk();
  const read = [runs.refresh(), runs.refresh(), runs.refresh()];
  await settled();
  assert.equal(asked.length, 1);
  asked[0].say('running');
  await settled();
  assert.equal(asked.length, 2);
  asked[1].say('done');
  await Promise.all(read);
  assert.equal(state(), 'done');
});

test('a question that failed does not bar the next', async () => {
  const { runs, asked, state } = desk();
  const read = runs.refresh();
  asked[0].fail(new Error('the server went away'));
  await assert.rejects(read, /went away/);
  const next = runs.refresh();
  asked[1].say('done');
  await next;
  assert.equal(state(), 'done');
});
