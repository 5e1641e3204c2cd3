import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExpression } from '../../../../src/adapters/shared/expressions/expression.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { runsOf } from '../../../support/extent.ts';

/** An expression, and what it is in plain code. */
interface Sample<T> {
  readonly source: string;
  readonly value: (input: Input) => T;
}

interface Input extends JsonObject {
  readonly a: number;
  readonly b: number;
  readonly text: string;
  readonly list: readonly number[];
}

const input: fc.Arbitrary<Input> = fc.record({
  a: fc.integer({ min: -50, max: 50 }),
  b: fc.integer({ min: -50, max: 50 }),
  text: fc.string({ maxLength: 8 }),
  list: fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 6 }),
});

const { number, boolean, text } = fc.letrec<{
  number: Sample<number>;
  boolean: Sample<boolean>;
  text: Sample<string>;
}>((tie) => ({
  number: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.integer({ min: 0, max: 99 }).map((value) => ({ source: String(value), value: () => value })),
    fc.constantFrom<Sample<number>>(
      { source: 'input.a', value: ({ a }) => a },
      { source: 'input["b"]', value: ({ b }) => b },
      { source: 'size(input.list)', value: ({ list }) => list.length },
      {
        source: 'input.list.filter(x, x > 0).map(x, x + 1).size()',
        value: ({ list }) => list.filter((item) => item > 0).length,
      },
    ),
    fc.tuple(tie('number'), fc.constantFrom('+', '-', '*'), tie('number')).map(([left, name, right]) => ({
      source: `(${left.source} ${name} ${right.source})`,
      value: (given: Input) => calculate(name, left.value(given), right.value(given)),
    })),
    fc.tuple(tie('boolean'), tie('number'), tie('number')).map(([condition, yes, no]) => ({
      source: `(${condition.source} ? ${yes.source} : ${no.source})`,
      value: (given: Input) => (condition.value(given) ? yes : no).value(given),
    })),
  ),
  boolean: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.boolean().map((value) => ({ source: String(value), value: () => value })),
    fc
      .tuple(tie('number'), fc.constantFrom('<', '<=', '==', '!=', '>=', '>'), tie('number'))
      .map(([left, name, right]) => ({
        source: `${left.source} ${name} ${right.source}`,
        value: (given: Input) => compare(name, left.value(given), right.value(given)),
      })),
    fc.tuple(tie('boolean'), fc.constantFrom('&&', '||'), tie('boolean')).map(([left, name, right]) => ({
      source: `(${left.source} ${name} ${right.source})`,
      value: (given: Input) =>
        name === '&&' ? left.value(given) && right.value(given) : left.value(given) || right.value(given),
    })),
    tie('boolean').map(({ source, value }) => ({
      source: `!(${source})`,
      value: (given: Input) => !value(given),
    })),
    tie('number').map(({ source, value }) => ({
      source: `${source} in input.list`,
      value: (given: Input) => given.list.includes(value(given)),
    })),
    tie('number').map(({ source, value }) => ({
      source: `input.list.exists(x, x >= ${source})`,
      value: (given: Input) => given.list.some((item) => item >= value(given)),
    })),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => ({
      source: `${one.source}.contains(${other.source})`,
      value: (given: Input) => one.value(given).includes(other.value(given)),
    })),
  ),
  text: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ maxLength: 4 }).map((value) => ({ source: quote(value), value: () => value })),
    fc.constant<Sample<string>>({ source: 'input.text', value: (given) => given.text }),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => ({
      source: `(${one.source} + ${other.source})`,
      value: (given: Input) => one.value(given) + other.value(given),
    })),
    tie('number').map(({ source, value }) => ({
      source: `string(${source})`,
      value: (given: Input) => String(value(given)),
    })),
  ),
}));

function quote(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => unit);
}

function calculate(name: string, left: number, right: number): number {
  const result = name === '+' ? left + right : name === '-' ? left - right : left * right;
  return result === 0 ? 0 : result;
}

function compare(name: string, left: number, right: number): boolean {
  const holds: Readonly<Record<string, boolean>> = {
    '<': left < right,
    '<=': left <= right,
    '==': left === right,
    '!=': left !== right,
    '>=': left >= right,
    '>': left > right,
  };
  return holds[name] ?? false;
}

describe('a random expression', () => {
  test.each([
    ['number', number],
    ['boolean', boolean],
    ['text', text],
  ] as const)('has the value that plain code has: %s', (_kind, sample) => {
    fc.assert(
      fc.property<[Sample<unknown>, Input]>(sample, input, ({ source, value }, given) => {
        fc.pre(source.length < 4_000);
        const expected = value(given);
        fc.pre(typeof expected !== 'number' || Number.isSafeInteger(expected));
        expect(parseExpression(source, ['input']).evaluate({ input: given })).toBe(expected);
      }),
      { numRuns: runsOf(100, 300) },
    );
  });

  test('of any characters is refused or evaluated, with errors that are told', () => {
    const token = fc.constantFrom(
      ...[
        'input',
        '.a',
        '[0]',
        '(',
        ')',
        '{',
        '}',
        '"',
        "'",
        '+',
        '-',
        '*',
        '?',
        ':',
        ',',
        '!',
        ' ',
        '1',
        '1.5',
      ],
      ...[
        'has(',
        'size(',
        '.map(x, x)',
        '.matches("a")',
        ' in ',
        '&&',
        '||',
        '==',
        '\\',
        '`',
        '😀',
        'null',
        '//',
      ],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        try {
          parseExpression(tokens.join(''), ['input']).evaluate({ input: { a: [1, 'x', { a: null }] } });
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringMatching(/\S/), path: [] });
          expect(['ExpressionError', 'WorkLimitError']).toContain(error instanceof Error ? error.name : '');
        }
      }),
      { numRuns: runsOf(600, 2_000) },
    );
  });
});
