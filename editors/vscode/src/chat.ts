// @wiki in the chat, where VS Code has one: the wiki's own answer with its citations, no model of the chat.

import * as vscode from 'vscode';
import { documentOf } from './addresses';
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
    token.onCancellationRequested(() => void server.execute('rigwiki.cancel', { run }));
    const ended = await end(runs, run, (line) => stream.progress(line));
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

/** Waits for the end of a run. */
function end(runs: Runs, id: string, say: (line: string) => void): Promise<Run> {
  return new Promise((resolve) => {
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
    const subscription = runs.onDidChange((change) => {
      if (change?.run.run !== id) {
        return;
      }
      if (look(change.run)) {
        subscription.dispose();
      } else if (change.run.line) {
        say(change.run.line);
      }
    });
  });
}
