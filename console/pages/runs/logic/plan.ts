import type { Run, StepDefinition, StepResult } from './reads.ts';

/**
 * The effect of repeating a step. `runs`: it runs another workflow, whose steps act too. `asks` and `waits`: it calls
 * nothing.
 */
export type Effect = 'read' | 'idempotent' | 'write' | 'runs' | 'asks' | 'waits' | 'unknown';

/** The effects of all tools and agents, by their names. */
export interface Effects {
  readonly tools: ReadonlyMap<string, Effect>;
  readonly agents: ReadonlyMap<string, Effect>;
}

/** The effect of a step; `unknown` where its definition, or its tool or agent, is not there any more. */
export function effectOf(step: StepDefinition | undefined, effects: Effects): Effect {
  switch (step?.kind) {
    case 'tool':
      return effects.tools.get(step.tool_name ?? '') ?? 'unknown';
    case 'agent':
      return effects.agents.get(step.agent_name ?? '') ?? 'unknown';
    case 'workflow':
      return 'runs';
    case 'wait':
      return 'waits';
    case 'approval':
      return 'asks';
    default:
      return 'unknown';
  }
}

/** The target of a step, in a few words: `tool check_order_status`. */
export function callOf(step: StepDefinition | undefined, kind: string): string {
  const name = step?.tool_name ?? step?.agent_name;
  if ((step?.kind === 'tool' || step?.kind === 'agent') && name !== undefined) return `${step.kind} ${name}`;
  return kind;
}

/** A step that is to run, again or for the first time. */
export interface PlannedStep {
  readonly id: string;
  readonly effect: Effect;
  /** It was called before, so that it acts a second time. */
  readonly isRepeat: boolean;
}

/** The steps that an action is going to run. */
export interface Plan {
  /** The steps that run, in the order of their layers. */
  readonly runs: readonly PlannedStep[];
  /** The steps whose outputs are kept. */
  readonly kept: readonly string[];
}

/** The plan of a retry: steps that have not completed run, the others keep their outputs. */
export function planRetry(run: Run, steps: readonly StepDefinition[], effects: Effects): Plan {
  return split(run, steps, effects, ({ status }) => status !== 'COMPLETED');
}

/**
 * The plan of a rerun: completed steps that do not depend on `fromStep`, directly or not, are copied; all others run,
 * and all steps do where `fromStep` is undefined.
 */
export function planRerun(
  run: Run,
  steps: readonly StepDefinition[],
  effects: Effects,
  fromStep: string | undefined,
): Plan {
  const after = fromStep === undefined ? undefined : dependents(steps, fromStep);
  return split(run, steps, effects, ({ step_id, status }) => {
    return after === undefined || after.has(step_id) || status !== 'COMPLETED';
  });
}

/** A step and all steps that depend on it, directly or not. */
export function dependents(steps: readonly StepDefinition[], of: string): ReadonlySet<string> {
  const children = new Map<string, string[]>();
  for (const { id, depends_on } of steps) {
    for (const before of depends_on) {
      const list = children.get(before);
      if (list === undefined) children.set(before, [id]);
      else list.push(id);
    }
  }
  const found = new Set([of]);
  // Entries that are added while the set is walked are walked too.
  for (const id of found) for (const child of children.get(id) ?? []) found.add(child);
  return found;
}

function split(
  run: Run,
  steps: readonly StepDefinition[],
  effects: Effects,
  isToRun: (result: StepResult) => boolean,
): Plan {
  const definitions = new Map(steps.map((step) => [step.id, step]));
  const results = byLayer(run);
  return {
    runs: results.filter(isToRun).map((result) => ({
      id: result.step_id,
      effect: effectOf(definitions.get(result.step_id), effects),
      isRepeat: result.attempts > 0,
    })),
    kept: results.filter((result) => !isToRun(result)).map(({ step_id }) => step_id),
  };
}

/** The steps of a run in the order of their layers. */
export function byLayer(run: Pick<Run, 'step_results'>): readonly StepResult[] {
  return Object.values(run.step_results).toSorted((a, b) => a.layer - b.layer);
}

/** The step that a reader looks for first: one of unknown outcome, the first that failed, or one that waits. */
export function firstToSee(run: Pick<Run, 'status' | 'step_results' | 'waiting_for'>): string | undefined {
  const { status, waiting_for: waits } = run;
  const wait = waits.find(({ kind }) => kind === 'recovery') ?? waits[0];
  if (wait !== undefined || status !== 'FAILED') return wait?.step_id;
  return byLayer(run).find((step) => step.status === 'FAILED')?.step_id;
}

/** True for a step that has ended. One that was skipped was never started, and has ended all the same. */
export const isEnded = ({ status }: Pick<StepResult, 'status'>): boolean =>
  !['PENDING', 'RUNNING', 'WAITING'].includes(status);

/** The numbers of ended steps and of all steps of a run. */
export function progressOf(run: Pick<Run, 'step_results'>): { readonly ended: number; readonly all: number } {
  const results = Object.values(run.step_results);
  return { ended: results.filter(isEnded).length, all: results.length };
}
