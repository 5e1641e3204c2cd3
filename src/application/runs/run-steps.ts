import type { Limits } from '../../domain/limits.ts';
import type { ToolOutcome } from '../../domain/message/message.ts';
import type { RunEvent } from '../../domain/run/events.ts';
import { hasEnded } from '../../domain/run/run.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import { InputError, resolveInput } from '../../domain/workflow/step-input.ts';
import { itemAt } from '../../lib/array.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { roundedMs } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentBus, AgentOutcome } from '../agents/bus.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { type ActiveRun, isInterrupted, keepOutput, OUTPUTS_TOO_LARGE, record } from './active-run.ts';

/** The targets of steps: the tools and the agents. */
export interface StepTargets {
  readonly tools: Pick<ToolRegistry, 'execute'>;
  readonly agents: AgentBus;
}

/** What the steps of a run need while they run. */
export interface StepRecorder {
  /** Called when there is an event to save while other steps go on. */
  onEvent(run: ActiveRun): void;
  /** Records the start of a step that has not started with its layer. Resolves to false where it must not run. */
  start(run: ActiveRun, index: number): Promise<boolean>;
}

/**
 * Runs steps concurrently, at most `maxConcurrentSteps` at a time, and resolves when all have ended. A step that fails
 * does not affect the others. Starts no more steps once the run is told to stop.
 */
export type RunSteps = (run: ActiveRun, steps: readonly number[], recorder: StepRecorder) => Promise<void>;

type StepPorts = Pick<Ports, 'clock' | 'logger' | 'events' | 'telemetry'>;

/** How a step ended, without the envelope of its event. */
type StepEnd = { readonly attempts: number; readonly durationMs: number } & (
  | { readonly output: JsonObject; readonly error: null }
  | { readonly output: null; readonly error: string; readonly cancelled: boolean }
);

/**
 * Creates the function that runs steps. In a durable run, steps that a shutdown has stopped get no end: whoever continues
 * the run decides what becomes of them.
 */
export function createRunSteps(
  { clock, logger, events, telemetry }: StepPorts,
  { tools, agents }: StepTargets,
  limits: Limits,
  isDurable = false,
): RunSteps {
  /** Calls the tool or agent of a step. Throws {@link InputError} where its input cannot be resolved. */
  function callTarget(
    run: ActiveRun,
    index: number,
    step: Step,
    onRetry: (attempt: number, error: string, delayMs: number) => void,
  ): Promise<ToolOutcome | AgentOutcome> {
    const { runId } = run.state.head;
    const { signal } = run.controller;
    const input = resolveInput(itemAt(run.plan.inputs, index), run.sources, limits.maxInputBytes);
    const idempotencyKey = `${runId}:${step.id}`;
    if (step.kind === 'agent') {
      const id = isDurable ? { id: idempotencyKey } : {};
      return agents.send(step.agentName, input, { ...id, sender: `workflow:${runId}`, signal });
    }
    return tools.execute({ toolName: step.toolName, input }, { idempotencyKey, signal, onRetry });
  }

  function unexpectedEnd(step: Step, error: unknown): StepEnd {
    const end = { attempts: 0, output: null, cancelled: false, durationMs: 0 } as const;
    if (error instanceof InputError) return { ...end, error: error.message };
    logger.error('a workflow step threw', { step_id: step.id, err: error });
    return { ...end, error: 'the step failed unexpectedly' };
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
      const attempt = earlier + tried;
      const delayMs = roundedMs(waitMs);
      const seq = run.state.seq + 1;
      record(run, { seq, type: 'step.retrying', at: clock.now(), stepId, attempt, error, delayMs });
      recorder.onEvent(run);
    };
    let end: StepEnd;
    try {
      end = limitOutput(run, index, toStepEnd(await callTarget(run, index, step, onRetry)));
    } catch (error) {
      end = unexpectedEnd(step, error);
    }
    run.open--;
    // The run has failed unexpectedly in the meantime, or another process runs it.
    if (hasEnded(run.state.status) || run.isLost) return;
    if (isDurable && end.output === null && isInterrupted(run)) return;
    const event = endEvent(run, stepId, end, earlier, startedAt, clock.now());
    record(run, event);
    const status = statuses[event.type];
    const { error, durationMs } = end;
    if (status === 'FAILED') span.fail('step_failed');
    if (status === 'CANCELLED') span.set({ cancelled: true });
    const { runId } = run.state.head;
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
    while (workers.length < Math.min(limits.maxConcurrentSteps, steps.length)) {
      const worker = work(run, shared, recorder);
      // It may reject before all of them are awaited.
      worker.catch(() => undefined);
      workers.push(worker);
      await yieldIfDue();
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

const statuses = {
  'step.completed': 'COMPLETED',
  'step.failed': 'FAILED',
  'step.cancelled': 'CANCELLED',
} as const;

/** Throws for an outcome with neither an output nor an error, which tools and agents never have. */
function toStepEnd(outcome: ToolOutcome | AgentOutcome): StepEnd {
  const { output, error, cancelled = false, durationMs } = outcome;
  const attempts = 'attempts' in outcome ? outcome.attempts : 1;
  if (output !== null) return { attempts, durationMs, output, error: null };
  if (error === null) throw new TypeError('the outcome has neither an output nor an error');
  return { attempts, durationMs, output, error, cancelled };
}

/** Keeps the output of a step for the inputs of later ones. Fails the step where all outputs would become too large. */
function limitOutput(run: ActiveRun, index: number, end: StepEnd): StepEnd {
  if (end.output === null || keepOutput(run, index, end.output)) return end;
  return { ...end, output: null, error: OUTPUTS_TOO_LARGE, cancelled: false };
}

function endEvent(
  { state }: ActiveRun,
  stepId: string,
  end: StepEnd,
  earlier: number,
  startedAt: number,
  at: number,
): RunEvent<'step.completed' | 'step.failed' | 'step.cancelled'> {
  const seq = state.seq + 1;
  const attempts = earlier + end.attempts;
  const base = { seq, at, stepId, attempts, durationMs: end.durationMs, startedAt };
  if (end.output !== null) return { ...base, type: 'step.completed', output: end.output };
  if (end.cancelled) return { ...base, type: 'step.cancelled', why: 'cancelled' };
  return { ...base, type: 'step.failed', error: end.error };
}
