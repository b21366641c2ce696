// Runs in the extension host what the driver sends, and answers with what it came to: lines of JSON over a socket of 127.0.0.1.

const net = require('node:net');
const readline = require('node:readline');
const vscode = require('vscode');

exports.activate = (context) => {
  const socket = net.connect(Number(process.env.RIG_PROBE), '127.0.0.1');
  const say = (message) => socket.write(JSON.stringify(message) + '\n');
  // The window closes with its socket: nothing is left to say to.
  socket.on('error', () => socket.destroy());
  socket.on('connect', () => say({ ready: vscode.workspace.name ?? '' }));
  readline.createInterface({ input: socket }).on('line', async (line) => {
    const { id, body, argument } = JSON.parse(line);
    try {
      const run = new Function('vscode', 'argument', `return (async () => { ${body} })()`);
      say({ id, value: (await run(vscode, argument)) ?? null });
    } catch (error) {
      say({ id, error: String(error?.stack ?? error) });
    }
  });
  context.subscriptions.push({ dispose: () => socket.destroy() });
};
