// build.mjs makes dist/extension.js, with the language client cut down to what rig's server offers. The client's packages are CommonJS as
// TypeScript emits it, which no bundler can thin out: here each of their modules becomes an ES module first. What this does not know in
// a newer version of them stops the build.

import { readFileSync, statSync } from 'node:fs';
import esbuild from 'esbuild';
import { unused } from './unused.mjs';

/** How large the bundle may be, bytes. */
const limit = 300_000;

const packages = /node_modules\/(vscode-languageclient|vscode-languageserver-protocol|vscode-languageserver-types|vscode-languageserver-textdocument|vscode-jsonrpc)\//;
const feature = new RegExp(`vscode-languageclient/lib/common/(${Object.keys(unused).join('|')})\\.js$`);

/** What stands in for a feature that the server never offers: the client makes one of each, and asks no more of it. */
const inert = "{ getState() { return { kind: 'static' }; } fillClientCapabilities() {} initialize() {} clear() {} }";

const thin = {
  name: 'thin',
  setup(build) {
    build.onResolve({ filter: /^minimatch$/ }, () => ({ path: new URL('./src/glob.ts', import.meta.url).pathname }));
    // package.json says which VS Code is needed, and VS Code sees to it.
    build.onResolve({ filter: /^semver\// }, ({ path }) => ({ path, namespace: 'semver' }));
    build.onLoad({ filter: /.*/, namespace: 'semver' }, () => ({ contents: 'export default () => true;' }));
    build.onLoad({ filter: packages }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      return { contents: feature.test(path) ? stub(text) : esm(text, path), loader: 'js' };
    });
  },
};

function stub(text) {
  return exported(text).map((name) => `export class ${name} ${inert}`).join('\n');
}

/** The names that a module exports, as TypeScript lists them at its top. */
function exported(text) {
  const [list = ''] = /^exports\..*= void 0;$/m.exec(text) ?? [];
  return [...list.matchAll(/exports\.(\w+) =/g)].map(([, name]) => name);
}

/** An ES module of what TypeScript emitted as CommonJS. */
function esm(text, path) {
  const from = {}; // what was required, by the name that it has here
  const exports = new Set();
  const out = text
    .replace(/^"use strict";$/gm, '')
    .replace(/^var __\w+ = \(this && this\.__\w+\) \|\| [^]*?^(\}\)?\)?(\(\))?;)$/gm, '')
    .replace(/^Object\.defineProperty\(exports, "__esModule", \{ value: true \}\);$/gm, '')
    .replace(/^(exports\.\w+ = )+void 0;$/gm, '')
    .replace(/^(?:const|var) (\w+) = (__importStar\(|__importDefault\()?require\(("[^"]+")\)\)?;$/gm, (_, name, helper, spec) => {
      from[name] = spec;
      return helper || name.endsWith('_1') ? `import * as ${name} from ${spec};` : `import ${name} from ${spec};`;
    })
    .replace(/^__exportStar\(require\(("[^"]+")\), exports\);$/gm, 'export * from $1;')
    .replace(/^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return (\w+)\.(\w+); \} \}\);$/gm, (_, as, name, of) => `export { ${of} as ${as} } from ${from[name]};`)
    .replace(/^exports\.default = (\w+);$/gm, 'export default $1;')
    .replace(/^exports\.(\w+) = \1;$/gm, (_, name) => exports.add(name) && '')
    .replace(/^\}\)\((\w+) \|\| \(exports\.\1 = \1 = \{\}\)\);$/gm, (_, name) => exports.add(name) && `})(${name} || (${name} = {}));`)
    .replace(/^exports\.(\w+) = /gm, 'export const $1 = ')
    .replace(/\bexports\.(\w+)\b/g, '$1')
    // A namespace or an enumeration makes a value and does nothing else: who does not use it need not have it.
    .replace(/^(export )?var (\w+);\n((?:\/\*\*[^]*?\*\/\n)?)\(function \(\2\) \{$([^]*?)^\}\)\(\2 \|\| \(\2 = \{\}\)\);$/gm, '$1var $2 = /* @__PURE__ */ (function ($2) {$4return $2;\n})({});');
  const left = /\brequire\(|\bexports\b|\b__(importStar|importDefault|exportStar|createBinding)\b/.exec(out.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, ''));
  if (left) {
    throw new Error(`build: ${path}: no ES module can be made of it yet: ${out.slice(left.index, left.index + 120)}`);
  }
  return exports.size > 0 ? `${out}\nexport { ${[...exports].join(', ')} };` : out;
}

const { warnings } = await esbuild.build({
  entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', bundle: true, minify: true, platform: 'node', target: 'node20', format: 'cjs',
  external: ['vscode'], legalComments: 'none', plugins: [thin], logLevel: 'warning',
});
const size = statSync('dist/extension.js').size;
console.log(`dist/extension.js has ${size} bytes`);
if (warnings.length > 0 || size > limit) {
  console.error(`build: ${warnings.length} warnings, ${size} bytes of at most ${limit}`);
  process.exit(1);
}
