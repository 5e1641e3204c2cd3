import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/adapters/evaluation/random.ts';
import { compilePattern, PatternError, patternCost } from '../../../src/adapters/shared/linear-pattern.ts';
import { compileUserSchema } from '../../../src/adapters/shared/user-schema/user-schema.ts';
import { cpuTime, limitOfTime } from '../../support/event-loop.ts';

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** Ranges of nearly all characters that have another case. */
const wide = (count: number) =>
  many(count, (k) => `${String.fromCodePoint(0x100 + k)}-${String.fromCodePoint(0x1e943 - k)}`).join('');

const hostile: readonly (readonly [name: string, pattern: string])[] = [
  ['many wide ranges under (?i)', `(?i)[${wide(240)}]`],
  ['a group with the flag', `(?i:[${wide(200)}])`],
  ['several flags', `(?si)[${wide(200)}]`],
  ['a flag after others that are taken away', `(?s-m)(?U-i)[${wide(200)}]`],
  ['a negated class', `(?i)[^${wide(200)}]`],
  [
    'a class of each range',
    `(?i)${many(150, (k) => `[${String.fromCodePoint(0x100 + k)}-\u{1e943}]`).join('')}`,
  ],
  ['escapes', `(?i)[${many(50, (k) => `\\x{${(256 + k).toString(16)}}-\\x{1e943}`).join('')}]`],
  ['ranges after a POSIX class', `(?i)[[:alpha:]${wide(200)}]`],
  ['hyphens as ends of ranges', `(?i)[${many(200, () => '--\u{1e942}').join('')}]`],
  ['ranges beside a Unicode class', `(?i)[\\pL${wide(100)}\\P{Lu}]`],
];

const harmless: readonly (readonly [name: string, pattern: string])[] = [
  ['wide ranges without the flag', `[${wide(240)}]`],
  ['a flag that is no group', `[${wide(200)}]\\(i`],
  ['Chinese and Latin letters', '(?i)^[a-z\u4e00-\u9fff]+$'],
  ['all characters', '(?i)[\\x{0}-\\x{10FFFF}]'],
  ['Unicode classes', `(?i)${'\\p{Lu}'.repeat(45)}`],
  ['classes of letters and digits', `(?i)${'\\w'.repeat(400)}`],
  [
    'a class of many characters, repeated',
    `[${many(480, (k) => String.fromCharCode(0x400 + 2 * k)).join('')}]{900}`,
  ],
];

/** The result of a call and the least processor time of up to three, of which two may be held up by other work. */
function leastTime<T>(call: () => T): { readonly result: T; readonly ms: number } {
  const first = cpuTime(call);
  if (first.ms < 10) return first;
  return { result: first.result, ms: Math.min(first.ms, cpuTime(call).ms, cpuTime(call).ms) };
}

describe('a pattern that takes long to compile is refused before', () => {
  test.each(hostile)('with %s', (_name, pattern) => {
    const { result, ms } = leastTime(() => {
      try {
        return compilePattern(pattern).size;
      } catch (error) {
        return error;
      }
    });
    expect(result).toBeInstanceOf(PatternError);
    expect(String(result)).toMatch(/ranges of \d+ characters under \(\?i\); expected at most 50000/);
    expect(ms).toBeLessThan(limitOfTime(50));
  });

  test('also where its repetitions stand beside a POSIX class that holds a bracket', () => {
    expect(() => compilePattern('a{900}[[:alpha:](]'.repeat(50))).toThrow('too large');
  });

  test('also in the syntax of ECMAScript', () => {
    const pattern = `(?i:[${many(50, (k) => `\\u{${(256 + k).toString(16)}}-\\u{1e943}`).join('')}])`;
    expect(() => compilePattern(pattern, 'ecmascript')).toThrow('under (?i)');
    expect(() => compilePattern(`${'[^]a{900}'.repeat(20)}[^]`, 'ecmascript')).toThrow('too large');
  });
});

describe('a pattern is compiled within 50 ms', () => {
  test.each(harmless)('with %s', (_name, pattern) => {
    expect(leastTime(() => compilePattern(pattern)).ms).toBeLessThan(limitOfTime(50));
  });

  test('whatever it is made of', () => {
    const random = createRandom(1);
    const parts = [
      ...[
        'a',
        '-',
        '\\-',
        '.',
        '|',
        '^',
        '$',
        '*',
        '+?',
        '{3}',
        '{2,9}',
        '(',
        ')',
        '(?:',
        '(?i)',
        '(?i:',
        '(?si-m:',
      ],
      ...[
        '[',
        '[^',
        ']',
        '[:alpha:]',
        '[:^ascii:]',
        '\\pL',
        '\\P{Lu}',
        '\\p{Any}',
        '\\w',
        '\\W',
        '\\d',
        '\\b',
        '\\x41',
      ],
      ...[
        '\\x{100}',
        '\\x{1e943}',
        '\\x{10ffff}',
        '\u0100',
        '\u{1e943}',
        '\u{10ffff}',
        '\\101',
        '[\u0100-\uc000]',
        '\\\\',
      ],
    ];
    let longest = { ms: 0, pattern: '' };
    for (let round = 0; round < 3_000; round++) {
      const pattern = many(Math.floor(random.next() ** 3 * 250), () => random.pick(parts))
        .join('')
        .slice(0, 1_000);
      const { result, ms } = leastTime(() => {
        try {
          const { size } = compilePattern(pattern);
          return { size, counted: patternCost(pattern).size };
        } catch (error) {
          if (!(error instanceof PatternError)) throw error;
          return undefined;
        }
      });
      if (result !== undefined) expect(result.size, pattern).toBeLessThan(2 * result.counted + 20);
      if (ms > longest.ms) longest = { ms, pattern };
    }
    expect(longest.ms, longest.pattern).toBeLessThan(limitOfTime(50));
  });

  test('and so are all patterns of a schema together', () => {
    const schema = {
      patternProperties: Object.fromEntries(
        many(200, (k) => [`(?i)[${String.fromCharCode(0x100 + k)}-\uc000]`, true]),
      ),
    };
    const { result, ms } = leastTime(() => compileUserSchema(schema));
    expect(result).toHaveProperty('invalid.0.message', 'the patterns are too large together');
    expect(ms).toBeLessThan(limitOfTime(100));
  });
});
