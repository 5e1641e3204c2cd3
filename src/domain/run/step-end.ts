import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { roundedMs } from '../../lib/text/time.ts';
import { indexOfStep } from '../workflow/shape.ts';
import type { RunEvent } from './events.ts';
import type { StepResult } from './run.ts';
import type { RunState } from './state.ts';

/** The outcome of a step that ends by itself. */
export type StepOutcome = { readonly output: JsonObject } | { readonly error: string };

/** The members that the ends of steps share. */
export type EndBase = Pick<
  RunEvent<'step.completed'>,
  'seq' | 'at' | 'stepId' | 'attempts' | 'durationMs' | 'startedAt'
>;

/** The event that ends a step: a failure as its policy demands. */
export function endOfStep(
  { shape }: Pick<RunState, 'shape'>,
  base: EndBase,
  outcome: StepOutcome,
): RunEvent<'step.completed' | 'step.failed'> {
  if ('output' in outcome) return { ...base, type: 'step.completed', output: outcome.output };
  const { error } = outcome;
  const { onError } = itemAt(shape.definition.steps, indexOfStep(shape.indexes, base.stepId));
  if (typeof onError === 'object') return { ...base, type: 'step.completed', output: onError.output, error };
  return { ...base, type: 'step.failed', error };
}

/** The base of the end of a step whose process is gone, so that its duration is unknown. */
export function lostEnd({ stepId, attempts, startedAt }: StepResult, seq: number, now: number) {
  const since = startedAt === null ? now : Date.parse(startedAt);
  return { seq, at: now, stepId, attempts, durationMs: null, startedAt: since };
}

/** The base of the end of a step that no process runs: it waits, or it ends before it starts. */
export function endBase(state: RunState, index: number, seq: number, now: number): EndBase {
  const end = lostEnd(itemAt(state.results, index), seq, now);
  return { ...end, durationMs: roundedMs(Math.max(0, now - end.startedAt)) };
}

/** The error of a step that has taken too long. */
export function stepTimeoutText(timeoutMs: number): string {
  return `timed out after ${timeoutMs} ms`;
}

/** The error of a run that has taken too long, and of its steps that were under way. */
export function runTimeoutText(timeoutMs: number): string {
  return `the workflow timed out after ${timeoutMs} ms`;
}
