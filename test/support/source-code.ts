/** A token of TypeScript source. Comments and white space are skipped. */
export interface Token {
  readonly kind: 'word' | 'text' | 'template' | 'regex' | 'sign';
  /** The source text; for a string or a template, the part between its quotes or up to its first substitution. */
  readonly text: string;
  readonly line: number;
}

/** A slash after one of these words starts a regular expression, not a division. */
const beforeRegex = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'throw',
  'new',
  'else',
]);

const wordStart = /[A-Za-z_$#\u0080-\uffff]/;
const word = /[\w$#\u0080-\uffff]+/y;
const numeral = /[\d.][\w.]*/y;

/** Splits a source into tokens. Handles comments, all quotes, nested templates and regular expressions. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  /** The number of open braces in each open template substitution. */
  const substitutions: number[] = [];
  let at = 0;
  let line = 1;

  const push = (kind: Token['kind'], text: string, end: number): void => {
    tokens.push({ kind, text, line });
    advance(end);
  };
  const advance = (end: number): void => {
    for (; at < end; at++) if (source[at] === '\n') line += 1;
  };
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0] ?? '';
  };
  const template = (): void => {
    const end = templateEnd(source, at + 1);
    const opens = source.startsWith('${', end);
    push('template', source.slice(at + 1, end), end + (opens ? 2 : 1));
    if (opens) substitutions.push(0);
  };

  while (at < source.length) {
    const character = source.charAt(at);
    const depth = substitutions.at(-1);
    if (source.startsWith('//', at)) advance(endOr(source.indexOf('\n', at), source));
    else if (source.startsWith('/*', at)) advance(endOr(source.indexOf('*/', at + 2), source) + 2);
    else if (/\s/.test(character)) advance(at + 1);
    else if (character === "'" || character === '"') {
      const end = quotedEnd(source, at + 1, character);
      push('text', source.slice(at + 1, end), end + 1);
    } else if (character === '`') template();
    else if (character === '}' && depth === 0) {
      substitutions.pop();
      template();
    } else if (wordStart.test(character)) push('word', match(word), at + match(word).length);
    else if (/\d/.test(character)) push('word', match(numeral), at + match(numeral).length);
    else if (character === '/' && mayStartRegex(tokens.at(-1))) {
      const end = regexEnd(source, at + 1);
      push('regex', source.slice(at, end), end);
    } else {
      if (depth !== undefined && (character === '{' || character === '}')) {
        substitutions[substitutions.length - 1] = depth + (character === '{' ? 1 : -1);
      }
      push('sign', character, at + 1);
    }
  }
  return tokens;
}

function endOr(index: number, source: string): number {
  return index === -1 ? source.length : index;
}

function quotedEnd(source: string, start: number, quote: string): number {
  let at = start;
  while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1;
  return at;
}

function templateEnd(source: string, start: number): number {
  let at = start;
  while (at < source.length && source[at] !== '`' && !source.startsWith('${', at)) {
    at += source[at] === '\\' ? 2 : 1;
  }
  return at;
}

function regexEnd(source: string, start: number): number {
  let at = start;
  let inClass = false;
  while (at < source.length && (inClass || source[at] !== '/')) {
    if (source[at] === '[') inClass = true;
    else if (source[at] === ']') inClass = false;
    at += source[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

function mayStartRegex(last: Token | undefined): boolean {
  if (last === undefined) return true;
  if (last.kind === 'word') return beforeRegex.has(last.text);
  return last.kind === 'sign' && ![')', ']', '}'].includes(last.text);
}

/** An import of a source. `specifier` is null if it is computed. */
export interface Import {
  readonly specifier: string | null;
  /** Whether the import is erased: `import type`, or only names with `type`. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** All imports of a source: of values and types, re-exports, `import()` as an expression and as a type, `require`. */
export function importsOf(source: string): readonly Import[] {
  const tokens = tokenize(source);
  const imports: Import[] = [];
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (token.kind !== 'word' || next === undefined || tokens[index - 1]?.text === '.') return;
    const named = next.kind === 'text';
    if (named && (token.text === 'from' || token.text === 'import')) {
      const typeOnly = token.text === 'from' && importsOnlyTypes(tokens, index);
      imports.push({ specifier: next.text, typeOnly, line: token.line });
    }
    if ((token.text === 'import' || token.text === 'require') && next.text === '(' && next.kind === 'sign') {
      const specifier = argument(tokens.slice(index + 2, index + 4));
      imports.push({ specifier, typeOnly: false, line: token.line });
    }
  });
  return imports;
}

function argument([first, second]: readonly Token[]): string | null {
  const isComplete = second?.kind === 'sign' && (second.text === ')' || second.text === ',');
  return isComplete && (first?.kind === 'text' || first?.kind === 'template') ? first.text : null;
}

/** Whether the statement with `from` at this index imports or exports only types. */
function importsOnlyTypes(tokens: readonly Token[], from: number): boolean {
  const start = tokens.findLastIndex(
    ({ kind, text }, index) => index < from && kind === 'word' && (text === 'import' || text === 'export'),
  );
  const [first, ...rest] = tokens.slice(start + 1, from);
  if (first?.text === 'type') return true;
  if (first?.text !== '{') return false;
  const names = [first, ...rest].filter((_, index, all) => ['{', ','].includes(all[index - 1]?.text ?? ''));
  return names.every(({ text }) => text === 'type' || text === '}');
}
