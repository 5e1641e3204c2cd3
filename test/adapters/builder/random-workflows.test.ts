import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { celExpressions } from '../../../src/adapters/languages/languages.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import type { JsonValue, StepDraft, WorkflowDraft } from '../../../src/entries/index.ts';
import {
  cel,
  defineWorkflow,
  type StepSpec,
  text,
  type UntypedReference,
} from '../../../src/entries/workflow.ts';
import { runsOf } from '../../support/extent.ts';
import { checkNow } from '../../support/workflow/checks.ts';

type Refs = Readonly<Record<string, UntypedReference>>;
type AnyStep = StepSpec<Refs, unknown, string>;

/** A reference to a step, by its place among those before it, or to the input. */
interface Read {
  readonly of: number | 'input';
  readonly keys: readonly [string | number, ...(string | number)[]];
}

/** A step of a random workflow: its references by the member that contains them. */
interface Random {
  readonly kind: 'tool' | 'agent' | 'workflow' | 'until' | 'approval';
  readonly input: readonly Read[];
  readonly when: Read | null;
  readonly items: Read | null;
  readonly dependsOn: readonly number[];
}

const read: fc.Arbitrary<Read> = fc.record({
  of: fc.oneof(fc.nat(9), fc.constant('input' as const)),
  keys: fc
    .tuple(
      fc.constantFrom('results', 'a-b', 'in', "it's", '$', 'ü'),
      fc.array(fc.oneof(fc.nat(9), fc.constantFrom('name', 'true', '__proto__', 'a.b', '')), {
        maxLength: 3,
      }),
    )
    .map(([first, rest]) => [first, ...rest] as const),
});
const randomStep: fc.Arbitrary<Random> = fc.record({
  kind: fc.constantFrom('tool', 'agent', 'workflow', 'until', 'approval'),
  input: fc.array(read, { maxLength: 3 }),
  when: fc.option(read),
  items: fc.option(read),
  dependsOn: fc.array(fc.nat(9), { maxLength: 2 }),
});
const randomWorkflow = fc.uniqueArray(
  fc.tuple(
    fc.oneof(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,5}$/), fc.constantFrom('if', 'loop', 'void')),
    randomStep,
  ),
  { minLength: 1, maxLength: 8, selector: ([id]) => id },
);

/** References to what does not exist, or whose members the builder would refuse, refer to the input. */
function stepOf({ of }: Read, at: number, steps: Steps): string | undefined {
  const target = of === 'input' || at === 0 ? undefined : steps[of % at];
  const isFree = target !== undefined && (target[1].kind === 'tool' || target[1].kind === 'agent');
  return isFree && target[1].items === null ? target[0] : undefined;
}

/** The words that CEL keeps for itself, and the one key that no path may name. */
const notNames = new Set(
  `as break const continue else false for function if import in let loop namespace null package
   prototype return true var void while __proto__`.split(/\s+/),
);
const isName = (key: string): boolean => /^[A-Za-z_]\w*$/.test(key) && !notNames.has(key);
const access = (key: string | number): string =>
  typeof key === 'number' ? `[${key}]` : isName(key) ? `.${key}` : `['${key.replace("'", "\\'")}']`;

type Steps = readonly (readonly [string, Random])[];
type Given = Parameters<Extract<NonNullable<AnyStep['when']>, (context: never) => unknown>>[0];

/** A step by the builder. */
function specOf([id, random]: Steps[number], at: number, steps: Steps): [string, AnyStep] {
  const refer = (part: Read, { steps: refs, input }: Given): UntypedReference => {
    const step = stepOf(part, at, steps);
    return (step === undefined ? input : (refs[step] ?? input))(...part.keys);
  };
  const values = (given: Given) => ({
    plain: [1, 'two', null],
    list: random.input.map((part) => refer(part, given)),
    text: random.input.map((part) => text`<${refer(part, given)}>`),
  });
  const { when, items } = random;
  const options = {
    dependsOn: namesOf(random, at, steps),
    ...(when && { when: (given: Given) => cel`${refer(when, given)} != ${'x'}` }),
    ...(items && { foreach: { items: (given: Given) => refer(items, given) } }),
  };
  switch (random.kind) {
    case 'tool':
      return [id, { kind: 'tool', toolName: 'x', input: values, ...options }];
    case 'agent':
      return [id, { kind: 'agent', agentName: 'x', input: values, ...options }];
    case 'workflow':
      return [id, { kind: 'workflow', workflowId: 'x', input: values, ...options }];
    case 'until':
      return [
        id,
        { kind: 'wait', until: ({ index }) => cel`string(${index})`, ...options, foreach: { items: [1] } },
      ];
    case 'approval':
      return [id, { kind: 'approval', title: 'x', payload: values, ...options }];
  }
}

/** The same step, written by hand. */
function writtenOf([id, random]: Steps[number], at: number, steps: Steps): StepDraft {
  const source = (part: Read): string => {
    const step = stepOf(part, at, steps);
    return (step === undefined ? 'input' : `steps${access(step)}`) + part.keys.map(access).join('');
  };
  const values: Record<string, JsonValue> = {
    plain: [1, 'two', null],
    list: random.input.map((part) => `\${{ ${source(part)} }}`),
    text: random.input.map((part) => `<\${{ ${source(part)} }}>`),
  };
  const { when, items, kind } = random;
  const isUntil = kind === 'until';
  const parts = [when, isUntil ? null : items, ...(isUntil ? [] : random.input)];
  const reads = parts.flatMap((part) => (part === null ? [] : (stepOf(part, at, steps) ?? [])));
  const dependsOn = [...new Set([...namesOf(random, at, steps), ...reads])];
  const options = {
    ...(dependsOn.length > 0 && { dependsOn }),
    ...(when && { when: `${source(when)} != 'x'` }),
    ...(isUntil ? { foreach: { items: [1] } } : items && { foreach: { items: source(items) } }),
  };
  switch (kind) {
    case 'tool':
      return { id, kind, toolName: 'x', staticInput: values, ...options };
    case 'agent':
      return { id, kind, agentName: 'x', staticInput: values, ...options };
    case 'workflow':
      return { id, kind, workflowId: 'x', staticInput: values, ...options };
    case 'until':
      return { id, kind: 'wait', until: 'string(index)', ...options };
    case 'approval':
      return { id, kind, title: 'x', payload: values, ...options };
  }
}

const build = (steps: Steps): WorkflowDraft =>
  defineWorkflow({ name: 'Random', steps: Object.fromEntries(steps.map(specOf)) });

function namesOf({ dependsOn }: Random, at: number, steps: Steps): string[] {
  return at === 0 ? [] : dependsOn.flatMap((of) => steps[of % at]?.[0] ?? []);
}

const placed = (texts: readonly string[]) => texts.map((text) => ({ place: '', text }));

/** With everything that the service adds to a draft. */
const complete = (draft: StepDraft): Step => ({ dependsOn: [], staticInput: {}, ...draft }) as Step;

describe('a random workflow', () => {
  test('is the same as one that is written by hand, and valid', () => {
    fc.assert(
      fc.property(randomWorkflow, (steps) => {
        const built = build(steps);
        expect(built.steps).toStrictEqual(steps.map(writtenOf));
        expect(checkNow({ steps: built.steps.map(complete) }, {})).toMatchObject({
          issues: [],
          warnings: [],
        });
      }),
      { numRuns: runsOf(100, 300) },
    );
  });

  test('depends on every step that its expressions read', () => {
    fc.assert(
      fc.property(randomWorkflow, (steps) => {
        for (const { dependsOn = [], when, staticInput, foreach } of build(steps).steps) {
          const { list = [], text: texts = [] } = typeof staticInput === 'object' ? staticInput : {};
          const strings = [list, texts].flat().filter((value) => typeof value === 'string');
          const items = typeof foreach?.items === 'string' ? [foreach.items] : [];
          const expressions = [...items, ...(when === undefined ? [] : [when])];
          const references = [
            ...celExpressions.parseTexts(placed(strings), ['steps', 'input']).references,
            ...expressions.flatMap((source) => celExpressions.parse(source, ['steps', 'input']).references),
          ];
          const read = references.flatMap(([root, id]) => (root === 'steps' ? [id] : []));
          expect(read.filter((id) => id === undefined || !dependsOn.includes(id))).toEqual([]);
        }
      }),
      { numRuns: runsOf(100, 300) },
    );
  });
});
