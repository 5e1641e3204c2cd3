import type { JsonValue } from '../../../../../src/lib/json/json.ts';
import type { Expr } from '../expression.ts';
import type { Answer, Behavior, PlannedDefinition, PlannedStep, Scenario, Work } from '../scenario.ts';

/** A rule of the workflow language, with a run that shows it. */
export interface Case {
  readonly rule: string;
  readonly scenario: Scenario;
  readonly run: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  /** The error of the run; any when absent. */
  readonly error?: string;
  /** The output of the run; any when absent. */
  readonly output?: JsonValue;
  /** By step: its status and why it was skipped, and beside them its output or error where they matter. */
  readonly steps: Readonly<Record<string, string | readonly [string, JsonValue]>>;
}

/** The members of a step beside its id and its work. */
export type Options = Partial<Omit<PlannedStep, 'id' | 'work'>>;

/** Succeeds at once. */
export const done: Behavior = { failures: 0, does: 'succeed', output: { n: 1, ok: true, list: [1, 2, 3] } };
/** Fails so that another attempt would fail too. */
export const fails: Behavior = { ...done, does: 'fail' };
/** Never ends by itself. */
export const hangs: Behavior = { ...done, does: 'hang' };
/** Succeeds after so many failed attempts. */
export const busy = (failures: number): Behavior => ({ ...done, failures });

/** A step of any kind. */
export function step(id: string, work: Work, { dependsOn = [], ...policies }: Options): PlannedStep {
  return { id, dependsOn, work, ...policies };
}

/** A step that calls a tool. */
export function tool(
  id: string,
  options: Options = {},
  does: readonly Behavior[] = [done],
  name = 'look',
): PlannedStep {
  return step(id, { kind: 'tool', name, input: {}, does }, options);
}

/** A step that calls an agent. */
export function agent(
  id: string,
  options: Options = {},
  does: readonly Behavior[] = [done],
  name = 'asker',
): PlannedStep {
  return step(id, { kind: 'agent', name, input: {}, does }, options);
}

/** A step that waits so many milliseconds. */
export function wait(id: string, durationMs: number, options: Options = {}): PlannedStep {
  return step(id, { kind: 'wait', durationMs }, options);
}

/** A step that asks a person, and the answer. */
export function approval(
  id: string,
  answer: Answer,
  options: Options = {},
  more: Partial<Extract<Work, { kind: 'approval' }>> = {},
): PlannedStep {
  const title = { as: 'literal', value: 'Is this right?' } as const;
  return step(id, { kind: 'approval', title, payload: {}, answers: [answer], ...more }, options);
}

/** A step that runs another definition of the scenario; null for an unknown one. */
export function child(id: string, options: Options = {}, definition: number | null = 1): PlannedStep {
  return step(id, { kind: 'workflow', definition, input: {} }, options);
}

/** A yes after so many milliseconds. */
export const approved = (after: number): Answer => ({
  outcome: 'approved',
  after,
  by: 'ann',
  note: null,
  data: { n: 2 },
});
/** A no after so many milliseconds. */
export const rejected = (after: number): Answer => ({
  outcome: 'rejected',
  after,
  by: 'bob',
  note: 'too much',
  data: null,
});
/** An expression that is true. */
export const yes: Expr = { op: 'literal', value: true };
/** An expression that is false. */
export const no: Expr = { op: '!', of: yes };
/** An expression without a value. */
export const nothing: Expr = { op: 'input', path: ['nothing'] };
/** The dependencies of a step. */
export const on = (...dependsOn: string[]): Options => ({ dependsOn });

/** A scenario of one definition and those of its children. */
export function scenario(
  steps: readonly PlannedStep[],
  options: Partial<PlannedDefinition> & Partial<Pick<Scenario, 'cancelAfter' | 'isRetried'>> = {},
  ...children: readonly (readonly PlannedStep[])[]
): Scenario {
  const { cancelAfter = null, isRetried = false, ...members } = options;
  const definitions = [{ steps, ...members }, ...children.map((own) => ({ steps: own }))];
  return { seed: 0, definitions, input: { n: 3 }, cancelAfter, isRetried };
}

/** The ends of steps. */
export const [COMPLETED, FAILED, CANCELLED] = ['COMPLETED', 'FAILED', 'CANCELLED'] as const;
/** Skipped because a step has failed before. */
export const failedBefore = 'SKIPPED failed_before';
/** Skipped by a condition. */
export const byCondition = 'SKIPPED condition';
/** Skipped by a cancel. */
export const byCancel = 'SKIPPED cancelled';
