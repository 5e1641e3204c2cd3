import type { RetriedBy } from '../../../domain/run/control.ts';
import type { RunSignal } from '../../../domain/run/events.ts';
import { replay } from '../../../domain/run/evolve.ts';
import { type RecoveryPolicy, recover } from '../../../domain/run/recover.ts';
import { hasEnded, type Run } from '../../../domain/run/run.ts';
import { type RunState, recordOf, summaryOf } from '../../../domain/run/state.ts';
import type { Step } from '../../../domain/workflow/definition.ts';
import type { WorkflowPlan } from '../../../domain/workflow/plan.ts';
import { indexOfStep } from '../../../domain/workflow/shape.ts';
import { itemAt } from '../../../lib/array.ts';
import { sleep } from '../../../lib/async/sleep.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ClaimedRun } from '../../../ports/storage/run-log.ts';
import type { TurnOutcome } from '../../../ports/storage/run-queue.ts';
import { type ActiveRun, activate, keepOutput, keepSignal } from '../active-run.ts';
import type { ActiveRuns } from '../active-runs.ts';
import type { PlanCache } from '../plan-cache.ts';
import { createRun, type NewRunRequest } from '../start/new-run.ts';
import { reopenRun } from '../start/reopen-run.ts';
import { needsRoom, slotsFor } from '../start/slots.ts';
import type { EndUnusable } from './end-unusable.ts';

/** How runs survive their process. */
export interface Durability {
  readonly policy: RecoveryPolicy;
  /** Whether a step may act twice. */
  readonly mayRepeat: (step: Step) => boolean;
}

/**
 * Runs that outlive their process: each is loaded from its log when its turn comes, by any process that shares the log,
 * and handed back at a shutdown.
 */
export interface DurableRuns {
  /** Stores a run that no process runs yet, and queues it. Rejects as `WorkflowRunner.start`. */
  start(request: NewRunRequest): Promise<Run>;
  /** Opens an ended run again, and queues it. Rejects as `WorkflowRunner.retry`. */
  retry(state: RunState, by: RetriedBy): Promise<Run>;
  /** Runs a run that waits, unless another process does or it has ended. Never rejects. */
  runNext(runId: string): Promise<TurnOutcome>;
  /**
   * Continues a run that nobody runs, because a signal has come for it: over the maximum of background runs where it
   * must be. A run that is being claimed gets the signal with the claim. Never rejects.
   */
  answer(runId: string, message?: RunSignal): Promise<void>;
  /** Gives up a run that is parked, where it is only claimed. Never rejects. */
  letWait(run: ActiveRun): Promise<void>;
  /** Gives up a run that has not ended, for another process to claim unless one has done so. Never rejects. */
  giveUp(run: ActiveRun): Promise<void>;
  /** The record of a run as the log has it; that of `run` where it cannot be read. */
  stored(run: Pick<ActiveRun, 'state'>): Promise<Run>;
}

type DurablePorts = Pick<Ports, 'clock' | 'newId' | 'logger' | 'events' | 'runs' | 'runQueue'>;

/** What {@link createDurableRuns} needs of the runner. */
export interface DurableDeps {
  readonly active: ActiveRuns;
  readonly plans: PlanCache;
  /** Runs a run until it has ended, or is handed back or lost; then it is released. Rejects as a violated port does. */
  readonly runToEnd: (run: ActiveRun) => Promise<void>;
  readonly endUnusable: EndUnusable;
  /** Aborted when the process shuts down and waits no longer. */
  readonly signal: AbortSignal;
}

/** A run that could not be claimed, because the store is unavailable, waits for so long before it is queued again. */
const CLAIM_RETRY_MS = 1_000;

/** Creates {@link DurableRuns}. */
export function createDurableRuns(
  { clock, newId, logger, events, runs, runQueue }: DurablePorts,
  { active, plans, runToEnd, endUnusable, signal }: DurableDeps,
  { policy, mayRepeat }: Durability,
): DurableRuns {
  /** The runs that this process is claiming, with the signals that have come for them meanwhile. */
  const claiming = new Map<string, RunSignal[]>();

  /** Queues a run that is stored. Where that fails, it is found later: the queue only wakes. */
  async function wake(runId: string): Promise<void> {
    try {
      await runQueue.wake(runId);
    } catch (error) {
      logger.warn('a workflow run could not be queued yet', { execution_id: runId, err: error });
    }
  }

  /** Gives up a run. Where that fails, it counts as lost in a crash. */
  async function release(runId: string): Promise<void> {
    try {
      await runs.release(runId);
    } catch (error) {
      logger.warn('a workflow run could not be released', { execution_id: runId, err: error });
    }
  }

  /**
   * Claims a run; undefined where it cannot be claimed, or was ended because it cannot be continued. Rejects when the
   * store is unavailable.
   */
  async function claim(runId: string): Promise<ActiveRun | undefined> {
    if (active.get(runId) !== undefined || claiming.has(runId)) return undefined;
    const early: RunSignal[] = [];
    claiming.set(runId, early);
    try {
      const claimed = await runs.claim(runId);
      if (claimed === undefined) return undefined;
      const prepared = await prepareOrEnd(claimed);
      if (prepared === undefined) return undefined;
      const run = active.acquire(prepared);
      for (const signal of early) keepSignal(run, signal);
      return run;
    } finally {
      claiming.delete(runId);
    }
  }

  /** Prepares a claimed run to be continued. One that cannot be is ended, which leaves no process with its claim. */
  async function prepareOrEnd(claimed: ClaimedRun): Promise<ActiveRun | undefined> {
    const { runId, definition } = claimed.run;
    let plan: WorkflowPlan | undefined;
    try {
      plan = plans.acquire(definition);
      return await prepare(claimed, plan);
    } catch (error) {
      if (plan !== undefined) plans.release(plan);
      await endUnusable(claimed, error).finally(() => release(runId));
      return undefined;
    }
  }

  /** What becomes of the steps that were under way is decided here. */
  async function prepare(
    { run: stored, crashed, signals }: ClaimedRun,
    plan: WorkflowPlan,
  ): Promise<ActiveRun> {
    const state = replay(stored, plan);
    await yieldIfDue();
    const run = activate(state, plan, clock);
    const { definition, indexes } = plan;
    const { events, failure } = recover(state, {
      policy,
      crashed,
      now: clock.now(),
      newItemId: newId,
      signal: signals.find((signal) => signal.type === 'cancel'),
      mayRepeat: (stepId) => mayRepeat(itemAt(definition.steps, indexOfStep(indexes, stepId))),
    });
    for (const event of events) {
      if (event.type === 'step.completed') keepOutput(run, indexOfStep(indexes, event.stepId), event.output);
    }
    for (const signal of signals) if (signal.type === 'resolve') keepSignal(run, signal);
    return { ...run, unsaved: [...events], failure, isQueued: true };
  }

  async function runNext(runId: string): Promise<TurnOutcome> {
    try {
      const run = await claim(runId);
      if (run === undefined) return 'done';
      await logger.bind({ execution_id: runId }, () => runToEnd(run));
      return hasEnded(run.state.status) || run.isLost || run.isParked ? 'done' : 'again';
    } catch (error) {
      logger.error('a background run could not be continued', { execution_id: runId, err: error });
      await sleep(clock, CLAIM_RETRY_MS, signal);
      return 'again';
    }
  }

  async function readStored(state: RunState): Promise<Run> {
    try {
      const stored = await runs.get(state.head.runId);
      if (stored !== undefined) return recordOf(replay(stored));
    } catch (error) {
      logger.warn('a workflow run could not be read', { err: error });
    }
    return recordOf(state);
  }

  return {
    async start(request) {
      const { definition, input, runId = newId() } = request;
      if (needsRoom(request.parent?.runId ?? null)) await runQueue.assertRoom(slotsFor(definition, input));
      const plan = plans.acquire(definition);
      const { state, unsaved } = createRun(request, { runId, background: true }, plan, clock);
      plans.release(plan);
      const summary = summaryOf(state);
      const isNew = await runs.create({ summary, definition, events: unsaved, isUnclaimed: true });
      if (isNew) events({ type: 'run.appended', runId, workflowId: definition.id, events: unsaved });
      const record = isNew ? recordOf(state) : await readStored(state);
      await wake(runId);
      return record;
    },
    async retry(state, by) {
      const { runId, parentRunId } = state.head;
      if (needsRoom(parentRunId)) await runQueue.assertRoom(1);
      await reopenRun(state, by, { clock, events, runs })();
      const record = recordOf(state);
      await release(runId);
      await wake(runId);
      return record;
    },
    runNext,
    async answer(runId, message) {
      if (message !== undefined) claiming.get(runId)?.push(message);
      const leave = runQueue.occupy();
      const outcome = await runNext(runId);
      leave();
      if (outcome === 'again') await wake(runId);
    },
    letWait: ({ state }) => release(state.head.runId),
    async giveUp({ state, isQueued, isLost }) {
      const { runId, workflowId } = state.head;
      events({ type: 'run.released', runId, workflowId, reason: isLost ? 'lost' : 'handed_over' });
      // Ignored for a run that another process has claimed.
      await release(runId);
      // The queue gets a run of its own again when the turn of the run ends.
      if (!isQueued && !isLost) await wake(runId);
    },
    stored: ({ state }) => readStored(state),
  };
}
