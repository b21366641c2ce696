// Finds the rig program: the setting, else PATH, else the one in this extension.

import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';

const run = promisify(execFile);
const name = process.platform === 'win32' ? 'rig.exe' : 'rig';

/** Where rig is, and who says so. */
export interface Binary {
  path: string;
  from: 'setting' | 'path' | 'bundled';
}

/** Finds rig, or says why there is none in a sentence for the user. */
export async function findBinary(context: vscode.ExtensionContext): Promise<Binary | string> {
  const set = vscode.workspace.getConfiguration('rigwiki').get<string>('path')?.trim();
  if (set) {
    return (await executable(set)) ? { path: set, from: 'setting' } : vscode.l10n.t('The setting rigwiki.path names {0}, which is no program.', set);
  }
  for (const dir of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(dir, name);
    if (await executable(path)) {
      return { path, from: 'path' };
    }
  }
  const bundled = context.asAbsolutePath(join('bin', name));
  if (await executable(bundled)) {
    return { path: bundled, from: 'bundled' };
  }
  return vscode.l10n.t('There is no rig program: not on PATH, and none comes with this build of the extension.');
}

/** Runs a verb of `rig wiki` that needs no editor, and returns what it says. */
export async function wikiVerb(binary: Binary, args: string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await run(binary.path, ['wiki', ...args], { cwd });
  return (stdout + stderr).trim();
}

async function executable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(() => true, () => false);
}
