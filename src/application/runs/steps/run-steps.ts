import type { Limits } from '../../../domain/limits.ts';
import type { RunEvent } from '../../../domain/run/events.ts';
import { hasEnded } from '../../../domain/run/run.ts';
import { type EndBase, endOfStep } from '../../../domain/run/steps/ends.ts';
import type { Step } from '../../../domain/workflow/definition.ts';
import type { ForeachPolicy } from '../../../domain/workflow/policies.ts';
import { itemAt } from '../../../lib/array.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { roundedMs } from '../../../lib/text/time.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { Span } from '../../../ports/telemetry.ts';
import { type ActiveRun, isInterrupted, maxConcurrentOf } from '../active-run.ts';
import { recordFitting } from '../fitting.ts';
import {
  type CallEnd,
  type CallOutcome,
  createCallStep,
  createCallTarget,
  endOfCall,
  type StepCall,
  type StepTargets,
  thrownEnd,
} from './call-step.ts';
import { createRunItems, type ItemRecorder } from './run-items.ts';
import { itemsOf } from './step-rules.ts';
import { isTimed, limitTime, tooLate } from './time-limit.ts';

/** What the steps of a run need while they run. */
export interface StepRecorder extends ItemRecorder {
  /** Records the start of a step that has not started with its layer. Resolves to false where it must not run. */
  start(run: ActiveRun, index: number): Promise<boolean>;
}

/**
 * Runs steps concurrently, at most `maxConcurrentSteps` at a time, and resolves when all have ended. A step that fails
 * does not affect the others. Starts no more steps once the run is told to stop.
 */
export type RunSteps = (run: ActiveRun, steps: readonly number[], recorder: StepRecorder) => Promise<void>;

type StepPorts = Pick<Ports, 'clock' | 'logger' | 'events' | 'random' | 'telemetry'>;

/** What {@link createRunSteps} needs to know of durable runs. */
export interface DurableSteps {
  /** Whether a step may act twice. */
  readonly mayRepeat: (step: Step) => boolean;
}

/**
 * Creates the function that runs steps. In a durable run, steps that a shutdown has stopped get no end: whoever
 * continues the run decides what becomes of them. Without `durable` runs end with their process.
 */
export function createRunSteps(
  ports: StepPorts,
  targets: StepTargets,
  limits: Limits,
  durable?: DurableSteps,
): RunSteps {
  const { clock, events, logger, telemetry } = ports;
  const isDurable = durable !== undefined;
  const callTarget = createCallTarget(ports, targets, limits, isDurable);
  const callStep = createCallStep(callTarget, logger);
  const runItems = createRunItems(clock, callStep, limits);

  /** Calls the tool or agent of a step: once, for each of its items, or within its time, as its policies demand. */
  function call(run: ActiveRun, stepCall: StepCall, recorder: StepRecorder): Promise<CallOutcome> {
    const { step } = stepCall;
    if (isTimed(run, step)) return callInTime(run, stepCall, recorder);
    if (step.foreach !== undefined) return callItems(run, stepCall, step.foreach, recorder);
    return callTarget(run, stepCall);
  }

  async function callInTime(run: ActiveRun, stepCall: StepCall, recorder: StepRecorder): Promise<CallEnd> {
    const { step } = stepCall;
    const late = tooLate(run, step, clock);
    if (late !== null) return notCalled(late);
    const limit = limitTime(run, step, clock);
    const timed = { ...stepCall, signal: limit.signal };
    try {
      const end =
        step.foreach === undefined ? callStep(run, timed) : callItems(run, timed, step.foreach, recorder);
      return timedOut(await end, limit.error());
    } finally {
      limit.end();
    }
  }

  async function callItems(
    run: ActiveRun,
    stepCall: StepCall,
    policy: ForeachPolicy,
    recorder: StepRecorder,
  ): Promise<CallEnd> {
    const { index, step } = stepCall;
    const items = itemsOf(run, index, limits);
    if ('error' in items) return notCalled(items.error);
    const recordsStarts = durable !== undefined && !durable.mayRepeat(step);
    return runItems(run, { ...stepCall, items: items.values, policy, recordsStarts }, recorder);
  }

  async function runStep(
    run: ActiveRun,
    index: number,
    step: Step,
    span: Span,
    recorder: StepRecorder,
  ): Promise<void> {
    const startedAt = clock.now();
    const { id: stepId, kind } = step;
    const earlier = itemAt(run.state.results, index).attempts;
    const onRetry = (tried: number, error: string, waitMs: number): void => {
      if (hasEnded(run.state.status) || run.isLost) return;
      const retrying = { attempt: earlier + tried, error, delayMs: roundedMs(waitMs) };
      const at = clock.now();
      recordFitting(run, { seq: run.state.seq + 1, type: 'step.retrying', at, stepId, ...retrying });
      recorder.onEvent(run);
    };
    const stepCall = { index, step, signal: run.controller.signal, onRetry };
    let end: CallEnd;
    try {
      end = endOfCall(await call(run, stepCall, recorder));
    } catch (error) {
      end = thrownEnd(step, error, logger);
    }
    run.open--;
    // The run has failed unexpectedly in the meantime, or another process runs it.
    if (hasEnded(run.state.status) || run.isLost) return;
    if (isDurable && end.output === null && isInterrupted(run)) return;
    const { durationMs } = end;
    const attempts = earlier + end.attempts;
    const base = { seq: run.state.seq + 1, at: clock.now(), stepId, attempts, durationMs, startedAt };
    const event = recordFitting(run, endEvent(run, base, end));
    const status = statuses[event.type];
    if (status === undefined) return;
    if (status === 'FAILED') span.fail('step_failed');
    if (status === 'CANCELLED') span.set({ cancelled: true });
    const { runId } = run.state.head;
    const { error } = itemAt(run.state.results, index);
    events({ type: 'step.finished', runId, stepId, kind, status, error, durationMs });
    recorder.onEvent(run);
  }

  function runStepInSpan(run: ActiveRun, index: number, recorder: StepRecorder): Promise<void> {
    const step = itemAt(run.plan.definition.steps, index);
    const attributes = { step_id: step.id, kind: step.kind };
    return telemetry.span('workflow.step', attributes, (span) => runStep(run, index, step, span, recorder));
  }

  /** One of several workers that share an iterator over the steps. */
  async function work(run: ActiveRun, indexes: Iterable<number>, recorder: StepRecorder): Promise<void> {
    for (const index of indexes) {
      if (run.controller.signal.aborted) return;
      const hasStarted = itemAt(run.state.results, index).status !== 'PENDING';
      if (!hasStarted && !(await recorder.start(run, index))) return;
      await runStepInSpan(run, index, recorder);
      await yieldIfDue();
    }
  }

  async function runConcurrently(
    run: ActiveRun,
    steps: readonly number[],
    recorder: StepRecorder,
  ): Promise<void> {
    const shared = steps.values();
    const workers: Promise<void>[] = [];
    while (workers.length < Math.min(maxConcurrentOf(run, limits), steps.length)) {
      // Evaluating the input of a step may take long, also that of the first one.
      await yieldIfDue();
      const worker = work(run, shared, recorder);
      // It may reject before all of them are awaited.
      worker.catch(() => undefined);
      workers.push(worker);
    }
    await Promise.all(workers);
  }

  return (run, steps, recorder) => {
    const [first] = steps;
    run.open = steps.length;
    if (first !== undefined && steps.length === 1) return runStepInSpan(run, first, recorder);
    return runConcurrently(run, steps, recorder);
  };
}

const statuses: { readonly [Type in RunEvent['type']]?: 'COMPLETED' | 'FAILED' | 'CANCELLED' } = {
  'step.completed': 'COMPLETED',
  'step.failed': 'FAILED',
  'step.cancelled': 'CANCELLED',
};

/** The end of a step that fails before its tool or agent is called. */
function notCalled(error: string): CallEnd {
  return { attempts: 0, durationMs: 0, output: null, error, cancelled: false };
}

/** The end of a call whose time was over. One that has completed all the same stays as it is. */
function timedOut(end: CallEnd, error: string | null): CallEnd {
  return end.output !== null || error === null ? end : { ...end, error, cancelled: false };
}

/** What a shutdown or a cancel has stopped follows no policy. */
function endEvent(run: ActiveRun, base: EndBase, end: CallEnd): RunEvent {
  if (end.output !== null) return endOfStep(run.state, base, { output: end.output });
  if (end.cancelled) return { ...base, type: 'step.cancelled', why: 'cancelled' };
  if (isInterrupted(run)) return { ...base, type: 'step.failed', error: end.error };
  return endOfStep(run.state, base, { error: end.error });
}
