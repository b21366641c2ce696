// @wiki in the chat, where VS Code has one: the wiki's own answer with its citations, no model of the chat.

import * as vscode from 'vscode';
import { documentOf } from './addresses';
import { told } from './failures';
import { isUnderWay } from './protocol';
import { mayRun } from './middleware';
import type { Run, Runs } from './runs';
import type { Server } from './server';

/** What the participant needs of VS Code's chat. */
type Asked = Pick<vscode.ChatRequest, 'prompt'>;
type Said = Pick<vscode.ChatResponseStream, 'markdown' | 'progress' | 'button' | 'reference'>;

export type Chat = (request: Asked, context: unknown, stream: Said, token: vscode.CancellationToken) => Promise<void>;

export function registerChat(chat: Chat): vscode.Disposable {
  if (!vscode.chat?.createChatParticipant) {
    return new vscode.Disposable(() => undefined);
  }
  const participant = vscode.chat.createChatParticipant('rig.wiki', chat);
  participant.iconPath = new vscode.ThemeIcon('book');
  return participant;
}

/** Answers a question of the chat with a run of the server. */
export function answerIn(server: Server, runs: Runs): Chat {
  return async (request, _, stream, token) => {
    if (!mayRun()) {
      stream.markdown(vscode.l10n.t('This workspace is not trusted: no agent is started in it.'));
      return;
    }
    const { run } = await server.execute<{ run: string }>('rigwiki.query', { question: request.prompt, ...server.here() });
    token.onCancellationRequested(() => told(server.execute('rigwiki.cancel', { run })));
    const ended = await end(server, runs, run, (line) => stream.progress(line));
    if (ended.state !== 'done') {
      stream.markdown(ended.message || ended.state);
      return;
    }
    const answer = await vscode.workspace.openTextDocument(documentOf(run, 'answer', 'answer.md'));
    stream.markdown(answer.getText());
    for (const page of new Set((await server.links(answer.uri, token)).map((link) => link.target?.with({ fragment: '' }).toString()))) {
      page && stream.reference(vscode.Uri.parse(page));
    }
    stream.button({ command: 'rig.answer.file', title: vscode.l10n.t('File as page'), arguments: [answer.uri] });
  };
}

/** Waits for the end of a run. A server that goes away takes its runs with it. */
function end(server: Server, runs: Runs, id: string, say: (line: string) => void): Promise<Run> {
  return new Promise((resolve, reject) => {
    const look = (run: Run | undefined): boolean => {
      if (!run || isUnderWay(run.state)) {
        return false;
      }
      resolve(run);
      return true;
    };
    if (look(runs.get(id))) {
      return;
    }
    const subscription = vscode.Disposable.from(
      runs.onDidChange((change) => {
        if (look(runs.get(id))) {
          subscription.dispose();
        } else if (change?.run.run === id && change.run.line) {
          say(change.run.line);
        }
      }),
      server.onGone(() => {
        subscription.dispose();
        reject(new Error(vscode.l10n.t('The rig server ended during the run.')));
      }),
    );
  });
}
