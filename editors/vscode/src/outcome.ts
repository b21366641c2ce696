// What happens at the end of a run: a review, an answer, a sentence with an Undo. What went wrong the server says itself.

import * as vscode from 'vscode';
import type { Answers } from './answer';
import { told } from './failures';
import { prepare, type Review } from './review';
import type { Change, Run, Runs } from './runs';
import type { Server } from './server';

/** How long a sentence that needs no answer stays in the status bar, milliseconds. */
const sayFor = 8000;

export class Outcome implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;

  constructor(private readonly server: Server, runs: Runs, private readonly review: Review, private readonly answers: Answers) {
    this.subscription = runs.onDidChange((change) => {
      if (change) {
        told(this.follow(change));
      }
    });
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async follow({ run, before, note }: Change): Promise<void> {
    if (run.state === 'running' && before !== 'running') {
      await prepare();
    } else if (run.state === 'proposed' && before !== 'proposed') {
      await this.proposed(run, note.preview);
    } else if (run.state === 'done' && before !== 'done') {
      await this.answers.open(run);
    } else if ((run.state === 'applied' || run.state === 'partly') && note.message) {
      await this.applied(run, note.message, before);
    } else if (run.state === 'discarded' || run.state === 'cancelled') {
      await this.review.close(run.run);
      vscode.window.setStatusBarMessage(`${run.title}: ${note.message || run.state}`, sayFor);
    }
  }

  /** The review opens by itself for a run of this window; one of another program is told. */
  private async proposed(run: Run, preview: string | undefined): Promise<void> {
    const settings = vscode.workspace.getConfiguration('rigwiki', vscode.Uri.file(run.wiki));
    if (preview ? preview !== 'review' : settings.get<string>('preview', 'auto') !== 'auto') {
      return; // the server shows it by the rung that the user wants
    }
    const own = preview !== undefined; // that a run is known says nothing: those of other programs are in the list too
    if (own && settings.get<boolean>('openReview', true)) {
      await this.review.open(run.run);
      return;
    }
    const open = vscode.l10n.t('Review');
    if ((await vscode.window.showInformationMessage(vscode.l10n.t('{0} waits for your review', run.title), open)) === open) {
      await this.review.open(run.run);
    }
  }

  private async applied(run: Run, message: string, before: Run['state'] | undefined): Promise<void> {
    if (!run.waits && run.state === 'applied') {
      await this.review.close(run.run);
    }
    if (before === run.state) {
      vscode.window.setStatusBarMessage(message, sayFor);
      return;
    }
    const undo = vscode.l10n.t('Undo');
    const save = vscode.l10n.t('Save all');
    const unsaved = vscode.workspace.textDocuments.some((d) => d.isDirty && d.uri.fsPath.startsWith(run.wiki));
    const said = await vscode.window.showInformationMessage(`${run.title}: ${message}`, ...(unsaved ? [save, undo] : [undo]));
    if (said === undo) {
      await this.server.execute('rigwiki.run.undo', { run: run.run });
    } else if (said === save) {
      await vscode.workspace.saveAll();
    }
  }
}
