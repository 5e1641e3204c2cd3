import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { celExpressions } from '../../../src/adapters/languages/languages.ts';
import { parseTemplate } from '../../../src/domain/workflow/template.ts';
import type { JsonObject, JsonValue } from '../../../src/entries/index.ts';
import {
  built,
  type CelExpression,
  cel,
  defineWorkflow,
  literal,
  text,
  type Value,
} from '../../../src/entries/workflow.ts';

/** The value that `make` returns, as the member of a definition. */
function template(make: Value | ((input: CelExpression) => Value)): JsonValue | undefined {
  const { steps } = defineWorkflow({
    name: 'One',
    steps: {
      one: {
        kind: 'tool',
        toolName: 'x',
        input: (context) => ({ value: typeof make === 'function' ? make(context.input('x')) : make }),
      },
    },
  });
  const { staticInput } = steps[0] ?? {};
  return typeof staticInput === 'string' ? staticInput : staticInput?.['value'];
}

const sourceOf = (expression: CelExpression): string => expression[built].cel;
const evaluate = (source: string, values: JsonObject = {}): JsonValue =>
  celExpressions.parse(source, Object.keys(values)).evaluate(values);

/** The value of a string of a definition in a run whose input is `{ x }`. */
function resolve(string: JsonValue | undefined, x: JsonValue = null): JsonValue | undefined {
  if (typeof string !== 'string') throw new TypeError('not a string');
  if (string.includes('${{'))
    return celExpressions.parseTexts([{ place: '', text: string }], ['input']).evaluate({ input: { x } })[0];
  const parsed = parseTemplate(string);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** Texts out of the pieces that templates and CEL are made of. */
const pieces = [
  '$',
  '{{',
  '}}',
  '{',
  '}',
  '$step.a.b',
  '$input',
  '"',
  "'",
  '\\',
  'x',
  ' ',
  '//',
  '\n',
  '\r',
  '\u2028',
  '😀',
  '`',
  'r',
];
const trickyText = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme' })), { maxLength: 12 })
  .map((parts) => parts.join(''));
/** JSON whose texts are as tricky, and which is small enough for an expression. */
const trickyJson = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    trickyText,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(trickyText, tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** As JSON has it: there is no -0. */
const plain = (value: JsonValue): JsonValue => JSON.parse(JSON.stringify(value));

describe('cel`…`', () => {
  test('inserts references and other expressions', () => {
    const { steps } = defineWorkflow({
      name: 'Cel',
      steps: {
        'my-step': { kind: 'tool', toolName: 'x' },
        last: {
          kind: 'tool',
          toolName: 'x',
          when: ({ steps: { 'my-step': mine }, input }) => {
            const large = cel`${mine('total')} > ${500} || ${input('limit', 'in')} == ${null}`;
            return cel`!${large} && has(${mine('a b', 0, 'é')})`;
          },
        },
      },
    });
    expect(steps[1]?.when).toBe(
      "!(steps['my-step'].total > 500 || input.limit['in'] == null) && has(steps['my-step']['a b'][0]['é'])",
    );
  });

  test('takes backslashes as those of CEL', () => {
    expect(evaluate(sourceOf(cel`${'a7'}.matches('^a\\d$') && '\'' == ${"'"}`))).toBe(true);
  });

  test('makes a literal of any JSON, which evaluates to the same value', () => {
    fc.assert(
      fc.property(trickyJson, (value) => {
        expect(evaluate(sourceOf(cel`[${value}]`))).toEqual([plain(value)]);
      }),
      { numRuns: 500 },
    );
  });

  test('makes one operand of any text, whatever stands beside it', () => {
    const around = fc.constantFrom('', ' ', 'r', 'b', '+', '(', '""', "''");
    fc.assert(
      fc.property(trickyText, around, around, (value, before, after) => {
        const strings = Object.assign([before, after], { raw: [before, after] });
        const source = sourceOf(cel(strings, value));
        try {
          celExpressions.parse(source, []);
        } catch (error) {
          expect(String(error)).not.toContain('there is no "');
          return;
        }
        const result = evaluate(source);
        expect(result).toBe(value);
      }),
      { numRuns: 500 },
    );
  });

  test('refuses insertions within quotes and comments', () => {
    for (const make of [
      () => cel`"${'a'}"`,
      () => cel`'it' + '${'a'}'`,
      () => cel`"""${'a'}"""`,
      () => cel`r'\' + ${'a'}`,
      () => cel`1 // ${'a'}`,
      () => cel`1 // the end`,
    ]) {
      expect(make).toThrow(TypeError);
    }
    const commented = cel`'//' + ${'a'} // the end
    `;
    expect(evaluate(sourceOf(commented))).toBe('//a');
  });

  test('refuses what is not JSON, and half of a surrogate pair', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', ['\udc00']]) {
      expect(() => cel`${value}`).toThrow(TypeError);
    }
    // @ts-expect-error: a date is not JSON
    expect(() => cel`${new Date(0)}`).toThrow('not JSON');
    // @ts-expect-error: nor is undefined
    expect(() => cel`${undefined}`).toThrow('not JSON');
  });
});

describe('literal', () => {
  test.each([
    ['$input.x', '$$input.x'],
    ['$5', '$$5'],
    ['${{ input.x }}', '$${{ input.x }}'],
    ['now ${{ input.x }}', 'now $${{ input.x }}'],
    ['no template', 'no template'],
  ])('escapes %s', (value, escaped) => {
    expect(template(literal(value))).toBe(escaped);
  });

  test('stands for exactly its text', () => {
    fc.assert(
      fc.property(trickyText, (value) => {
        expect(resolve(template(literal(value)))).toBe(value);
      }),
      { numRuns: 1_000 },
    );
  });

  test('escapes the texts of objects and lists, but no keys', () => {
    const value = { $input: ['$input', { a: 1, b: null, c: '$step.a.b' }] };
    expect(template(literal(value))).toEqual({ $input: ['$$input', { a: 1, b: null, c: '$$step.a.b' }] });
  });
});

describe('text`…`', () => {
  test('contains the values of references, with everything around them as it is', () => {
    fc.assert(
      fc.property(trickyText, trickyText, trickyText, trickyText, (before, value, between, after) => {
        const strings = Object.assign([before, between, after], { raw: [before, between, after] });
        const made = template((x) => text(strings, x, literal(value)));
        expect(resolve(made, 'X')).toBe(`${before}X${between}${value}${after}`);
      }),
      { numRuns: 1_000 },
    );
  });

  test('is a text also where it is wholly one reference', () => {
    expect(
      resolve(
        template((x) => text`${x}`),
        5,
      ),
    ).toBe('5');
    expect(
      resolve(
        template((x) => x),
        5,
      ),
    ).toBe(5);
  });

  test('has no string that could be read as one of the older templates', () => {
    fc.assert(
      fc.property(trickyText, (before) => {
        const strings = Object.assign([before, ''], { raw: [before, ''] });
        const made = String(template((x) => text(strings, x)));
        expect(parseTemplate(made)).toBe(made);
      }),
      { numRuns: 500 },
    );
  });
});

test('a definition can refer to what a run knows of itself, and of its schedule', () => {
  const draft = defineWorkflow({
    name: 'Report',
    steps: {
      wait: { kind: 'wait', until: ({ run }) => run.created_at },
      report: {
        kind: 'tool',
        toolName: 'report',
        when: ({ run }) => cel`${run.attempt} == 1`,
        input: ({ run, schedule }) => ({
          run: run.id,
          day: cel`date(${schedule}.?fire_at.orValue(${run.started_at}))`,
          zone: schedule.timezone,
        }),
      },
    },
    output: ({ schedule }) => ({ schedule: schedule.id, fired: schedule.fire_at }),
  });
  expect(draft.steps).toMatchObject([
    { until: 'run.created_at' },
    {
      when: 'run.attempt == 1',
      staticInput: {
        run: '${{ run.id }}',
        day: '${{ date(schedule.?fire_at.orValue(run.started_at)) }}',
        zone: '${{ schedule.timezone }}',
      },
    },
  ]);
  expect(draft.output).toEqual({ schedule: '${{ schedule.id }}', fired: '${{ schedule.fire_at }}' });
});
