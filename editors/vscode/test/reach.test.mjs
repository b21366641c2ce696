// Every action can be reached by the keys, and is one that the sources know.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

const { contributes } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const { commands, menus, keybindings } = contributes;
const source = readFileSync(new URL('../src/commands.ts', import.meta.url), 'utf8');

const hidden = new Set(menus.commandPalette.filter((e) => e.when === 'false').map((e) => e.command));
const bound = new Set(keybindings.map((k) => k.command));
// Buttons of a row of a tree are for the mouse only; those of a comment or of an editor's title take the focus.
const inMenu = new Set(Object.entries(menus).filter(([menu]) => menu !== 'commandPalette').flatMap(([menu, entries]) =>
  entries.filter((e) => menu !== 'view/item/context' || !e.group.startsWith('inline')).map((e) => e.command)));

for (const { command } of commands) {
  test(command, () => {
    assert.ok(!hidden.has(command) || bound.has(command) || inMenu.has(command), 'neither palette, nor key, nor menu');
    assert.ok(source.includes(`'${command}':`), 'src/commands.ts does not know it');
  });
}

test('each button of a row is in its menu too', () => {
  const items = menus['view/item/context'];
  for (const { command, when } of items.filter((e) => e.group.startsWith('inline'))) {
    assert.ok(items.some((e) => e.command === command && e.when === when && !e.group.startsWith('inline')), `${command} when ${when}`);
  }
});

test('each command of the sources, and of a menu or a key, is declared', () => {
  const declared = new Set(commands.map((c) => c.command));
  const known = [...source.matchAll(/^    '(rig\.[\w.]+)':/gm)].map(([, name]) => name);
  assert.ok(known.length > 20);
  for (const name of [...known, ...bound, ...Object.values(menus).flat().map((e) => e.command)]) {
    assert.ok(declared.has(name), name);
  }
});

test('keys are those of macOS too, and no two commands share one', () => {
  keybindings.forEach((k) => assert.ok(k.mac && k.when, k.command));
  assert.equal(new Set(keybindings.map((k) => k.key)).size, keybindings.length);
});
