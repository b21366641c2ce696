// Marks in the gutter of a proposed page: what is accepted, what is rejected.

import * as vscode from 'vscode';
import { pageShown } from './lenses';
import { newLines, partsOf } from './hunks';
import type { Mark, Proposals } from './proposals';

export function showGutter(context: vscode.ExtensionContext, proposals: Proposals): vscode.Disposable {
  const icon = (name: string) => vscode.Uri.file(context.asAbsolutePath(`media/${name}.svg`));
  const types: Record<Mark, vscode.TextEditorDecorationType> = {
    accepted: vscode.window.createTextEditorDecorationType({
      gutterIconPath: icon('accepted'), gutterIconSize: 'contain', overviewRulerColor: new vscode.ThemeColor('gitDecoration.addedResourceForeground'),
    }),
    rejected: vscode.window.createTextEditorDecorationType({
      gutterIconPath: icon('rejected'), gutterIconSize: 'contain', opacity: '0.5', textDecoration: 'line-through', isWholeLine: true,
      overviewRulerColor: new vscode.ThemeColor('gitDecoration.deletedResourceForeground'),
    }),
    later: vscode.window.createTextEditorDecorationType({ opacity: '0.7', isWholeLine: true }),
  };
  const paint = async (editor: vscode.TextEditor) => {
    const at = await pageShown(proposals, editor.document.uri);
    if (!at) {
      return;
    }
    for (const mark of Object.keys(types) as Mark[]) {
      const parts = partsOf(at.file).filter((p) => proposals.mark(at.run, p) === mark);
      editor.setDecorations(types[mark], parts.map((p) => rangeOf(p.hunk && newLines(p.hunk), editor.document)));
    }
  };
  const all = () => vscode.window.visibleTextEditors.forEach((e) => void paint(e));
  return vscode.Disposable.from(...Object.values(types), proposals.onDidChange(all), vscode.window.onDidChangeVisibleTextEditors(all));
}

function rangeOf(lines: { start: number; end: number } | undefined, document: vscode.TextDocument): vscode.Range {
  const { start, end } = lines ?? { start: 0, end: document.lineCount };
  return new vscode.Range(start, 0, Math.max(start, end - 1), 0);
}
