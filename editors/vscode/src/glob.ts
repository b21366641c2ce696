// Globs as LSP writes them, in place of the library that the language client takes for them: `*` and `?` within a part of a path, `**`
// over any number of parts, `{a,b}`, `[a-z]` and `[!a-z]`.

/** A glob. Class and methods have the names that the client calls. */
export class Minimatch {
  private readonly expression: RegExp | false;

  constructor(glob: string, options?: { nocase?: boolean }) {
    this.expression = expressionOf(glob, options?.nocase ? 'iu' : 'u');
  }

  /** The expression, or false where the glob is none. */
  makeRe(): RegExp | false {
    return this.expression;
  }

  match(path: string): boolean {
    return this.expression && this.expression.test(path.replace(/\\/g, '/'));
  }
}

function expressionOf(glob: string, flags: string): RegExp | false {
  try {
    return new RegExp(`^${source(glob)}$`, flags);
  } catch {
    return false; // a range that is none, a brace without its end
  }
}

const parts = /\*\*\/|\*\*|\[(!?)([^\]]+)\]|[^]/gu;

const meanings: Record<string, string> = { '**/': '(?:[^/]*/)*', '**': '.*', '*': '[^/]*', '?': '[^/]' };

function source(glob: string): string {
  let braces = 0;
  return glob.replace(parts, (part: string, not?: string, range?: string) => {
    if (range !== undefined) {
      return `[${not ? '^/' : ''}${range.replace(/[\\[^]/g, '\\$&')}]`;
    }
    if (part === '{') {
      braces++;
      return '(?:';
    }
    if (part === '}' && braces > 0) {
      braces--;
      return ')';
    }
    return part === ',' && braces > 0 ? '|' : (meanings[part] ?? part.replace(/[\\^$.+()[\]{}|/]/, '\\$&'));
  });
}
