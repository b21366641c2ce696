// l10n.mjs [--check] writes l10n/bundle.l10n.json: the strings of the sources, which a translation maps. With --check it only says
// what is wrong: a string that is not current, a key of package.json without its text, a translation that lacks one or has one too many.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const check = process.argv.includes('--check');
const wrong = [];
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));

const literal = /l10n\.t\(\s*'((?:[^'\\]|\\.)*)'/g;
const strings = new Set();
for (const file of readdirSync('src')) {
  const source = readFileSync(`src/${file}`, 'utf8');
  const found = [...source.matchAll(literal)].map(([, s]) => s.replace(/\\'/g, "'"));
  found.forEach((s) => strings.add(s));
  if (found.length !== source.match(/l10n\.t\(/g)?.length && source.includes('l10n.t(')) {
    wrong.push(`src/${file}: a text of l10n.t is no literal in single quotes`);
  }
  // What is shown without l10n.t: the first argument of a message, a title, a label.
  for (const [, shown] of source.matchAll(/(?:Message\(|\b(?:title|label|placeHolder|prompt|tooltip): ?)(['`][^'`]*['`])/g)) {
    if (!/[a-z]{2} [a-z]/.test(shown.replace(/\$\{[^}]*\}/g, ''))) {
      continue; // made of what the server said
    }
    wrong.push(`src/${file}: ${shown} is shown and not translated`);
  }
}
const bundle = Object.fromEntries([...strings].sort().map((s) => [s, s]));
const text = JSON.stringify(bundle, null, 2) + '\n';
if (!check) {
  writeFileSync('l10n/bundle.l10n.json', text);
} else if (readFileSync('l10n/bundle.l10n.json', 'utf8') !== text) {
  wrong.push('l10n/bundle.l10n.json is not current: node l10n.mjs');
}

const keys = json('package.nls.json');
const used = new Set([...readFileSync('package.json', 'utf8').matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key));
same('package.json', Object.fromEntries([...used].map((k) => [k, ''])), 'package.nls.json', keys);
translations('.', /^package\.nls\.[\w-]+\.json$/).forEach((path) => translation(path, keys));
translations('l10n', /^bundle\.l10n\.[\w-]+\.json$/).forEach((path) => translation(path, bundle));

function translations(folder, name) {
  const found = readdirSync(folder).filter((f) => name.test(f)).map((f) => `${folder}/${f}`);
  return found.length > 0 ? found : (wrong.push(`${folder} has no translation`), []);
}

/** A translation has each key, nothing else, and in each text the places, icons, commands and settings of the original. */
function translation(path, original) {
  const texts = json(path);
  same(path, texts, 'the original', original);
  const fixed = (t) => [...t.matchAll(/\{\d\}|\$\([\w-]+\)|\(command:[^)]*\)|`[^`]+`/g)].map(String).sort().join(' ');
  for (const [key, was] of Object.entries(original)) {
    const now = texts[key] ?? '';
    if (now.trim() === '' || fixed(now) !== fixed(was)) {
      wrong.push(`${path}: ${key}: ${now || 'nothing'}`);
    }
  }
}

function same(a, inA, b, inB) {
  Object.keys(inA).filter((k) => !(k in inB)).forEach((k) => wrong.push(`${b} lacks "${k}" of ${a}`));
  Object.keys(inB).filter((k) => !(k in inA)).forEach((k) => wrong.push(`${a} lacks "${k}" of ${b}`));
}

if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
