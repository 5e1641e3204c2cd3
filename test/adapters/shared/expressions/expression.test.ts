import { describe, expect, test } from 'vitest';
import { ExpressionError, parseExpression } from '../../../../src/adapters/shared/expressions/expression.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';

const values: JsonObject = {
  input: {
    n: 7,
    half: 0.5,
    name: 'Grüße 😀',
    list: [3, 1, 2],
    empty: [],
    none: null,
    yes: true,
    orders: [
      { id: 'A-1', total: 10, open: true },
      { id: 'A-2', total: 25.5, open: false },
    ],
    'my key': 1,
  },
  steps: { 'my-step': { total: 5 }, other: { total: 2 } },
};

const roots = ['input', 'steps'];
const evaluate = (source: string, given = values) => parseExpression(source, roots).evaluate(given);
const failure = (use: () => unknown): string => {
  try {
    use();
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError);
    if (error instanceof Error) return error.message;
  }
  throw new Error('nothing was thrown');
};

describe('an expression', () => {
  test.each([
    ['input.n + 1', 8],
    ['1 + input.n * 2 - 3', 12],
    ['input.n / 2', 3.5],
    ['7 / 2', 3],
    ['-7 / 2', -3],
    ['7 / 2.0', 3.5],
    ['int(input.n) / 2', 3],
    ['input.n % 2 == 1', true],
    ['7 % 4', 3],
    ['5u + 0x10', 21],
    ['-input.half', -0.5],
    ['0.1 + 0.2', 0.1 + 0.2],
    ['input.half * 0', 0],
    ['9007199254740993 > 9007199254740992.0', true],
    ['string(9007199254740993)', '9007199254740993'],
    ['input.n == 7', true],
    ['input.n == 7.0 && 7 == 7.0', true],
    ['input.n == "7"', false],
    ['input.n != null', true],
    ['input.none == null', true],
    ['[1, 2] == [1.0, 2.0]', true],
    ['{"a": [1]} == {"a": [1]}', true],
    ['{"a": 1} == {"b": 1}', false],
    ['input == input', true],
    ['"a" < "b" && !(2 < 1) && false < true', true],
    ['input.yes ? "y" : 2', 'y'],
    ['2 in input.list', true],
    ['"n" in input && !("q" in input)', true],
    ['{"a": 1, "b": "x", "c": [1, "two", null, {}]}', { a: 1, b: 'x', c: [1, 'two', null, {}] }],
    ['{1: "one", true: 2}[1]', 'one'],
    ['[1, "a"] + [null]', [1, 'a', null]],
    ['"a" + "b"', 'ab'],
    ["r'\\d' + '''x'''", '\\dx'],
    ['"\\u00e9"', 'é'],
    ['input["my key"]', 1],
    ['steps["my-step"].total', 5],
    ['input.list[0]', 3],
    ['input.list[input.list[1]]', 1],
    ['size(input.list) + input.list.size() + size(input)', 15],
    ['size(input.name)', 7],
    ['size(input.list) / 2', 1],
    ['has(input.n) && !has(input.q) && has(input.none)', true],
    ['has(steps["my-step"])', true],
    ['input.list.all(x, x > 0)', true],
    ['input.empty.all(x, x > 0)', true],
    ['input.list.exists(x, x == 2)', true],
    ['input.list.exists_one(x, x > 1)', false],
    ['input.list.map(x, x * 10)', [30, 10, 20]],
    ['input.list.map(x, x > 1, x + 0)', [3, 2]],
    ['input.orders.filter(o, o.open).map(o, o.id)', ['A-1']],
    [
      'input.list.map(x, input.list.map(y, x * y))',
      [
        [9, 3, 6],
        [3, 1, 2],
        [6, 2, 4],
      ],
    ],
    ['input.list.map(input, input)', [3, 1, 2]],
    ['steps.map(key, steps[key].total)', [5, 2]],
    ['steps.all(key, steps[key].total > 1)', true],
    ['cel.bind(x, input.n, x * x)', 49],
    ['input.name.contains("üß") && input.name.startsWith("G") && input.name.endsWith("😀")', true],
    ['input.name.matches("^Gr.{3}\\\\s")', true],
    ['"b".matches("a|c")', false],
    ['"ÄbC".lowerAscii() + "äb".upperAscii()', 'ÄbcäB'],
    ['"  a ".trim()', 'a'],
    ['"a,b,c".split(",")', ['a', 'b', 'c']],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['"a😀".split("")', ['a', '😀']],
    ['["a", "b"].join("-") + ["c"].join()', 'a-bc'],
    ['"a-b-c".replace("-", "+")', 'a+b+c'],
    ['"a-b-c".replace("-", "+", 1)', 'a+b-c'],
    ['input.name.substring(6) + input.name.substring(0, 2)', '😀Gr'],
    ['"x😀y".indexOf("y") + "x".indexOf("y")', 1],
    ['int("12") + int(3.9) + int(-1.5)', 14],
    ['double("1.5e2")', 150],
    ['string(input.n) + string(0.5) + string(true)', '70.5true'],
    ['bool("true")', true],
    ['dyn(1) == 1', true],
    ['1 // a comment', 1],
  ])('%s is %j', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });

  test('ignores an error beside && and || where the other side decides, as CEL does', () => {
    expect(evaluate('input.q == 1 || true')).toBe(true);
    expect(evaluate('true || input.q == 1')).toBe(true);
    expect(evaluate('false && input.q == 1')).toBe(false);
    expect(evaluate('input.q == 1 && false')).toBe(false);
    expect(evaluate('[0, 1].exists(x, 1 / x == 1)')).toBe(true);
    expect(evaluate('[0, 1].all(x, 1 / x == 2)')).toBe(false);
    expect(failure(() => evaluate('input.q == 1 || false'))).toContain('there is no member "q"');
    expect(failure(() => evaluate('[0, 1].all(x, 1 / x == 1)'))).toContain('division by zero');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'finds no inherited member %s',
    (name) => {
      const read = `input["${name}"]`;
      expect(failure(() => evaluate(read))).toBe(`there is no member "${name}" in input (column 1)`);
      expect(evaluate(`has(${read}) || "${name}" in input`)).toBe(false);
      expect(evaluate(read, { input: JSON.parse(`{"${name}": 1}`) })).toBe(1);
      expect(JSON.stringify(evaluate(`{"${name}": 2}`))).toBe(`{"${name}":2}`);
    },
  );

  test.each([
    ['input.q', 'there is no member "q" in input'],
    ['input\n  .list\n  [9]', 'the list input.list of 3 items has no item at this index'],
    ['input.list[0.5]', 'the index of a list must be an integer'],
    ['input.n.x', 'input.n is a number: it has no member "x"'],
    ['input.n + "a"', '"+" does not take a number and a text; input.n is a number'],
    ['"a" in input.name', '"in" does not take a text and a text; use contains(); input.name is a text'],
    ['input.n && true', '"&&" takes a boolean, not a number; input.n is a number'],
    ['input.n ? 1 : 2', '"?" takes a boolean, not a number; input.n is a number'],
    ['1 / (input.n - 7)', 'division by zero'],
    ['input.n % 0', 'division by zero'],
    ['9223372036854775807 + 1', 'an integer does not fit 64 bits'],
    ['1e308 * input.n', 'a number is too large'],
    ['9007199254740993', 'an integer is too large for JSON; make it a text by string()'],
    ['int(input.name)', 'int() cannot convert this text'],
    ['input.list.map(x, x.y)', 'x is a number: it has no member "y"'],
    ['input.list.filter(x, x)', 'the condition of filter() takes a boolean, not a number'],
    ['input.name.substring(9)', 'substring() goes beyond the text of 7 characters'],
    ['input.list.join(",")', 'join() takes a list of texts'],
    ['{"a": 1, input.name: 2, input.name: 3}', 'an object has the same key twice'],
  ])('tells why %j cannot be evaluated', (source, message) => {
    const parsed = parseExpression(source, roots);
    expect(failure(() => parsed.evaluate(values)).replace(/ \([a-z0-9, ]+\)$/, '')).toBe(message);
  });

  test('tells the place of an error by line and column', () => {
    expect(failure(() => evaluate('1 + input.q'))).toBe('there is no member "q" in input (column 11)');
    expect(failure(() => evaluate('1 +\n  input\n  .q'))).toBe(
      'there is no member "q" in input (line 3, column 4)',
    );
    const use = () => evaluate('1 +\n  input.q');
    expect(use).toThrow(expect.objectContaining({ offset: 12, path: [] }));
  });

  test('tells a missing root', () => {
    expect(failure(() => evaluate('steps.a', {}))).toBe('there is no value for "steps" (column 1)');
  });

  test.each([
    ['', 'unexpected token: the end (column 1)'],
    ['input.', 'expected a name, got the end (column 7)'],
    ['1 +', 'unexpected token: the end (column 4)'],
    ['input. > 3', 'expected a name, got ">" (column 8)'],
    ['|| true', 'unexpected token: "||" (column 1)'],
    ['1 == * 2', 'unexpected token: "*" (column 6)'],
    ['(1', 'expected ")", got the end (column 3)'],
    ['1 2', "unexpected character: '2' (column 3)"],
    ['"abc', 'unterminated string (column 1)'],
    ['a = 1', 'unexpected character: =; did you mean "=="? (column 3)'],
    ['input.a <> 1', 'unexpected token: ">"; did you mean "!="? (column 10)'],
    ['input.a and input.b', 'unexpected character: \'d\'; did you mean "&&"? (column 9)'],
    ['input.a | input.b', 'unexpected character: |; did you mean "||"? (column 9)'],
    ['input.a ?? 1', 'unexpected token: "?"; did you mean "a.?b.orValue(…)"? (column 10)'],
    ['while', 'reserved word: while (column 1)'],
    ['unknown.x', 'there is no "unknown" here; there is: input, steps (column 1)'],
    [
      'steps.my-step.x',
      'there is no "step" here; there is: input, steps; a name that has a "-" is written ["…-step"] (column 10)',
    ],
    ['input.list.map(x, y)', 'there is no "y" here; there is: input, steps (column 19)'],
    ['nope(1)', 'there is no function nope() (column 1)'],
    ['input.nope()', 'there is no method nope() (column 1)'],
    ['constructor(1)', 'there is no function constructor() (column 1)'],
    ['input.constructor()', 'there is no method constructor() (column 1)'],
    ['"a".contains()', 'contains() takes 1 argument, not 0 (column 1)'],
    ['size(1, 2)', 'size() takes one value (column 1)'],
    ['has(input)', 'has() takes one member, such as has(a.b) (column 1)'],
    ['input.list.map(1, 2)', null],
    ['1 + "a"', '"+" does not take a number and a text (column 1)'],
    ['size(1)', 'size() takes a text or a list or an object, not a number (column 1)'],
    ['!1', null],
    ['1 ? 2 : 3', null],
    ['"a".b', null],
    ['[1].map(x, x).y()', null],
    ['[1].all(x, 1)', null],
    ['b"abc"', 'bytes are not supported (column 1)'],
    ['99999999999999999999', 'an integer does not fit 64 bits (column 1)'],
    ['"a".matches("(")', null],
    ['"a".matches("(?=a)")', null],
    ['"a".matches("(a)\\\\1")', null],
  ])('is refused when it is %j', (source, message) => {
    const told = failure(() => parseExpression(source, roots));
    if (message !== null) expect(told).toBe(message);
  });

  test('tells what it reads', () => {
    const references = (source: string) => parseExpression(source, roots).references;
    expect(references('input.a.b + steps["my-step"].total * input.a.b')).toEqual([
      ['input', 'a', 'b'],
      ['steps', 'my-step', 'total'],
    ]);
    expect(references('has(input.a.b) && input.list[0].x in steps')).toEqual([
      ['input', 'a', 'b'],
      ['input', 'list', '0', 'x'],
      ['steps'],
    ]);
    expect(references('steps[input.name].total')).toEqual([['input', 'name'], ['steps']]);
    expect(references('input.list.map(x, x.y + steps.a)')).toEqual([
      ['input', 'list'],
      ['steps', 'a'],
    ]);
    expect(references('input.list.map(input, input.y)')).toEqual([['input', 'list']]);
    expect(references('1 + 1')).toEqual([]);
  });

  test('tells the kind of its value where it shows', () => {
    const kind = (source: string) => parseExpression(source, roots).kind;
    expect(kind('input.n > 1 && has(input.q)')).toBe('boolean');
    expect(kind('input.n + 1')).toBe('number');
    expect(kind('true ? "a" : "b"')).toBe('text');
    expect(kind('true ? "a" : 1')).toBe('any');
    expect(kind('input.n')).toBe('any');
  });

  test('shows no value in an error', () => {
    const secret = { input: { key: 'secret-7' }, steps: {} };
    for (const source of ['input.key + 1', 'int(input.key)', 'steps[input.key]', 'input[input.key].x']) {
      expect(failure(() => evaluate(source, secret))).not.toContain('secret-7');
    }
  });

  test('quotes a pattern that is not valid only where the expression states it', () => {
    const given = (pattern: string) => ({ input: { pattern }, steps: {} });
    const told = (pattern: string) => failure(() => evaluate('"a".matches(input.pattern)', given(pattern)));
    expect(told('Anna(')).toBe('the pattern is not valid (column 1)');
    expect(told('Anna\\Q')).toContain('the pattern has \\Q, which is not supported');
    expect(told('(a{1000}){1000}')).toContain('the pattern is too large');
    expect(failure(() => parseExpression('"a".matches("Anna(")', roots))).toContain('Anna(');
  });
});
