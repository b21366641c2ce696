// Comments on lines of a proposed page. Each is a wish for a revision, sent with Revise.

import * as vscode from 'vscode';
import { runOf } from './addresses';
import { newLines, partsOf } from './hunks';
import { pageShown } from './lenses';
import type { Proposals } from './proposals';

/** What is asked of a revision, and the hunks that it is about. */
export interface Wishes {
  text: string;
  hunks: string[];
}

class Wish implements vscode.Comment {
  mode = vscode.CommentMode.Preview;
  author = { name: vscode.l10n.t('You') };
  label = vscode.l10n.t('for the revision');
  constructor(public body: string) {}
}

export class Comments implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('rig.revision', vscode.l10n.t('Revision of a proposal'));
  private threads: vscode.CommentThread[] = [];

  constructor(private readonly proposals: Proposals) {
    this.controller.options = { prompt: vscode.l10n.t('What should be different?'), placeHolder: vscode.l10n.t('The agent gets this with the change that it is about') };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: async (document) =>
        (await pageShown(proposals, document.uri)) ? [new vscode.Range(0, 0, Math.max(0, document.lineCount - 1), 0)] : [],
    };
  }

  /** Keeps a comment until the revision is asked for. */
  add(reply: vscode.CommentReply): void {
    reply.thread.comments = [...reply.thread.comments, new Wish(reply.text)];
    reply.thread.label = vscode.l10n.t('Revision asked for');
    reply.thread.canReply = true;
    if (!this.threads.includes(reply.thread)) {
      this.threads.push(reply.thread);
    }
  }

  remove(thread: vscode.CommentThread): void {
    this.threads = this.threads.filter((t) => t !== thread);
    thread.dispose();
  }

  /** All that was asked for of a run. */
  async wishes(run: string): Promise<Wishes> {
    const lines: string[] = [];
    const hunks = new Set<string>();
    for (const thread of this.threads.filter((t) => runOf(t.uri)?.run === run)) {
      const at = await pageShown(this.proposals, thread.uri);
      const line = thread.range?.start.line ?? 0;
      const said = thread.comments.map((c) => (typeof c.body === 'string' ? c.body : c.body.value)).join(' ');
      lines.push(`${at?.file.path ?? thread.uri.path}, line ${line + 1}: ${said}`);
      for (const part of at ? partsOf(at.file) : []) {
        const where = part.hunk && newLines(part.hunk);
        if (part.hunk?.text && where && where.start <= line && line <= where.end) {
          hunks.add(part.id);
        }
      }
    }
    return { text: lines.join('\n'), hunks: [...hunks] };
  }

  /** Takes the comments of a run away: they were sent. */
  sent(run: string): void {
    this.threads.filter((t) => runOf(t.uri)?.run === run).forEach((t) => this.remove(t));
  }

  dispose(): void {
    this.controller.dispose();
  }
}
