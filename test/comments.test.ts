import { describe, expect, test } from 'vitest';
import { parse, placeOf, type SourceFile, sourcesIn } from './support/source-code.ts';

const files = ['src', 'test', 'bench', 'console', 'build', 'examples', 'training'].flatMap(sourcesIn);

const MAX_LENGTH = 120;

/** The places of comment lines with more characters than allowed. */
function longLines(file: SourceFile): readonly string[] {
  const found: string[] = [];
  let from = 0;
  for (const line of file.source.split('\n')) {
    const to = from + line.length;
    const isLong = line.length > MAX_LENGTH;
    if (isLong && parse(file).comments.some(({ start, end }) => start < to && end > from)) {
      found.push(placeOf(file, from));
    }
    from = to + 1;
  }
  return found;
}

/** The places of comments that begin with a clause in place of a noun. Adjacent lines with `//` are one comment. */
function clauses(file: SourceFile): readonly string[] {
  const { comments } = parse(file);
  return comments.flatMap(({ type, value, start }, index) => {
    const before = comments[index - 1];
    const between = before?.type === 'Line' ? file.source.slice(before.end, start) : undefined;
    const goesOn = type === 'Line' && between !== undefined && /^\n[ \t]*$/.test(between);
    const begins = /^[\s*]*(?:What|Who|Whose|Whom|How|Whether|Why)\b/.test(value);
    return begins && !goesOn ? [placeOf(file, start)] : [];
  });
}

describe('comments', () => {
  test(`have lines of at most ${MAX_LENGTH} characters`, () => {
    expect(files.flatMap(longLines)).toEqual([]);
  });

  test('begin with no clause such as "What …" or "Whether …"', () => {
    expect(files.flatMap(clauses)).toEqual([]);
  });
});

describe('the check itself', () => {
  test.each([
    '/** Whether it is. */ const a = 1;',
    '/**\n * How many.\n */\nconst a = 1;',
    '// What it is.\nconst a = 1;',
    'const a = 1; // Why\n',
    '/** A noun. */\n// Who did it.\nconst a = 1;',
  ])('finds the clause in %j', (source) => {
    expect(clauses({ path: 'a.ts', source })).toHaveLength(1);
  });

  test.each([
    '/** The number of what is there. */ const a = 1;',
    '// It depends on\n// Whether it is.\nconst a = 1;',
    '// Whatever.\nconst a = "// What";',
  ])('finds no clause in %j', (source) => {
    expect(clauses({ path: 'a.ts', source })).toEqual([]);
  });

  test('finds long lines of comments alone', () => {
    const long = 'x'.repeat(MAX_LENGTH);
    const source = `const a = '${long}';\n// ${long}\n/**\n * ${long}\n * x\n */\nconst b = 1; // ${long}\n`;
    expect(longLines({ path: 'a.ts', source })).toEqual(['a.ts:2', 'a.ts:4', 'a.ts:7']);
  });
});
