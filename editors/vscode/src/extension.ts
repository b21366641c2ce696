// Starts the server and puts the parts together. What can be offered, previewed, applied or undone is the server's to decide.

import * as vscode from 'vscode';
import { Agents } from './agents';
import { Answers } from './answer';
import { answerIn, type Chat, registerChat } from './chat';
import { registerCommands } from './commands';
import { Comments } from './comments';
import { showGutter } from './gutter';
import { HunkLenses } from './lenses';
import { provideLinks } from './links';
import { Outcome } from './outcome';
import { showProgress } from './progress';
import { Proposals } from './proposals';
import { ProposalsView } from './proposalsView';
import { Review } from './review';
import { Runs } from './runs';
import { RunsView } from './runsView';
import { Server } from './server';
import { Starter } from './start';
import { logRuns } from './timeline';

/** What this extension tells others: for who measures, how long it took until all was ready, in milliseconds; and what answers in the chat. */
export interface Api {
  ready: number;
  server: number;
  chat: Chat;
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const since = performance.now();
  const output = vscode.window.createOutputChannel('Rig Wiki', { log: true });
  const server: Server = new Server(context, output, { review: (run) => review.open(run) });
  const runs = new Runs(server);
  const proposals: Proposals = new Proposals(server, runs, context.workspaceState);
  const review: Review = new Review(proposals);
  const comments = new Comments(proposals);
  const agents = new Agents(server);
  const answers = new Answers(server);
  const chat = answerIn(server, runs);
  const starter = new Starter(server, agents);
  context.subscriptions.push(
    output, server, runs, proposals, review, comments, agents,
    logRuns(output, runs),
    showProgress(server, runs),
    showGutter(context, proposals),
    provideLinks(server),
    new HunkLenses(proposals),
    new ProposalsView(proposals),
    new RunsView(runs),
    new Outcome(server, runs, review, answers),
    registerChat(chat),
    ...registerCommands({ server, runs, proposals, review, comments, starter, agents, answers, output }),
  );
  await server.start();
  return { ready: performance.now() - since, server: server.startTook, chat };
}
