import type { Limits } from '../../domain/limits.ts';
import { contextFor } from '../../domain/message/call-context.ts';
import type { RetryPolicy } from '../../domain/retry.ts';
import { keyRunOf } from '../../domain/run/continuation.ts';
import type { RunEvent } from '../../domain/run/events.ts';
import { startStep } from '../../domain/run/layer.ts';
import { hasEnded, type StepStatus } from '../../domain/run/run.ts';
import { deadlineOf, isTimedOut, type RunState } from '../../domain/run/state.ts';
import { endOfStep, runTimeoutText, stepTimeoutText } from '../../domain/run/step-end.ts';
import type { AgentStep, Step } from '../../domain/workflow/definition.ts';
import { stepPlanAt } from '../../domain/workflow/plan.ts';
import { InputError } from '../../domain/workflow/template.ts';
import { itemAt } from '../../lib/array.ts';
import { backoffMs } from '../../lib/async/backoff.ts';
import { onAbort } from '../../lib/async/on-abort.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { AbortError } from '../../lib/async/timeout.ts';
import { isYieldDue, yieldIfDue } from '../../lib/async/yield.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { roundedMs } from '../../lib/text/time.ts';
import type { Agent } from '../../ports/agent.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentBus, SendOptions } from '../agents/bus.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { itemsOf } from './loaded-run.ts';
import { isInterrupted, maxConcurrentOf, type OwnedRun } from './owned-runs.ts';
import { type CallEnd, createRunItems, type StepCall } from './run-items.ts';

/** The targets of steps: the tools and the agents. */
export interface StepTargets {
  readonly tools: Pick<ToolRegistry, 'execute'>;
  readonly agents: AgentBus;
  /** The registered agents. */
  readonly agentRegistry: Pick<AgentRegistry, 'get'>;
}

/**
 * Runs steps concurrently, at most `maxConcurrentSteps` at a time, and resolves when all have ended. A step that fails
 * does not affect the others. Starts no more steps once the run is told to stop.
 */
export type RunSteps = (run: OwnedRun, steps: readonly number[]) => Promise<void>;

/**
 * Creates the function that runs steps. In a durable run, steps that a shutdown has stopped get no end: the process
 * that continues the run decides what becomes of them, and the messages to agents have ids that stay the same. Without
 * `durable` runs end with their process.
 */
export function createRunSteps(
  {
    clock,
    events,
    logger,
    random,
    telemetry,
  }: Pick<Ports, 'clock' | 'logger' | 'events' | 'random' | 'telemetry'>,
  { tools, agents, agentRegistry }: StepTargets,
  limits: Limits,
  durable?: {
    /** True for a step that may act twice. */
    readonly mayRepeat: (step: Step) => boolean;
  },
): RunSteps {
  const runItems = createRunItems(clock, callItem, limits);

  /** Calls the tool or agent of a step, as often as its policy demands. Throws for an input that cannot be resolved. */
  function callTarget(run: OwnedRun, call: StepCall): Promise<CallEnd> {
    const { index, step, item, signal } = call;
    const { head } = run.state;
    const context = contextFor(head.customerId);
    const sources = item === undefined ? run.sources : { ...run.sources, item };
    const input = stepPlanAt(run.plan, index).input(sources, limits.maxInputBytes);
    const stepKey = `${keyRunOf(head, step.id)}:${step.id}`;
    const idempotencyKey = item === undefined ? stepKey : `${stepKey}:${item.index}`;
    if (step.kind === 'tool') {
      const { onRetry } = call;
      const options = { idempotencyKey, signal, context, onRetry, retry: step.retry };
      return tools.execute({ toolName: step.toolName, input }, options);
    }
    if (step.kind !== 'agent') throw new TypeError(`a step of kind ${step.kind} calls nothing`);
    const id = durable === undefined ? {} : { id: idempotencyKey };
    const options = { ...id, callKey: idempotencyKey, sender: `workflow:${head.runId}`, signal, context };
    if (step.retry === undefined) return agents.send(step.agentName, input, options);
    return sendWithRetry(step, call, input, options);
  }

  async function sendWithRetry(
    { agentName, retry }: AgentStep,
    { signal, onRetry }: StepCall,
    input: JsonObject,
    options: SendOptions,
  ): Promise<CallEnd> {
    const agent = agentRegistry.get(agentName);
    const startedMs = clock.monotonic();
    for (let attempts = 1; ; attempts++) {
      const outcome = await agents.send(agentName, input, options);
      const durationMs = clock.monotonic() - startedMs;
      const hasEnded = outcome.output !== null || signal.aborted;
      const delayMs = hasEnded ? null : agentRetryMs(agent, attempts, retry, random);
      if (delayMs === null) return { ...outcome, attempts, durationMs };
      onRetry(attempts, outcome.error ?? '', delayMs);
      await sleep(clock, delayMs, signal);
      if (signal.aborted) return { ...outcome, attempts, durationMs: clock.monotonic() - startedMs };
    }
  }

  /** Calls the tool or agent of a step for one of its items. Never rejects. */
  async function callItem(run: OwnedRun, call: StepCall): Promise<CallEnd> {
    try {
      return await callTarget(run, call);
    } catch (error) {
      return thrownEnd(call.step, error);
    }
  }

  /** The end of a call that has thrown. The error of an input that cannot be resolved is shown, any other is logged. */
  function thrownEnd(step: Step, error: unknown): CallEnd {
    if (error instanceof InputError) return notCalled(error.message);
    logger.error('a workflow step threw', { step_id: step.id, err: error });
    return notCalled('the step failed unexpectedly');
  }

  /** Calls the tool or agent of a step once, or for each of its items. */
  function callAll(run: OwnedRun, call: StepCall): Promise<CallEnd> {
    const { index, step } = call;
    if (step.foreach === undefined) return callTarget(run, call);
    const items = itemsOf(run, index, limits);
    if ('error' in items) throw new InputError(items.error);
    const recordsStarts = durable !== undefined && !durable.mayRepeat(step);
    return runItems(run, { ...call, items: items.values, policy: step.foreach, recordsStarts });
  }

  /** The same, within the time of the step and of its run. */
  async function callInTime(run: OwnedRun, call: StepCall): Promise<CallEnd> {
    const { step, signal } = call;
    const now = clock.now();
    const late = tooLate(run.state, step, now);
    if (late !== null) return notCalled(late);
    const limit = firstLimit(run.state, step, now);
    if (limit === undefined) return callAll(run, call);
    const controller = new AbortController();
    let isOver = false;
    const cancelTimer = clock.after(limit.ms, () => {
      isOver = true;
      controller.abort(new AbortError('timed_out'));
    });
    // A step that is told to stop gets time to end, which may be longer than its own: it has not timed out then.
    const stop = (): void => {
      cancelTimer();
      controller.abort(signal.reason);
    };
    const unsubscribe = onAbort(signal, stop);
    if (signal.aborted) stop();
    try {
      const end = await callAll(run, { ...call, signal: controller.signal });
      // A step that has completed all the same has not timed out.
      return end.output === null && isOver ? { ...end, error: limit.error, cancelled: false } : end;
    } finally {
      cancelTimer();
      unsubscribe();
    }
  }

  function recordRetry(
    { state, log, phase }: OwnedRun,
    index: number,
    failed: { readonly attempt: number; readonly error: string; readonly delayMs: number },
  ): void {
    if (hasEnded(state.status) || phase === 'lost') return;
    const { stepId, attempts } = itemAt(state.results, index);
    const { error } = failed;
    const retrying = {
      stepId,
      attempt: attempts + failed.attempt,
      error,
      delayMs: roundedMs(failed.delayMs),
    };
    log.record({ seq: state.seq + 1, type: 'step.retrying', at: clock.now(), ...retrying });
    log.saveSoon();
  }

  /** Calls the tool or agent of a step as its policies demand. Throws for an input that cannot be resolved. */
  function callStep(run: OwnedRun, index: number, step: Step): Promise<CallEnd> {
    const { signal } = run.controller;
    const onRetry: StepCall['onRetry'] = (attempt, error, delayMs) =>
      recordRetry(run, index, { attempt, error, delayMs });
    const call = { index, step, signal, onRetry };
    const isTimed = step.timeoutMs !== undefined || run.plan.definition.timeoutMs !== undefined;
    return isTimed ? callInTime(run, call) : callAll(run, call);
  }

  // An async function with few variables: its frame is most of what a step allocates (benchmark `engine`).
  async function runStep(run: OwnedRun, index: number, step: Step, span: Span): Promise<void> {
    const startedAt = clock.now();
    let end: CallEnd;
    try {
      end = await callStep(run, index, step);
    } catch (error) {
      end = thrownEnd(step, error);
    }
    const status = endStep(run, index, startedAt, end);
    if (status === 'FAILED') span.fail('step_failed');
    if (status === 'CANCELLED') span.set({ cancelled: true });
  }

  /** Records the end of a step. Returns its status; undefined where another process decides about it. */
  function endStep(run: OwnedRun, index: number, startedAt: number, end: CallEnd): StepStatus | undefined {
    const { state, log } = run;
    run.stepsUnderWay--;
    // The run has failed unexpectedly in the meantime, or another process owns it.
    if (hasEnded(state.status) || run.phase === 'lost') return undefined;
    if (durable !== undefined && end.output === null && isInterrupted(run)) return undefined;
    log.record(endEvent(run, index, { startedAt, at: clock.now() }, end));
    const { stepId, kind, status, error } = itemAt(state.results, index);
    const { durationMs } = end;
    if (status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED') {
      events({ type: 'step.finished', runId: state.head.runId, stepId, kind, status, error, durationMs });
    }
    // The end of the last step is saved with the decision that follows.
    if (run.stepsUnderWay > 0) log.saveSoon();
    return status;
  }

  function runStepInSpan(run: OwnedRun, index: number): Promise<void> {
    const step = itemAt(run.plan.definition.steps, index);
    const attributes = { step_id: step.id, kind: step.kind };
    return telemetry.span('workflow.step', attributes, (span) => runStep(run, index, step, span));
  }

  /** Starts a step that has not started with its layer. Resolves to false where it must not run. */
  async function start({ state, log, phase, controller }: OwnedRun, index: number): Promise<boolean> {
    if (phase !== 'running') return false;
    log.record(startStep(state, index, clock.now()));
    return (await log.flush()) && !controller.signal.aborted;
  }

  /** One of several workers that share an iterator over the steps. */
  async function work(run: OwnedRun, indexes: Iterable<number>): Promise<void> {
    for (const index of indexes) {
      if (run.controller.signal.aborted) return;
      const isPending = itemAt(run.state.results, index).status === 'PENDING';
      if (isPending && !(await start(run, index))) return;
      await runStepInSpan(run, index);
      if (isYieldDue()) await yieldIfDue();
    }
  }

  async function runConcurrently(run: OwnedRun, steps: readonly number[]): Promise<void> {
    const shared = steps.values();
    const workers: Promise<void>[] = [];
    while (workers.length < Math.min(maxConcurrentOf(run, limits), steps.length)) {
      // Evaluating the input of a step may take long, also that of the first one.
      if (isYieldDue()) await yieldIfDue();
      const worker = work(run, shared);
      // It may reject before all of them are awaited.
      worker.catch(() => undefined);
      workers.push(worker);
    }
    await Promise.all(workers);
  }

  return (run, steps) => {
    const [first] = steps;
    run.stepsUnderWay = steps.length;
    return first !== undefined && steps.length === 1
      ? runStepInSpan(run, first)
      : runConcurrently(run, steps);
  };
}

/**
 * Milliseconds from the failed attempt number `attempt` at an agent to the next one; null where none follows. An agent
 * that says of itself that it is a `write` gets its message once, and so does one that is not registered.
 */
export function agentRetryMs(
  agent: Agent | undefined,
  attempt: number,
  retry: RetryPolicy | undefined,
  random: () => number,
): number | null {
  if (retry === undefined || agent === undefined || agent.effect === 'write') return null;
  return attempt < retry.maxAttempts ? backoffMs(attempt, random, retry) : null;
}

/** The end of a step that fails before its tool or agent is called. */
function notCalled(error: string): CallEnd {
  return { attempts: 0, durationMs: 0, output: null, error };
}

/** The event of the end of a step. A step that a shutdown or a cancel has stopped follows no policy. */
function endEvent(
  run: OwnedRun,
  index: number,
  { startedAt, at }: { readonly startedAt: number; readonly at: number },
  { output, error, durationMs, attempts: added = 1, cancelled }: CallEnd,
): RunEvent {
  const seq = run.state.seq + 1;
  const { stepId, attempts: before } = itemAt(run.state.results, index);
  const attempts = before + added;
  if (output !== null) {
    return { seq, type: 'step.completed', at, stepId, attempts, durationMs, output, startedAt };
  }
  const base = { seq, at, stepId, attempts, durationMs, startedAt };
  if (cancelled === true) return { ...base, type: 'step.cancelled', why: 'cancelled' };
  const failure = { error: error ?? '' };
  return isInterrupted(run)
    ? { ...base, type: 'step.failed', ...failure }
    : endOfStep(run.state, base, failure);
}

/** The error of a step whose turn comes when the time of its run is over; null for one that runs even then. */
export function tooLate(state: Readonly<RunState>, { runIf }: Step, now: number): string | null {
  const { timeoutMs } = state.shape.definition;
  const isLate = timeoutMs !== undefined && runIf !== 'always' && isTimedOut(state, now);
  return isLate ? runTimeoutText(timeoutMs) : null;
}

/** The time that a step has, in milliseconds, and its error after that; undefined for no limit. */
export function firstLimit(
  state: Readonly<RunState>,
  { timeoutMs }: Step,
  now: number,
): { readonly ms: number; readonly error: string } | undefined {
  const step = timeoutMs === undefined ? undefined : { ms: timeoutMs, error: stepTimeoutText(timeoutMs) };
  const runTimeoutMs = state.shape.definition.timeoutMs;
  const deadline = deadlineOf(state);
  // A step that runs after the run has timed out has its own limit alone.
  if (runTimeoutMs === undefined || deadline === null || deadline <= now) return step;
  const run = { ms: deadline - now, error: runTimeoutText(runTimeoutMs) };
  return step === undefined || run.ms < step.ms ? run : step;
}
