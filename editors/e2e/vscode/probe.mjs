// The driver's side of the probe: code for the extension host, and what it came to.

import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** Waits for windows; the newest one is asked. */
export class Probe {
  #server = createServer((socket) => this.#greet(socket));
  #socket;
  #ready = [];
  #waiting = new Map();
  #last = 0;

  async listen() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.#server.address().port;
  }

  close() {
    this.#socket?.destroy();
    this.#server.close();
  }

  /** Resolves when the next window has its extensions running. Call it before the window is opened. */
  next() {
    this.#socket = undefined;
    return new Promise((resolve) => this.#ready.push(resolve));
  }

  /** Runs the body of an async function (vscode, argument) in the extension host. What it returns must be JSON. */
  run(body, argument) {
    if (!this.#socket) {
      throw new Error('no window is open');
    }
    const id = ++this.#last;
    const answer = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      setTimeout(() => reject(new Error(`no answer of the extension host after a minute to ${body} ${JSON.stringify(argument)}`)), 60_000).unref();
    });
    answer.catch(() => {}); // a story that failed before it asked for the answer ends by itself, not the driver
    this.#socket.write(JSON.stringify({ id, body, argument }) + '\n');
    return answer;
  }

  #greet(socket) {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#gone(socket));
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line);
      if ('ready' in message) {
        this.#socket = socket;
        this.#ready.splice(0).forEach((tell) => tell(message.ready));
        return;
      }
      const { resolve, reject } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      // One that was given up already takes no more.
      message.error ? reject(new Error(message.error)) : resolve(message.value);
    });
  }

  #gone(socket) {
    if (socket !== this.#socket) {
      return;
    }
    this.#socket = undefined;
    this.#waiting.forEach(({ reject }) => reject(new Error('the window went away')));
    this.#waiting.clear();
  }
}
