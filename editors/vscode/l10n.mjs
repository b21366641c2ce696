// l10n.mjs [--check] writes l10n/bundle.l10n.json: the strings of the sources, which a translation maps. With --check it only says
// whether that file, and the keys of package.nls.json, are those in use.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const source = readdirSync('src').map((f) => readFileSync(`src/${f}`, 'utf8')).join('\n');
const strings = [...source.matchAll(/l10n\.t\(\s*'((?:[^'\\]|\\.)*)'/g)].map(([, s]) => s.replace(/\\'/g, "'"));
const bundle = JSON.stringify(Object.fromEntries([...new Set(strings)].sort().map((s) => [s, s])), null, 2) + '\n';
const used = new Set([...readFileSync('package.json', 'utf8').matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key));
const known = new Set(Object.keys(JSON.parse(readFileSync('package.nls.json', 'utf8'))));
const wrong = [...used].filter((k) => !known.has(k)).concat([...known].filter((k) => !used.has(k)));

if (wrong.length > 0) {
  console.error(`package.nls.json and package.json differ in: ${wrong.join(', ')}`);
  process.exit(1);
}
if (!process.argv.includes('--check')) {
  writeFileSync('l10n/bundle.l10n.json', bundle);
} else if (readFileSync('l10n/bundle.l10n.json', 'utf8') !== bundle) {
  console.error('l10n/bundle.l10n.json is not current: node l10n.mjs');
  process.exit(1);
}
