import assert from 'node:assert/strict';
import test from 'node:test';
import { Minimatch } from '../src/glob.ts';

const cases = [
  ['**', ['/w/a.md', '/home/.notes/a.md', ''], []],
  ['**/*.md', ['a.md', '/w/a.md', '/w/.x/ü 😀.md'], ['/w/a.mdx', '/w/a_md']],
  ['**/raw/**', ['/w/raw/a.md', '/w/raw/x/y.txt'], ['/w/raws/a.md', '/w/raw']],
  ['*.{md,txt}', ['a.md', 'a.txt'], ['a.md,txt', 'x/a.md', 'a.']],
  ['page-[0-9]?.md', ['page-1x.md'], ['page-x1.md', 'page-1.md', 'page-1/.md']],
  ['[!a-c].md', ['d.md'], ['a.md', '/.md']],
  ['a,b (1)+$^|.md', ['a,b (1)+$^|.md'], ['aab (1)+$^|.md']],
  ['a}.md', ['a}.md'], []],
];

for (const [glob, yes, no] of cases) {
  test(`glob ${glob}`, () => {
    const m = new Minimatch(glob);
    assert.ok(m.makeRe());
    yes.forEach((p) => assert.ok(m.match(p), `${p} fits`));
    no.forEach((p) => assert.ok(!m.match(p), `${p} does not fit`));
  });
}

test('paths of Windows, and names in any case', () => {
  assert.ok(new Minimatch('**/*.md').match('c:\\w\\a.md'));
  assert.ok(new Minimatch('*.MD', { nocase: true }).match('a.md'));
  assert.ok(!new Minimatch('*.MD').match('a.md'));
});

test('what is no glob', () => {
  assert.equal(new Minimatch('{a,b').makeRe(), false);
  assert.equal(new Minimatch('[z-a]').match('z'), false);
});
