// Answers, beside the page that was asked from. Their citations are links of the server.

import * as vscode from 'vscode';
import { documentOf, runOf } from './addresses';
import type { Run } from './runs';
import type { Server } from './server';

export class Answers {
  constructor(private readonly server: Server) {}

  async open(run: Run): Promise<void> {
    if (run.op !== 'query') {
      return;
    }
    const document = await vscode.workspace.openTextDocument(documentOf(run.run, 'answer', 'answer.md'));
    await vscode.languages.setTextDocumentLanguage(document, 'markdown');
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false });
  }

  /** Proposes the answer that is looked at as a page. */
  async file(uri = vscode.window.activeTextEditor?.document.uri): Promise<void> {
    const at = uri && runOf(uri);
    if (at?.side === 'answer') {
      await this.server.execute('rigwiki.answer.file', { run: at.run });
    }
  }
}
