import { describe, expect, test } from 'vitest';
import { ExpressionError, parseExpression } from '../../../../src/adapters/shared/expressions/expression.ts';

const roots = ['input', 'steps'];
const values = {
  input: { nothing: null, name: 'Ada', zero: 0, list: [1, null], deep: { a: { b: 2 } }, 'my key': { x: 1 } },
  steps: { ask: { approved: false, data: null } },
};

const evaluate = (source: string) => parseExpression(source, roots).evaluate(values);

function failure(use: () => unknown): string {
  try {
    use();
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('what is not there', () => {
  test.each([
    ['has(steps.ask.data.amount)', false],
    ['has(steps.skipped.data.amount)', false],
    ['has(input.nothing.x)', false],
    ['has(input.missing.x["y"].z)', false],
    ['has(input.nothing) && has(input.deep.a.b) && !has(input.deep.a.c)', true],
    ['has(input.?missing.x) || has(input.deep.?a.c)', false],
    ['has(input.deep.?a.b)', true],
    ['[{"a": 1}, {"b": 2}, {"a": null}].filter(x, has(x.a)).size()', 2],
  ] as const)('%s is %j', (source, wanted) => {
    expect(evaluate(source)).toBe(wanted);
  });

  test.each([
    ['steps.ask.data.?amount.orValue(7)', 7],
    ['steps.?skipped.?data.orValue("none")', 'none'],
    ['input.missing.?x.orValue(1)', 1],
    ['input.?nothing.orValue(2)', 2],
    ['input.?zero.orValue(3)', 0],
    ['input.?deep.a.b.orValue(0)', 2],
    ['input.?deep.c.b.orValue(0)', 0],
    ['input["my key"].?x.orValue(0) + input[?"my key"].x.orValue(0)', 2],
    ['input.list[?0].orValue(9) + input.list[?7].orValue(10)', 11],
    ['input.list[?1].hasValue() || input.nothing[?0].hasValue()', false],
    ['optional.none().hasValue()', false],
    ['optional.of(1).value() + optional.of(2).orValue(0)', 3],
    ['optional.none().or(input.?missing).or(optional.of("x")).value()', 'x'],
    ['input.?name.optMap(n, n + "!").orValue("-")', 'Ada!'],
    ['input.?missing.optMap(n, n + "!").hasValue()', false],
    ['input.?missing == optional.none() && input.?zero == optional.of(0)', true],
    ['optional.of(1) == 1 || optional.of(1) == optional.of(2)', false],
    // Operands that are not needed are not evaluated.
    ['input.?name.orValue(1 / 0)', 'Ada'],
    ['cel.bind(o, input.?deep, o.a.b.orValue(0))', 2],
  ] as const)('%s is %j', (source, wanted) => {
    expect(evaluate(source)).toBe(wanted);
  });

  test('an optional comes out as its value, or null', () => {
    expect(evaluate('input.?name')).toBe('Ada');
    expect(evaluate('input.?missing')).toBeNull();
    expect(evaluate('{"a": [input.?deep.a, optional.none()]}')).toEqual({ a: [{ b: 2 }, null] });
  });

  test('what is read by an optional member is a reference', () => {
    expect(parseExpression('steps.?a.?total.orValue(input["x"].?y)', roots).references).toEqual([
      ['steps', 'a', 'total'],
      ['input', 'x', 'y'],
    ]);
  });

  test.each([
    ['steps.ask.data.amount', 'steps.ask.data is null: it has no member "amount" (column 16)'],
    ['steps.ask.data[0]', 'steps.ask.data is null: it has no items (column 1)'],
    ['input["my key"].y', 'there is no member "y" in input["my key"] (column 17)'],
    ['input.list[1].x', 'input.list[1] is null: it has no member "x" (column 15)'],
    ['[null].map(x, x.y)', 'x is null: it has no member "y" (column 17)'],
    ['(true ? null : 1).x', 'null has no member "x" (column 19)'],
    ['input.nothing > 1', '">" does not take null and a number; input.nothing is null (column 1)'],
    [
      'size(input.nothing)',
      'size() takes a text or a list or an object, not null; input.nothing is null (column 1)',
    ],
    ['input.name.orValue(1)', 'orValue() takes an optional, not a text; input.name is a text (column 1)'],
    ['input.?missing.value()', 'input.missing is absent: it has no value (column 1)'],
    ['input.name.?first', 'input.name is a text: it has no member "first" (column 13)'],
    ['!input.nothing', '"!" takes a boolean, not null; input.nothing is null (column 8)'],
  ])('%s fails', (source, message) => {
    expect(failure(() => evaluate(source))).toBe(message);
  });

  test.each([
    ['optional.some(1)', 'there is no optional.some()'],
    ['optional.of()', 'of() takes 1 argument, not 0'],
    ['optional.of(1) + 1', '"+" does not take an optional and a number'],
    ['"a".orValue(1)', 'orValue() takes an optional, not a text'],
    ['input.?a.or(1)', 'or() takes an optional, not a number'],
    ['input.?a.optMap(1, 2)', 'optMap() takes a variable and an expression'],
  ])('%s is refused', (source, message) => {
    expect(failure(() => parseExpression(source, roots))).toContain(message);
  });
});
