// Accept and Reject above each hunk of a proposed page.

import * as vscode from 'vscode';
import { runOf, scheme } from './addresses';
import { newLines, partsOf, type Part } from './hunks';
import type { ShownFile } from './protocol';
import type { Proposals } from './proposals';

/** A part of a proposed page, as the commands of a hunk take it. */
export interface PartAt {
  run: string;
  path: string;
  id: string;
}

export class HunkLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;
  readonly onDidChangeCodeLenses = this.emitter.event;

  constructor(private readonly proposals: Proposals) {
    this.subscription = vscode.Disposable.from(
      proposals.onDidChange(() => this.emitter.fire()),
      vscode.languages.registerCodeLensProvider({ scheme }, this),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const at = await pageShown(this.proposals, document.uri);
    return at ? [...flags(at.file), ...partsOf(at.file).flatMap((part) => this.lenses(at.run, part))] : [];
  }

  dispose(): void {
    this.subscription.dispose();
    this.emitter.dispose();
  }

  private lenses(run: string, part: Part): vscode.CodeLens[] {
    const line = part.hunk ? newLines(part.hunk).start : 0;
    const range = new vscode.Range(line, 0, line, 0);
    if (!part.waits) {
      return [new vscode.CodeLens(range, { title: vscode.l10n.t('decided'), command: '' })];
    }
    const argument: PartAt = { run, path: part.path, id: part.id };
    const mark = this.proposals.mark(run, part);
    const lens = (title: string, command: string, tooltip: string) => new vscode.CodeLens(range, { title, command, tooltip, arguments: [argument] });
    return [
      mark === 'accepted'
        ? lens(vscode.l10n.t('$(check) Accepted'), 'rig.hunk.accept', vscode.l10n.t('Take the mark away'))
        : lens(vscode.l10n.t('Accept'), 'rig.hunk.accept', vscode.l10n.t('Mark this change as accepted')),
      mark === 'rejected'
        ? lens(vscode.l10n.t('$(x) Rejected'), 'rig.hunk.reject', vscode.l10n.t('Take the mark away'))
        : lens(vscode.l10n.t('Reject'), 'rig.hunk.reject', vscode.l10n.t('Mark this change as rejected')),
      lens(vscode.l10n.t('Why'), 'rig.hunk.why', vscode.l10n.t('Say where this change comes from')),
    ];
  }
}

/** Why a page needs a yes of its own, above it. */
function flags(file: ShownFile): vscode.CodeLens[] {
  const top = new vscode.Range(0, 0, 0, 0);
  return (file.reasons ?? []).map((f) => new vscode.CodeLens(top, { title: vscode.l10n.t('$(warning) flagged, Apply leaves it unless you accept it: {0}', f.reason), tooltip: f.rule, command: '' }));
}

/** The proposed page that a document shows. */
export async function pageShown(proposals: Proposals, uri: vscode.Uri): Promise<{ run: string; file: ShownFile } | undefined> {
  const at = runOf(uri);
  const run = at?.side === '' ? proposals.run(at.run) : undefined;
  if (!run) {
    return undefined;
  }
  const shown = await proposals.show(run.run);
  const root = `${vscode.Uri.file(run.wiki).path}/`;
  const file = shown.files.find((f) => uri.path === root + f.path);
  return file && { run: run.run, file };
}
