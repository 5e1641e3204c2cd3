import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';
import { type Chance, chanceFrom } from './chance.ts';
import { Ambiguous } from './expected.ts';
import type { Expr, Template, Templates } from './expression.ts';
import { expectedRun } from './model.ts';
import {
  type Answer,
  agents,
  type Behavior,
  type PlannedDefinition,
  type PlannedStep,
  type Scenario,
  tools,
  UNIT,
  type Work,
} from './scenario.ts';

/** Bounds of a scenario. */
interface Plan {
  readonly chance: Chance;
  readonly definitions: (PlannedDefinition | null)[];
  /** True where everything takes no time. */
  readonly isInstant: boolean;
  /** Once in so many times something goes wrong. */
  readonly trouble: number;
  /** True where neither lost attempts nor lost time change the end. */
  readonly isRepeatable: boolean;
}

/** The parts that a scenario may contain. */
export interface GeneratorOptions {
  /**
   * Without attempts that fail before another one succeeds, and without time-outs, so that neither attempts nor time
   * that are lost change the end; false when absent.
   */
  readonly isRepeatable?: boolean;
}

/** A time at which a scenario may start, in milliseconds since the epoch. */
export const ANY_TIME = Date.UTC(2026, 0, 1);

/** The scenario of a seed. Its end is certain: see {@link expectedRun}. */
export function scenarioOf(seed: number, { isRepeatable = false }: GeneratorOptions = {}): Scenario {
  for (let tried = 0; tried < 1_000; tried++) {
    const scenario = anyScenario(seed, chanceFrom(seed * 1_000 + tried), isRepeatable);
    try {
      expectedRun(scenario, inputAt(scenario, ANY_TIME), ANY_TIME);
      return scenario;
    } catch (error) {
      if (!(error instanceof Ambiguous)) throw error;
    }
  }
  throw new Error(`seed ${seed} makes no scenario`);
}

/** The input of a run of a scenario that starts at `now`, in milliseconds since the epoch. */
export function inputAt({ input }: Scenario, now: number): JsonObject {
  const iso = (units: number): string => new Date(now + units * UNIT).toISOString();
  return { ...input, soon: iso(1.3), later: iso(3.1) };
}

function anyScenario(seed: number, chance: Chance, isRepeatable: boolean): Scenario {
  const isInstant = chance.oneIn(2);
  const plan: Plan = {
    chance,
    definitions: [],
    isInstant,
    trouble: chance.pick([5, 25, 100]),
    isRepeatable,
  };
  const isTower = chance.oneIn(40);
  if (isTower) addTower(plan, 2 + chance.int(9));
  else addDefinition(plan, 1, 1 + chance.int(1 + chance.int(12)));
  const input = { n: chance.int(6), ok: chance.oneIn(2), list: numbers(chance, 4), zero: 0 };
  const cancelAfter =
    !isInstant && !isRepeatable && chance.oneIn(6) ? chance.int(4) * UNIT + UNIT * 0.75 : null;
  const definitions = plan.definitions.flatMap((definition) => definition ?? []);
  return { seed, definitions, input, cancelAfter, isRetried: chance.oneIn(4) };
}

/** A chain of child runs. */
function addTower(plan: Plan, height: number): void {
  for (let level = 0; level < height; level++) {
    const input = { n: { as: 'reference', step: null, path: ['n'] } } as const;
    const work: Work = { kind: 'workflow', definition: level + 1, input };
    const above: PlannedStep = { id: 'below', dependsOn: [], work };
    plan.definitions.push({
      steps: [above],
      output: { o: { as: 'reference', step: 'below', path: ['output', 'o'] } },
    });
  }
  const does = [{ failures: 0, does: 'succeed', output: { n: 1 } }] as const;
  const work: Work = { kind: 'tool', name: 'look', input: {}, does };
  const output = { o: { as: 'reference', step: null, path: ['n'] } } as const;
  plan.definitions.push({ steps: [{ id: 'ground', dependsOn: [], work }], output });
}

function addDefinition(plan: Plan, depth: number, size: number): number {
  const { chance, definitions, isInstant, isRepeatable } = plan;
  const number = definitions.push(null) - 1;
  const steps: PlannedStep[] = [];
  const upstream = new Map<string, ReadonlySet<PlannedStep>>();
  for (let index = 0; index < size; index++) {
    const direct = chance.some(steps, chance.oneIn(3) ? 1 : 3);
    const all = new Set([...direct, ...direct.flatMap(({ id }) => [...(upstream.get(id) ?? [])])]);
    const id = chance.oneIn(5) ? `s-${index}` : `s${index}`;
    upstream.set(id, all);
    steps.push(anyStep(plan, { id, dependsOn: direct.map((step) => step.id) }, [...all], depth));
  }
  const ownLimits = chance.oneIn(4) ? { maxConcurrentSteps: 1 + chance.int(3) } : {};
  const isBounded = !isInstant && !isRepeatable && chance.oneIn(3);
  const hasOutput = chance.oneIn(depth === 1 ? 3 : 2);
  const reach: Reach = { steps, hasItem: false, trouble: plan.trouble };
  definitions[number] = {
    steps: chance.shuffled(steps),
    ...(hasOutput && { output: anyTemplates(chance, reach, 'o') }),
    ...(isBounded ? { timeoutMs: chance.int(4) * UNIT + UNIT / 2 } : ownLimits),
  };
  return number;
}

function anyStep(
  plan: Plan,
  base: { readonly id: string; readonly dependsOn: readonly string[] },
  upstream: readonly PlannedStep[],
  depth: number,
): PlannedStep {
  const { chance, isInstant, isRepeatable } = plan;
  const reach: Reach = { steps: upstream, hasItem: false, trouble: plan.trouble };
  const foreach = chance.oneIn(5)
    ? {
        items: anyItems(chance, reach),
        ...(chance.oneIn(2) && { concurrency: 1 + chance.int(3) }),
        ...(chance.oneIn(2) && { onItemError: chance.pick(['fail', 'continue'] as const) }),
      }
    : undefined;
  const work = anyWork(plan, { ...reach, hasItem: foreach !== undefined }, depth);
  const isCalled = work.kind === 'tool' || work.kind === 'agent';
  const hangs = isCalled && work.does.some(({ does }) => does === 'hang');
  return {
    ...base,
    work,
    ...(foreach && { foreach }),
    ...(chance.oneIn(4) && { when: anyBoolean(chance, reach, 2) }),
    ...(chance.oneIn(3) && {
      runIf: chance.pick(['none_failed', 'all_completed', 'always', 'always'] as const),
    }),
    ...(isCalled &&
      chance.oneIn(4) && { retry: { maxAttempts: 1 + chance.int(4), backoffMs: chance.int(20), factor: 1 } }),
    ...((hangs ? !chance.oneIn(4) : !isInstant && !isRepeatable && chance.oneIn(5)) && {
      timeoutMs: (1 + chance.int(3)) * UNIT + UNIT / 4,
    }),
    ...(chance.oneIn(2) && { onError: anyErrorPolicy(chance) }),
  };
}

function anyErrorPolicy(chance: Chance): 'fail' | 'continue' | { output: JsonObject } {
  if (chance.oneIn(2)) return { output: { n: chance.int(9), ok: false, list: [1], text: '$step.a.n' } };
  return chance.pick(['fail', 'continue', 'continue'] as const);
}

function anyWork(plan: Plan, reach: Reach, depth: number): Work {
  const { chance, isInstant, definitions, trouble } = plan;
  const input = anyTemplates(chance, reach, 'v');
  const kind = chance.int(20);
  if (kind < 2 && depth < 4 && definitions.length < 5) {
    if (chance.oneIn(20)) return { kind: 'workflow', definition: null, input };
    const definition = addDefinition(plan, depth + 1, 1 + chance.int(4));
    const given = { n: chance.int(9), ok: chance.oneIn(2), list: numbers(chance, 3) };
    const literals = Object.entries(given).map(([key, value]) => [key, { as: 'literal', value }] as const);
    return { kind: 'workflow', definition, input: { ...input, ...Object.fromEntries(literals) } };
  }
  if (kind < 4) return anyWait(chance, isInstant);
  if (kind < 6) return anyApproval(plan, reach);
  const does = Array.from({ length: reach.hasItem ? 3 : 1 }, () => anyBehavior(plan));
  if (chance.oneIn(10 * trouble))
    return { kind: chance.pick(['tool', 'agent']), name: 'unknown', input, does };
  if (kind < 10) return { kind: 'agent', name: chance.pick(Object.keys(agents)), input, does };
  return { kind: 'tool', name: chance.pick(Object.keys(tools)), input, does };
}

function anyWait(chance: Chance, isInstant: boolean): Work {
  if (isInstant) {
    const past = { kind: 'wait', until: '2020-02-29T12:00:00Z' } as const;
    return chance.oneIn(2) ? past : { kind: 'wait', durationMs: chance.int(30) };
  }
  if (!chance.oneIn(4)) return { kind: 'wait', durationMs: (1 + chance.int(3)) * UNIT };
  return { kind: 'wait', until: { op: 'input', path: [chance.pick(['soon', 'later', 'list'])] } };
}

function anyApproval({ chance, isInstant, trouble, isRepeatable }: Plan, reach: Reach): Work {
  const answers = Array.from({ length: reach.hasItem ? 3 : 1 }, () => anyAnswer(chance, isInstant, trouble));
  return {
    kind: 'approval',
    title: chance.oneIn(2)
      ? { as: 'literal', value: 'Is this right?' }
      : { as: 'text', before: 'Pay ', expr: { op: 'input', path: ['n'] }, after: ' €?' },
    payload: anyTemplates(chance, reach, 'p'),
    ...((!isInstant || answers.includes(null)) && (isRepeatable ? answers.includes(null) : chance.oneIn(2))
      ? { expiresInMs: (1 + chance.int(3)) * UNIT + UNIT * 0.6 }
      : {}),
    ...(chance.oneIn(2) && { onExpire: chance.pick(['reject', 'approve'] as const) }),
    ...(chance.oneIn(2) && { onReject: chance.pick(['fail', 'continue'] as const) }),
    answers,
  };
}

function anyAnswer(chance: Chance, isInstant: boolean, trouble: number): Answer {
  if (!isInstant && chance.oneIn(4)) return null;
  const note = chance.oneIn(2) ? null : 'as agreed';
  const after = isInstant || chance.oneIn(2) ? 0 : (1 + chance.int(3)) * UNIT;
  if (chance.oneIn(Math.min(trouble, 8))) return { outcome: 'rejected', after, by: 'ann', note, data: null };
  const data: JsonValue = chance.oneIn(Math.min(trouble, 12)) ? null : { n: chance.int(9) };
  return { outcome: 'approved', after, by: 'bob', note, data };
}

function anyBehavior({ chance, isInstant, trouble, isRepeatable }: Plan): Behavior {
  const failures = !isRepeatable
    ? chance.pick([0, 0, 0, 0, 0, 0, 1, 2, chance.oneIn(trouble) ? 3 : 1])
    : chance.pick([0, 0, 0, chance.oneIn(trouble) ? 99 : 0]);
  const last = chance.oneIn(trouble)
    ? 'fail'
    : !isInstant && !isRepeatable && chance.oneIn(8)
      ? 'hang'
      : 'succeed';
  const members = { n: chance.int(9), ok: chance.oneIn(2), list: numbers(chance, 3), text: 'done' };
  const chosen = Object.entries(members).filter(() => !chance.oneIn(3 * trouble));
  return { failures, does: last, output: Object.fromEntries(chosen) };
}

function numbers(chance: Chance, most: number): number[] {
  return Array.from({ length: chance.int(most + 1) }, () => chance.int(9));
}

/** The values that an expression at some place of a definition may read. */
interface Reach {
  /** The steps whose outputs it may read. */
  readonly steps: readonly PlannedStep[];
  readonly hasItem: boolean;
  /** Once in so many times it reads what is not there. */
  readonly trouble: number;
}

type Kind = 'number' | 'boolean' | 'list';

/** The members of the input by their kind. */
const members = { number: 'n', boolean: 'ok', list: 'list' } as const;

/** The members of outputs by their kind, as far as they are known. */
function membersOf({ work, foreach }: PlannedStep): readonly (readonly [Kind, ...string[]])[] {
  if (foreach !== undefined) {
    const isCalled = work.kind === 'tool' || work.kind === 'agent';
    const counts = [
      ['number', 'count'],
      ['number', 'failed'],
    ] as const;
    return isCalled ? [...counts, ['list', 'results']] : counts;
  }
  switch (work.kind) {
    case 'wait':
      return [];
    case 'approval':
      return [
        ['boolean', 'approved'],
        ['number', 'data', 'n'],
      ];
    case 'workflow':
      return [];
    default:
      return [
        ['number', 'n'],
        ['boolean', 'ok'],
        ['list', 'list'],
      ];
  }
}

/** An expression that reads a value of a kind from the input or a step; one that is not there from time to time. */
function anyRead(chance: Chance, reach: Reach, kind: Kind): Expr {
  const fromSteps = reach.steps.flatMap((step) =>
    membersOf(step).flatMap(([of, ...path]): Expr[] =>
      of === kind ? [{ op: 'step', id: step.id, path }] : [],
    ),
  );
  if (chance.oneIn(reach.trouble)) {
    const child = reach.steps.find(({ work, foreach }) => work.kind === 'workflow' && foreach === undefined);
    if (child !== undefined) return { op: 'step', id: child.id, path: ['output', 'o0'] };
  }
  // An output is not there where its step was skipped: a condition asks for it first.
  if (fromSteps.length > 0 && !chance.oneIn(4)) {
    const read = chance.pick(fromSteps);
    if (read.op !== 'step' || chance.oneIn(2)) return read;
    const other: Expr = { op: 'input', path: [members[kind]] };
    return { op: '?', of: { op: 'hasStep', id: read.id }, left: read, right: other };
  }
  if (chance.oneIn(reach.trouble)) return { op: 'input', path: ['nothing'] };
  return { op: 'input', path: [members[kind]] };
}

/** An expression that is boolean, unless it has no value. */
function anyBoolean(chance: Chance, reach: Reach, depth: number): Expr {
  const choice = chance.int(depth > 0 ? 9 : 5);
  const { steps } = reach;
  if (choice === 0) return anyRead(chance, reach, 'boolean');
  if (choice === 1) return { op: 'hasInput', key: chance.pick(['n', 'ok', 'nothing']) };
  if (choice === 2 && steps.length > 0) return { op: 'hasStep', id: chance.pick(steps).id };
  if (choice < 5) {
    const op = chance.pick(['<', '>=', '=='] as const);
    return { op, left: anyNumber(chance, reach, 1), right: anyNumber(chance, reach, 0) };
  }
  if (choice === 5) return { op: '!', of: anyBoolean(chance, reach, depth - 1) };
  const op = chance.pick(['&&', '||'] as const);
  return { op, left: anyBoolean(chance, reach, depth - 1), right: anyBoolean(chance, reach, depth - 1) };
}

/** An expression that is a number, unless it has no value. */
function anyNumber(chance: Chance, reach: Reach, depth: number): Expr {
  const choice = chance.int(depth > 0 ? 8 : 4);
  if (choice === 0) return { op: 'literal', value: chance.int(9) };
  if (choice === 1 && reach.hasItem) return { op: 'index' };
  if (choice < 4) return anyRead(chance, reach, 'number');
  if (choice === 4) return { op: 'size', of: anyRead(chance, reach, 'list') };
  if (choice === 5) {
    const of = anyBoolean(chance, reach, 0);
    return { op: '?', of, left: anyNumber(chance, reach, 0), right: anyNumber(chance, reach, 0) };
  }
  const op = chance.pick(['+', '-', '*'] as const);
  return {
    op,
    left: anyNumber(chance, reach, depth - 1),
    right: { op: 'literal', value: 1 + chance.int(3) },
  };
}

/** The items of a step: a list, or an expression. */
function anyItems(chance: Chance, reach: Reach): readonly JsonValue[] | Expr {
  const choice = chance.int(10);
  if (choice === 0) return [];
  if (choice < 5) return Array.from({ length: 1 + chance.int(4) }, () => anyItem(chance));
  if (choice < 9) return anyRead(chance, reach, 'list');
  return { op: 'list', items: [anyNumber(chance, reach, 1), anyNumber(chance, reach, 0)] };
}

function anyItem(chance: Chance): JsonValue {
  return chance.oneIn(3) ? { n: chance.int(9) } : chance.int(9);
}

/** Up to three templates, whose names begin with that letter. */
function anyTemplates(chance: Chance, reach: Reach, letter: string): Templates {
  const count = chance.int(3) + (letter === 'o' ? 1 : 0);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${letter}${index}`, anyTemplate(chance, reach)]),
  );
}

function anyTemplate(chance: Chance, reach: Reach): Template {
  const choice = chance.int(7);
  if (choice < 2) return { as: 'literal', value: chance.pick([1, 'two', null, [3], { four: 4 }]) };
  if (choice === 2) {
    const read = anyRead(chance, reach, 'number');
    if (read.op === 'step') return { as: 'reference', step: read.id, path: read.path };
    return { as: 'reference', step: null, path: ['n'] };
  }
  if (choice === 3 && reach.hasItem) {
    return { as: 'expression', expr: { op: 'item', path: chance.oneIn(reach.trouble) ? ['n'] : [] } };
  }
  if (choice === 4) return { as: 'text', before: 'n is ', expr: anyNumber(chance, reach, 1), after: '.' };
  if (choice === 5) return { as: 'expression', expr: anyBoolean(chance, reach, 1) };
  return { as: 'expression', expr: anyNumber(chance, reach, 1) };
}
