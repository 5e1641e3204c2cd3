import { describe, expect, test } from 'vitest';
import { celExpressions } from '../../../src/adapters/languages/languages.ts';
import type { Step, StepDraft, WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import {
  planWorkflow,
  type StepPlan,
  type StepSources,
  stepPlanAt,
} from '../../../src/domain/workflow/plan.ts';
import { InputError } from '../../../src/domain/workflow/template.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';

const MAX_BYTES = 10_000;
const limits = { maxItems: 5, maxBytes: MAX_BYTES };
const now = Date.parse('2026-03-01T12:00:00Z');

/** A definition of steps in layers of one step each, so that each is upstream of those after it. */
function definitionOf(
  steps: readonly StepDraft[],
  options: Partial<WorkflowDefinition> = {},
): WorkflowDefinition {
  const complete = steps.map((step, index): Step => {
    const dependsOn = steps.slice(Math.max(0, index - 2), index).map(({ id }) => id);
    return { dependsOn, staticInput: {}, ...step } as Step;
  });
  return {
    id: 'w',
    version: 1,
    name: 'w',
    description: '',
    steps: complete,
    layers: complete.map(({ id }) => [id]),
    warnings: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    ...options,
  };
}

const first = { id: 'first', kind: 'tool', toolName: 't' } as const;
const quiet = { id: 'not-run', kind: 'tool', toolName: 't' } as const;

/** The plan of a step after `first`, which has completed, and `not-run`, which has not. */
function planOf(step: Partial<StepDraft> = {}): StepPlan {
  const tested = { id: 'tested', kind: 'tool', toolName: 't', ...step } as StepDraft;
  return stepPlanAt(planWorkflow(definitionOf([first, quiet, tested]), celExpressions), 2);
}

const sources: StepSources = {
  input: { name: 'Ada', n: 2, tags: ['a', 'b'], when: '2026-05-01T00:00:00+02:00' },
  outputs: [{ total: 40, list: [1, 2], note: 'hi' }, null, null],
  run: { head: { runId: 'run-1' }, createdAt: '2026-11-24T07:59:00.000Z', startedAt: null, attempt: 1 },
};

function inputOf(staticInput: JsonObject, from: StepSources = sources): JsonObject {
  return planOf({ staticInput }).input(from, MAX_BYTES);
}

describe('the input of a step', () => {
  test('a text that is wholly one expression becomes the value with its type', () => {
    expect(inputOf({ sum: '${{ steps.first.total + input.n }}', all: ['${{ input.tags }}'] })).toEqual({
      sum: 42,
      all: [['a', 'b']],
    });
  });

  test('embedded expressions become text, as JSON where they are none', () => {
    expect(inputOf({ text: 'Dear ${{ input.name }}: ${{ input.tags }} ${{ 1 + 1 }}' })).toEqual({
      text: 'Dear Ada: ["a","b"] 2',
    });
  });

  test('references and expressions stand beside each other', () => {
    expect(inputOf({ a: '$step.first.note', b: '${{ steps.first.note }}', c: '$input.n', d: 1 })).toEqual({
      a: 'hi',
      b: 'hi',
      c: 2,
      d: 1,
    });
  });

  test('the escapes give literal text', () => {
    expect(inputOf({ a: '$${{ x }}', b: 'see $${{ x }}', c: '$$5', d: '$$5 for ${{ input.name }}' })).toEqual(
      {
        a: '${{ x }}',
        b: 'see ${{ x }}',
        c: '$5',
        d: '$5 for Ada',
      },
    );
  });

  test('keys are never evaluated', () => {
    expect(inputOf({ '${{ input.n }}': 1 })).toEqual({ '${{ input.n }}': 1 });
  });

  test('a constant input is the same object each time', () => {
    const { input } = planOf({ staticInput: { a: [1, { b: 'c' }] } });
    expect(input(sources, MAX_BYTES)).toBe(input(sources, MAX_BYTES));
  });

  test('steps holds the outputs of completed steps alone', () => {
    expect(inputOf({ a: '${{ has(steps.first) }}', b: "${{ has(steps['not-run']) }}" })).toEqual({
      a: true,
      b: false,
    });
    expect(() => inputOf({ deep: [{ b: "${{ steps['not-run'].x }}" }] })).toThrow(
      new InputError('static_input.deep.0.b: there is no member "not-run" in steps (column 5)'),
    );
  });

  test('an item and its index can be read in a step with foreach', () => {
    const step = planOf({
      staticInput: { of: '${{ item.id + ":" + string(index) }}' },
      foreach: { items: [] },
    });
    expect(step.input({ ...sources, item: { value: { id: 'x' }, index: 3 } }, MAX_BYTES)).toEqual({
      of: 'x:3',
    });
  });

  test('what is not valid fails when the step runs, with its place', () => {
    const cases: [JsonObject, string][] = [
      [{ a: '${{ 1 + }}' }, 'static_input.a: '],
      [
        { a: '${{ item }}' },
        'static_input.a: there is no "item" here; there is: input, steps, run, schedule (column 5)',
      ],
      [{ a: '${{ steps.later.x }}' }, 'static_input.a: names step "later", which does not exist'],
      [{ a: '${{ steps.tested.x }}' }, 'static_input.a: names step "tested", which is not upstream'],
      [{ a: '${{ size(steps) }}' }, 'static_input.a: "steps" must be followed by the id of a step'],
      [{ a: 'x ${{ no end' }, 'static_input.a: "${{" has no "}}"'],
    ];
    for (const [staticInput, message] of cases) {
      const step = planOf({ staticInput });
      expect(() => step.input(sources, MAX_BYTES), JSON.stringify(staticInput)).toThrow(InputError);
      expect(() => step.input(sources, MAX_BYTES)).toThrow(message);
    }
  });

  test('is bounded in bytes, and counts each value once', () => {
    const step = planOf({ staticInput: { a: '${{ input.big }}', b: '${{ "x" }}', c: 1 } });
    const big = 'y'.repeat(100);
    const from = { ...sources, input: { big } };
    const bytes = JSON.stringify({ a: big, b: 'x', c: 1 }).length;
    expect(step.input(from, bytes)).toEqual({ a: big, b: 'x', c: 1 });
    expect(() => step.input(from, bytes - 1)).toThrow(`the resolved input is larger than ${bytes - 1} bytes`);
  });

  test('an approval has its payload as input, a wait has none', () => {
    const approval = planOf({ kind: 'approval', title: 'ok?', payload: { sum: '${{ steps.first.total }}' } });
    expect(approval.input(sources, MAX_BYTES)).toEqual({ sum: 40 });
    expect(planOf({ kind: 'approval', title: 'ok?' }).input(sources, MAX_BYTES)).toEqual({});
    const wait = planOf({ kind: 'wait', durationMs: 5, staticInput: { a: '${{ nothing }}' } });
    expect(wait.input(sources, MAX_BYTES)).toEqual({});
  });
});

describe('the condition of a step', () => {
  const holds = (when: string) => planOf({ when }).holds(sources);

  test('holds or not by its value', () => {
    expect(planOf().holds(sources)).toBe(true);
    expect(holds('steps.first.total > 30 && input.n == 2')).toBe(true);
    expect(holds("has(steps['not-run'])")).toBe(false);
  });

  test('must be a boolean', () => {
    expect(() => holds('input.name')).toThrow(new InputError('when: must be a boolean, but it is a text'));
    expect(() => holds('1')).toThrow(new InputError('when: must be a boolean, but it is a number'));
    expect(() => holds('input.missing')).toThrow(
      new InputError('when: there is no member "missing" in input (column 7)'),
    );
    expect(() => holds('${{ true }}')).toThrow('when: is an expression already');
  });
});

describe('the items of a step', () => {
  const itemsOf = (items: readonly (string | number)[] | string) =>
    planOf({ foreach: { items } }).items(sources, limits);

  test('are a list, which may contain templates, or what an expression evaluates to', () => {
    expect(planOf().items(sources, limits)).toBeUndefined();
    expect(itemsOf([1, '$input.n', '${{ steps.first.total }}'])).toEqual([1, 2, 40]);
    expect(itemsOf('steps.first.list.map(x, x * 2)')).toEqual([2, 4]);
  });

  test('must be a list within the limits', () => {
    expect(() => itemsOf('input.name')).toThrow(
      new InputError('foreach.items: must be a list, but it is a text'),
    );
    const tooMany = 'foreach.items: must have at most 5 items, but it has 6';
    expect(() => itemsOf([1, 2, 3, 4, 5, 6])).toThrow(new InputError(tooMany));
    expect(() => itemsOf('[1, 2, 3, 4, 5, 6]')).toThrow(new InputError(tooMany));
    const small = { maxItems: 5, maxBytes: 4 };
    expect(() => planOf({ foreach: { items: '[100, 200]' } }).items(sources, small)).toThrow(
      'foreach.items: is larger than 4 bytes of JSON',
    );
    expect(() => itemsOf(['${{ 1 / 0 }}'])).toThrow('foreach.items.0: ');
  });
});

describe('the end of a wait', () => {
  const until = (step: { durationMs?: number; until?: string }) =>
    planOf({ kind: 'wait', ...step }).until(sources, now);

  test('is a duration from now, a time, or what an expression evaluates to', () => {
    expect(planOf().until(sources, now)).toBeUndefined();
    expect(until({ durationMs: 250 })).toBe(now + 250);
    expect(until({ until: '2026-03-02T00:00:00+01:00' })).toBe(Date.parse('2026-03-01T23:00:00Z'));
    expect(until({ until: 'input.when' })).toBe(Date.parse('2026-04-30T22:00:00Z'));
  });

  test('is now for a time in the past', () => {
    expect(until({ until: '2020-01-01T00:00:00Z' })).toBe(now);
    expect(until({ until: '"2020-01-01T00:00:00Z"' })).toBe(now);
  });

  test('must be a time with an offset', () => {
    const times = ['2026-03-02', '2026-03-02T00:00:00', '2026-02-30T00:00:00Z', '2026-03-02T24:00:00Z'];
    for (const time of times)
      expect(() => until({ until: time })).toThrow('until: must be a time in ISO 8601');
    expect(() => until({ until: 'input.name' })).toThrow('until: must be a time in ISO 8601');
    expect(() => until({ until: 'input.n' })).toThrow('until: must be a text, but it is a number');
  });
});

describe('the title of an approval', () => {
  test('is a text, whatever its templates evaluate to', () => {
    const titleOf = (title: string) => planOf({ kind: 'approval', title }).title(sources);
    expect(planOf().title(sources)).toBeUndefined();
    expect(titleOf('Refund ${{ steps.first.total }} EUR?')).toBe('Refund 40 EUR?');
    expect(titleOf('${{ input.tags }}')).toBe('["a","b"]');
    expect(titleOf('$step.first.note')).toBe('hi');
    expect(() => titleOf('${{ input.x }}')).toThrow('title: there is no member "x"');
  });
});

describe('the output of a definition', () => {
  const outputOf = (output: JsonObject) =>
    planWorkflow(definitionOf([first, quiet], { output }), celExpressions).output?.(sources, MAX_BYTES);

  test('is resolved from the outputs of all steps', () => {
    expect(planWorkflow(definitionOf([first]), celExpressions).output).toBeNull();
    expect(outputOf({ sum: '${{ steps.first.total }}', note: '$step.first.note', n: '$input.n' })).toEqual({
      sum: 40,
      note: 'hi',
      n: 2,
    });
  });

  test('cannot be resolved where a value does not exist', () => {
    expect(() => outputOf({ a: { b: '${{ steps.other.x }}' } })).toThrow(
      'output.a.b: names step "other", which does not exist',
    );
    expect(() => outputOf({ a: "${{ steps['not-run'].x }}" })).toThrow('output.a: there is no member');
  });
});
