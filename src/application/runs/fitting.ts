import type { RunEvent } from '../../domain/run/events.ts';
import { endOfStep } from '../../domain/run/steps/ends.ts';
import { indexOfStep } from '../../domain/workflow/shape.ts';
import { type ActiveRun, keepOutput, record } from './active-run.ts';

/**
 * Records an event, and keeps the output that it brings for the inputs of later steps. Where all outputs would become
 * too large, the step fails instead. Returns what was recorded.
 */
export function recordFitting(run: ActiveRun, event: RunEvent): RunEvent {
  const fitting = toFitting(run, event);
  record(run, fitting);
  if (run.items.size > 0 && (fitting.type === 'step.completed' || fitting.type === 'step.failed')) {
    run.items.delete(indexOfStep(run.plan.indexes, fitting.stepId));
  }
  return fitting;
}

/** Records several events so. */
export function recordAll(run: ActiveRun, events: readonly RunEvent[]): void {
  for (const event of events) recordFitting(run, event);
}

function toFitting(run: ActiveRun, event: RunEvent): RunEvent {
  if (event.type !== 'step.completed') return event;
  const index = indexOfStep(run.plan.indexes, event.stepId);
  const error = keepOutput(run, index, event.output);
  if (error === null) return event;
  const { seq, at, stepId, attempts, durationMs, startedAt } = event;
  const base = { seq, at, stepId, attempts, durationMs, startedAt };
  const failed = endOfStep(run.state, base, { error });
  if (failed.type === 'step.completed' && keepOutput(run, index, failed.output) !== null) {
    return { ...base, type: 'step.failed', error };
  }
  return failed;
}
