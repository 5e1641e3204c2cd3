import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compileInput,
  InputError,
  parseTemplate,
  resolveInput,
  resolveReference,
} from '../../src/domain/workflow/template.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json/json.ts';
import { runsOf } from '../support/extent.ts';

const MAX_BYTES = 256 * 1_024;

const numbers = new Map([
  ['a', 0],
  ['b', 1],
  ['__proto__', 2],
]);

/** A static input, resolved with the output of step `a` and the run's input. */
function resolve(staticInput: JsonObject, output: JsonObject | null, input: JsonObject = {}): JsonObject {
  const plan = compileInput(staticInput, (id) => numbers.get(id));
  return resolveInput(plan, { outputs: [output, null, null], input }, MAX_BYTES);
}

/** Parses JSON, so that keys such as `__proto__` are own keys. */
function json(text: string): JsonObject {
  return JSON.parse(text);
}

const rich = json(`{
  "text": "hello", "number": 1.5, "zero": 0, "yes": true, "no": false, "nothing": null, "empty": "",
  "list": [{"name": "first"}, ["inner"], "last"], "nested": {"deep": {"value": 7}},
  "a.b": "dotted", "a": {"b": "path"}, "list.0": "whole key", "": "empty key", "x": {"": {"y": 1}},
  "length": 5, "ключ": "cyrillic", "emoji 🎉": "party", "$": "dollar", "$step.a.text": "not again",
  "template": "$step.a.text", "01": "zero one", "own": {"constructor": "mine", "__proto__": "kept"}
}`);

describe('a reference', () => {
  test.each<[string, JsonValue]>([
    ['$step.a.text', 'hello'],
    ['$step.a.number', 1.5],
    ['$step.a.zero', 0],
    ['$step.a.yes', true],
    ['$step.a.no', false],
    ['$step.a.nothing', null],
    ['$step.a.empty', ''],
    ['$step.a.list', [{ name: 'first' }, ['inner'], 'last']],
    ['$step.a.list.0.name', 'first'],
    ['$step.a.list.1.0', 'inner'],
    ['$step.a.list.2', 'last'],
    ['$step.a.nested', { deep: { value: 7 } }],
    ['$step.a.nested.deep.value', 7],
    ['$step.a.a.b', 'path'],
    ['$step.a.list.0', 'whole key'],
    ['$step.a.', 'empty key'],
    ['$step.a.x..y', 1],
    ['$step.a.length', 5],
    ['$step.a.ключ', 'cyrillic'],
    ['$step.a.emoji 🎉', 'party'],
    ['$step.a.$', 'dollar'],
    ['$step.a.$step.a.text', 'not again'],
    ['$step.a.template', '$step.a.text'],
    ['$step.a.01', 'zero one'],
    ['$step.a.own.constructor', 'mine'],
    ['$step.a.own.__proto__', 'kept'],
    ['$input.text', 'hello'],
    ['$input.list.0.name', 'first'],
    ['$input.', 'empty key'],
  ])('%s becomes the value itself with its type', (text, value) => {
    // A key that equals the whole rest wins, so `a.b` is removed to reach the path.
    const { 'a.b': _, ...withoutDotted } = rich;
    const source = text === '$step.a.a.b' ? withoutDotted : rich;
    expect(resolve({ value: text }, source, rich)).toEqual({ value });
  });

  test('prefers a key that equals its whole rest to a path', () => {
    expect(resolve({ value: '$step.a.a.b' }, rich)).toEqual({ value: 'dotted' });
  });

  test('to $input alone becomes the whole input of the run', () => {
    expect(resolve({ value: '$input' }, null, { a: [1] })).toEqual({ value: { a: [1] } });
  });

  test.each([
    '$step.a.missing',
    '$step.a.__proto__',
    '$step.a.constructor',
    '$step.a.prototype',
    '$step.a.toString',
    '$step.a.hasOwnProperty',
    '$step.a.valueOf',
    '$step.a.__defineGetter__',
    '$step.a.constructor.constructor',
    '$step.a.__proto__.polluted',
    '$step.a.text.length',
    '$step.a.text.0',
    '$step.a.list.length',
    '$step.a.list.3',
    '$step.a.list.-1',
    '$step.a.list.00',
    '$step.a.list.1e0',
    '$step.a.list.+1',
    '$step.a.list. 1',
    '$step.a.list.1.5',
    '$step.a.list.999999999999999999999',
    '$step.a.list.',
    '$step.a.list.at',
    '$step.a.list.constructor',
    '$step.a.nested.deep.value.toFixed',
    '$step.a.nested.__proto__',
    '$step.a.nothing.x',
    '$step.a.number.x',
    '$step.a..text',
    '$step.a.text.',
    '$step.a.Text',
    '$step.a.ключ.x',
    '$step..text',
    '$step.b.text',
    '$step.c.text',
    '$step.constructor.name',
    '$step.toString.length',
    '$step.__proto__.polluted',
    '$step.A.text',
    '$step. a.text',
    '$input.missing',
    '$input.__proto__',
    '$input.constructor.name',
    '$input.list.length',
  ])('%s cannot be resolved and fails with a reason', (text) => {
    const { '': _, ...source } = rich;
    expect(() => resolve({ value: text }, source, source)).toThrow(InputError);
    expect(() => resolve({ value: text }, source, source)).toThrow(/^the template "\$.*"/);
  });

  test('names what is missing in its error', () => {
    expect(() => resolve({ value: '$step.a.order.id' }, {})).toThrow(
      'the template "$step.a.order.id" cannot be resolved: the output of step "a" has no "order.id"',
    );
    expect(() => resolve({ value: '$input.x' }, {})).toThrow(
      `the template "$input.x" cannot be resolved: the run's input has no "x"`,
    );
    expect(() => resolve({ value: '$step.c.x' }, {})).toThrow(
      'the template "$step.c.x" names step "c", which does not exist',
    );
  });

  test('is truncated in errors when it is long', () => {
    const text = `$step.a.${'x'.repeat(100_000)}`;
    expect(() => resolve({ value: text }, {})).toThrow(/^.{1,250}$/);
  });

  test('with a very long path fails quickly', () => {
    const text = `$step.a.${'x.'.repeat(500_000)}`;
    expect(() => resolve({ value: text }, { x: {} })).toThrow(InputError);
  });

  test('reaches the deepest possible values', () => {
    let value: JsonValue = 'bottom';
    for (let depth = 0; depth < 62; depth++) value = { x: value };
    const output = { x: value };
    const key = new Array(63).fill('x').join('.');
    expect(resolve({ value: `$step.a.${key}` }, output)).toEqual({ value: 'bottom' });
  });
});

describe('a literal', () => {
  test.each([
    '',
    '$',
    '$5',
    '$steps',
    '$step',
    '$step.',
    '$step.a',
    '$stepa.text',
    '$Step.a.text',
    '$STEP.a.text',
    ' $step.a.text',
    'x$step.a.text',
    '{{$step.a.text}}',
    '$inputs',
    '$inputs.x',
    '$input_x',
    '$ input.x',
    '$env.HOME',
    `\${step.a.text}`,
    '%$step.a.text',
    '\u0000$step.a.text',
    '＄step.a.text',
  ])('%j is not changed', (text) => {
    expect(resolve({ value: text }, rich, rich)).toEqual({ value: text });
  });

  test.each([
    ['$$', '$'],
    ['$$5', '$5'],
    ['$$$', '$$'],
    ['$$step.a.text', '$step.a.text'],
    ['$$$step.a.text', '$$step.a.text'],
    ['$$input', '$input'],
    ['costs $$5', 'costs $$5'],
  ])('%j becomes %j', (text, literal) => {
    expect(resolve({ value: text, list: [{ deep: text }] }, rich)).toEqual({
      value: literal,
      list: [{ deep: literal }],
    });
  });

  test('is every key of an input, even one that looks like a template', () => {
    const input = json('{"$step.a.text": {"$input": "$$"}, "__proto__": {"x": "$step.a.text"}}');
    const result = resolve(input, rich);
    expect(JSON.stringify(result)).toBe('{"$step.a.text":{"$input":"$"},"__proto__":{"x":"hello"}}');
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

describe('an input', () => {
  test('has its references resolved at every depth', () => {
    const staticInput = {
      list: [1, '$step.a.text', ['$step.a.number', { x: '$input.x' }]],
      deep: { y: { z: '$input' } },
    };
    expect(resolve(staticInput, rich, { x: null })).toEqual({
      list: [1, 'hello', [1.5, { x: null }]],
      deep: { y: { z: { x: null } } },
    });
  });

  test('without references is not changed', () => {
    const staticInput = { list: [1, { x: 'text' }], nothing: null };
    expect(resolve(staticInput, null)).toEqual(staticInput);
  });

  test('does not change the outputs that it reads', () => {
    const output = structuredClone(rich);
    resolve({ all: '$step.a.nested', list: '$step.a.list' }, output);
    expect(output).toEqual(rich);
  });

  test('is rejected when it is one byte too large', () => {
    const staticInput = { text: '$step.a.text', more: ['$step.a.number', '$$é'] };
    const output = { text: '"é🎉\n\ud800', number: -12.5 };
    const bytes = Buffer.byteLength(JSON.stringify({ text: output.text, more: [output.number, '$é'] }));
    const plan = compileInput(staticInput, () => 0);
    const sources = { outputs: [output], input: {} };
    expect(resolveInput(plan, sources, bytes)).toEqual({ text: output.text, more: [-12.5, '$é'] });
    expect(() => resolveInput(plan, sources, bytes - 1)).toThrow(
      `the resolved input is larger than ${bytes - 1} bytes of JSON`,
    );
  });

  test('is rejected when it is too large without any reference', () => {
    const plan = compileInput({ text: 'x'.repeat(100) }, () => 0);
    expect(resolveInput(plan, { outputs: [], input: {} }, 111)).toEqual({ text: 'x'.repeat(100) });
    expect(() => resolveInput(plan, { outputs: [], input: {} }, 110)).toThrow('larger than 110 bytes');
  });

  test('is rejected when it is nested too deep', () => {
    const nest = (levels: number): JsonObject => (levels === 1 ? {} : { x: nest(levels - 1) });
    expect(resolve({ value: '$step.a.all' }, { all: nest(63) })).toEqual({ value: nest(63) });
    expect(() => resolve({ value: '$step.a.all' }, { all: nest(64) })).toThrow(
      'the resolved input is nested deeper than 64 levels',
    );
  });

  test('that repeats a large value is rejected before it is built', () => {
    const output = { all: Array.from({ length: 100_000 }, (_, number) => ({ number })) };
    const staticInput = { list: new Array(100_000).fill('$step.a.all') };
    expect(() => resolve(staticInput, output)).toThrow('larger than');
  });

  test('equals the result of a simple replacement for any input', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(
        '$step.a.text',
        '$step.a.list.0.name',
        '$input.x',
        '$input',
        '$$',
        '$$step.a.x',
        '$step.a',
      ),
    );
    const value = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.constantFrom<JsonValue>(null, true, 0, -1.5e300),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(text, fc.constant('__proto__')), tie('value'), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
      ),
    })).value;
    const replaced: Record<string, JsonValue> = {
      '$step.a.text': 'hello',
      '$step.a.list.0.name': 'first',
      '$input.x': [1],
      $input: { x: [1] },
      '$$step.a.x': '$step.a.x',
    };
    const replace = (written: string): JsonValue =>
      Object.hasOwn(replaced, written)
        ? (replaced[written] ?? null)
        : written.startsWith('$$')
          ? written.slice(1)
          : written;
    fc.assert(
      fc.property(fc.array(value, { maxLength: 3 }), (values) => {
        const arrived = json(JSON.stringify({ values }));
        const expected = JSON.parse(JSON.stringify(arrived), (_, item) =>
          typeof item === 'string' ? replace(item) : item,
        );
        const result = resolve(arrived, rich, { x: [1] });
        const plan = compileInput(arrived, () => 0);
        const bytes = Buffer.byteLength(JSON.stringify(result));
        expect(JSON.stringify(result)).toBe(JSON.stringify(expected));
        expect(() => resolveInput(plan, { outputs: [rich], input: { x: [1] } }, bytes)).not.toThrow();
        expect(() => resolveInput(plan, { outputs: [rich], input: { x: [1] } }, bytes - 1)).toThrow(
          InputError,
        );
      }),
      { numRuns: runsOf(500, 2_000) },
    );
  });
});

describe('parsing a template', () => {
  test('finds no inherited properties', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)), (name) => {
        const parsed = parseTemplate(`$input.${name}`);
        expect(typeof parsed).toBe('object');
        if (typeof parsed === 'object') expect(resolveReference({}, parsed)).toBeUndefined();
      }),
    );
  });

  test('does not change a string without a dollar sign at its start', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        if (!text.startsWith('$')) expect(parseTemplate(text)).toBe(text);
      }),
    );
  });
});
