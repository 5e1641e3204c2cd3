import type { JsonValue } from '../../../../src/lib/json/json.ts';
import type { Chance } from './chance.ts';
import type { Expr } from './expression.ts';
import type { PlannedStep } from './scenario.ts';
import type { Template, Templates } from './template.ts';

/** The values that an expression at some place of a definition may read. */
export interface Reach {
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
export function anyBoolean(chance: Chance, reach: Reach, depth: number): Expr {
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
export function anyItems(chance: Chance, reach: Reach): readonly JsonValue[] | Expr {
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
export function anyTemplates(chance: Chance, reach: Reach, letter: string): Templates {
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
