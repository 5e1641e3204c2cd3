import { describe, expect, test } from 'vitest';
import { ExpressionError } from '../../../../src/adapters/shared/expressions/expression.ts';
import {
  parseJsonTemplate,
  parseValueTemplate,
} from '../../../../src/adapters/shared/expressions/templates.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';

const values: JsonObject = {
  input: { n: 2, name: 'a b', list: [1, 'x'], none: null, text: 'x'.repeat(900_000) },
};
const evaluate = (text: string) => parseValueTemplate(text, ['input']).evaluate(values);
/** An opening of an expression, apart from its dollar sign. */
const open = '{{';

describe('a template', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    [`$${open} input.n }}`, 2],
    [`$${open}input.list}}`, [1, 'x']],
    [`$${open} {"a": {"b": input.n}} }}`, { a: { b: 2 } }],
    [`$${open}{"a": {"b": 1}}}}`, { a: { b: 1 } }],
    [`$${open} "}}" }}`, '}}'],
    [`$${open} '}}' + "\\"}}" + """ "}} """ }}`, '}}"}} "}} '],
    [`n is $${open} input.n }}!`, 'n is 2!'],
    [`$${open}input.n}}$${open}input.name}}`, '2a b'],
    [`$${open} input.n }} `, '2 '],
    [`list $${open} input.list }}, $${open} input.none }}`, 'list [1,"x"], null'],
    [`$$${open} input.n }}`, `$${open} input.n }}`],
    [`$$$${open}`, `$$${open}`],
    [`a $$${open} b $${open} input.n }}`, `a $${open} b 2`],
    ['{{ x }} $input.n }}', '{{ x }} $input.n }}'],
    [`$${open} input.n // {{ "\n }}`, 2],
  ])('%j is %j', (text, expected) => {
    expect(evaluate(text)).toEqual(expected);
  });

  test('tells what its expressions read', () => {
    const template = parseValueTemplate(`$${open}input.n}} $${open}input.name}} $${open}input.n}}`, [
      'input',
    ]);
    expect(template.references).toEqual([
      ['input', 'n'],
      ['input', 'name'],
    ]);
  });

  test('has its literal parts and its expressions, each with the type of its value', () => {
    const partsOf = (text: string) =>
      parseValueTemplate(text, ['input']).parts.map((part) =>
        typeof part === 'string' ? part : [part.evaluate(values)],
      );
    expect(partsOf(`/a b/$${open} input.name }}/$${open} input.list }}`)).toEqual([
      '/a b/',
      ['a b'],
      '/',
      [[1, 'x']],
    ]);
    expect(partsOf(`$$${open} x`)).toEqual([`$${open} x`]);
  });

  test.each([
    [`ab $${open} input.n`, `"$${open}" has no "}}" within 4096 bytes (column 4)`, 3],
    [`$${open} "}}`, `"$${open}" has no "}}" within 4096 bytes (column 1)`, 0],
    [`$${open} {}}`, `"$${open}" has no "}}" within 4096 bytes (column 1)`, 0],
    [`ab\ncd $${open} x }}`, 'there is no "x" here; there is: input (line 2, column 8)', 10],
    [`ab $${open}\n input.n +}}`, null, 17],
    [`$${open}}}`, null, 3],
  ])('%j is refused with its place in the text', (text, message, offset) => {
    const use = () => parseValueTemplate(text, ['input']);
    expect(use).toThrow(ExpressionError);
    expect(use).toThrow(expect.objectContaining({ message: message ?? expect.any(String), offset }));
  });

  test.each([
    ['expressions', `$${open}input.n}}`.repeat(100_000)],
    ['openings', `$${open}`.repeat(200_000)],
    ['quotes', `$${open} "${'a\\"'.repeat(300_000)}`],
    ['braces', `$${open} ${'{'.repeat(500_000)}`],
    ['a long expression', `$${open} ${' '.repeat(10_000)}1 }}`],
  ])('is refused when it is too large: %s', (_name, text) => {
    expect(() => parseValueTemplate(text, ['input'])).toThrow(ExpressionError);
  });

  test('is ended when the text becomes too long', () => {
    expect(() => evaluate(`$${open}input.text}}$${open}input.text}}`)).toThrow(/longer than|too much work/);
  });

  test('keeps long literal parts', () => {
    expect(evaluate(`${`$$${open}`.repeat(10_000)}`)).toBe(`$${open}`.repeat(10_000));
  });
});

describe('a JSON template', () => {
  test('evaluates the texts of objects and lists', () => {
    const template = parseJsonTemplate(
      JSON.parse(
        `{"a": ["$${open} input.n }}", {"b": "x $${open} input.name }}"}], "n": 1, "none": null, "__proto__": "$${open}input.n}}", "$${open}k}}": true}`,
      ),
      ['input'],
    );
    expect(template.references).toEqual([
      ['input', 'n'],
      ['input', 'name'],
    ]);
    expect(JSON.stringify(template.evaluate(values))).toBe(
      `{"a":[2,{"b":"x a b"}],"n":1,"none":null,"__proto__":2,"$${open}k}}":true}`,
    );
  });

  test('names the keys that lead to an error', () => {
    const located = {
      path: ['a', '1', 'b'],
      offset: 6,
      message: expect.stringMatching(/^a\.1\.b: there is no/),
    };
    const broken = { a: [1, { b: `x $${open} y }}` }] };
    expect(() => parseJsonTemplate(broken, ['input'])).toThrow(expect.objectContaining(located));
    const missing = parseJsonTemplate({ a: [1, { b: `x $${open} input.q }}` }] }, ['input']);
    expect(() => missing.evaluate(values)).toThrow(expect.objectContaining({ ...located, offset: 12 }));
  });

  test('is bounded as a whole', () => {
    const many = (text: string) => Array.from({ length: 900 }, () => text);
    expect(() => parseJsonTemplate(many(`$${open}1${'+1'.repeat(50)}}}`), [])).toThrow(
      /the expressions are longer than 32768 characters together/,
    );
    expect(() => parseJsonTemplate([...many(`$${open}1}}`), many(`$${open}1}}`)], [])).toThrow(
      /more than 1000 expressions together/,
    );
    const heavy = many(`$${open}[1,2].map(x, input.text.contains("xxxxxxy"))}}`).slice(0, 500);
    expect(() => parseJsonTemplate(heavy, ['input']).evaluate(values)).toThrow(/too much work/);
    const embedded = parseJsonTemplate(many(`a$${open}input.text}}`), ['input']);
    expect(() => embedded.evaluate(values)).toThrow(/too much work/);
    const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`);
    expect(() => parseJsonTemplate(deep, [])).toThrow(/nested deeper than 64 levels/);
  });
});
