// Which agent and model runs here: in the status bar, to be picked from the usable ones.

import * as vscode from 'vscode';
import type { Agent } from './protocol';
import type { Server } from './server';

export class Agents implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('rig.agent', vscode.StatusBarAlignment.Right, 90);
  private readonly subscription: vscode.Disposable;
  private list: Agent[] = [];

  constructor(private readonly server: Server) {
    this.item.name = vscode.l10n.t('Rig: agent');
    this.item.command = 'rig.agent';
    this.subscription = vscode.Disposable.from(
      this.item,
      server.onReady(() => void this.refresh().catch((error: unknown) => server.log(error))),
      vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration('rigwiki') && this.show()),
    );
  }

  /** The agent that a run takes where nobody names one, and its model. */
  current(): { agent: string; model: string } {
    const section = vscode.workspace.getConfiguration('rigwiki');
    const agent = section.get<string>('defaultAgent') || this.list.find((a) => a.default)?.name || '';
    return { agent, model: section.get<Record<string, string>>('models', {})[agent] ?? '' };
  }

  /** Lets the user pick an agent, then a model. What cannot run is shown last, with the reason. */
  async pick(): Promise<void> {
    await this.refresh();
    const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { agent?: Agent }>();
    const usable = this.list.filter((a) => a.usable);
    const others = this.list.filter((a) => !a.usable);
    pick.title = vscode.l10n.t('The agent that runs in your wikis');
    pick.matchOnDescription = true;
    pick.items = [
      ...usable.map((agent) => ({ label: `$(check) ${agent.name}`, description: agent.version, detail: agent.default ? vscode.l10n.t('used now') : '', agent })),
      ...(others.length > 0 ? [{ label: vscode.l10n.t('cannot run here'), kind: vscode.QuickPickItemKind.Separator }] : []),
      ...others.map((agent) => ({ label: `$(circle-slash) ${agent.name}`, description: agent.why, agent })),
    ];
    const agent = await new Promise<Agent | undefined>((resolve) => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.agent));
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
    pick.dispose();
    if (!agent) {
      return;
    }
    if (!agent.usable) {
      void vscode.window.showWarningMessage(vscode.l10n.t('{0} cannot run here: {1}', agent.name, agent.why));
      return;
    }
    const set = vscode.workspace.getConfiguration('rigwiki').inspect<string>('defaultAgent');
    const { overridden } = await this.server.execute<{ overridden?: string }>('rigwiki.agent.use', { name: agent.name });
    await vscode.workspace.getConfiguration('rigwiki').update('defaultAgent', undefined, vscode.ConfigurationTarget.Global);
    if (overridden && (set?.workspaceValue || set?.workspaceFolderValue || !set?.globalValue)) { // else it was the setting just taken back
      void vscode.window.showWarningMessage(overridden);
    }
    await this.refresh();
    await this.pickModel(agent.name);
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async pickModel(agent: string): Promise<void> {
    if (agent === 'builtin') {
      return; // it has none
    }
    const section = vscode.workspace.getConfiguration('rigwiki');
    const models = section.get<Record<string, string>>('models', {});
    const model = await vscode.window.showInputBox({
      title: vscode.l10n.t('Model of {0}', agent), value: models[agent] ?? '', prompt: vscode.l10n.t('As the agent names it; empty for its own default'),
    });
    if (model !== undefined) {
      const { [agent]: _, ...rest } = models;
      await section.update('models', model ? { ...rest, [agent]: model } : rest, vscode.ConfigurationTarget.Global);
    }
  }

  private async refresh(): Promise<void> {
    this.list = (await this.server.execute<{ agents: Agent[] }>('rigwiki.agent.list', {})).agents;
    this.show();
  }

  private show(): void {
    const { agent, model } = this.current();
    const found = this.list.find((a) => a.name === agent);
    this.item.text = `$(${found?.usable === false ? 'warning' : 'hubot'}) ${[agent, model].filter(Boolean).join(' · ')}`;
    this.item.tooltip = found?.usable === false ? vscode.l10n.t('{0} cannot run here: {1}', agent, found.why) : vscode.l10n.t('The agent that runs in your wikis');
    this.item.accessibilityInformation = { label: vscode.l10n.t('Rig agent: {0}', [agent, model].filter(Boolean).join(', ')) };
    this.item.show();
  }
}
