import type { RetriedBy } from '../../domain/run/control.ts';
import type { RunSignal } from '../../domain/run/events.ts';
import { replay } from '../../domain/run/evolve.ts';
import { type RecoveryPolicy, recover } from '../../domain/run/recover.ts';
import { hasEnded, type Run } from '../../domain/run/run.ts';
import { openWaits, type RunState, recordOf, summaryOf } from '../../domain/run/state.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import type { WorkflowPlan } from '../../domain/workflow/plan.ts';
import { indexOfStep } from '../../domain/workflow/shape.ts';
import { itemAt } from '../../lib/array.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ClaimedRun } from '../../ports/storage/run-log.ts';
import type { TurnOutcome } from '../../ports/storage/run-queue.ts';
import { loadRun } from './loaded-run.ts';
import { createRun, type NewRunRequest, reopenRun, slotsFor } from './new-run.ts';
import { keepSignal, type OwnedRun, type OwnedRuns } from './owned-runs.ts';
import type { PlanCache } from './plan-cache.ts';
import type { UnfinishedRuns } from './unfinished-runs.ts';

/** The rules by which runs survive their process. */
export interface Durability {
  readonly policy: RecoveryPolicy;
  /** True for a step that may act twice. */
  readonly mayRepeat: (step: Step) => boolean;
  /** Resolves when the tools of steps are registered: abandoned runs are continued only then. */
  readonly ready: Promise<void>;
}

/**
 * Runs that outlive their process: each is loaded from its log when its turn comes, by any process that shares the log,
 * and handed over at a shutdown.
 */
export interface Claims {
  /** Stores a run that no process owns yet, and queues it. Rejects as `WorkflowRunner.start`. */
  start(request: NewRunRequest): Promise<Run>;
  /** Opens an ended run again, and queues it. Rejects as `WorkflowRunner.retry`. */
  retry(state: RunState, by: RetriedBy): Promise<Run>;
  /** Claims a run and continues it, unless another process owns it or it has ended. Never rejects. */
  continue(runId: string): Promise<TurnOutcome>;
  /**
   * Continues a run that no process owns, because a signal has come for it: over the maximum of background runs where
   * it must be. A run that is being claimed gets the signal with the claim. Never rejects.
   */
  resumeForSignal(runId: string, signal?: RunSignal): Promise<void>;
  /** Releases a run that is suspended. Never rejects. */
  release(run: OwnedRun): Promise<void>;
  /** Releases a run that has not ended, for another process to claim unless one has done so. Never rejects. */
  handOver(run: OwnedRun): Promise<void>;
  /** The record of a run as the log has it; that of `run` where it cannot be read. */
  stored(run: Pick<OwnedRun, 'state'>): Promise<Run>;
}

/** A run that could not be claimed, because the store is unavailable, waits for so long before it is queued again. */
const CLAIM_RETRY_MS = 1_000;

/** Creates {@link Claims}. */
export function createClaims(
  {
    clock,
    newId,
    logger,
    events,
    runs,
    runQueue,
  }: Pick<Ports, 'clock' | 'newId' | 'logger' | 'events' | 'runs' | 'runQueue'>,
  {
    owned,
    plans,
    runToEnd,
    endUnusable,
    signal,
  }: Pick<UnfinishedRuns, 'endUnusable'> & {
    readonly owned: OwnedRuns;
    readonly plans: PlanCache;
    /**
     * Runs a run until it has ended, or is handed over or lost, and releases it. Rejects where a port does so wrongly.
     */
    readonly runToEnd: (run: OwnedRun) => Promise<void>;
    /** Aborted when the process shuts down and waits no longer. */
    readonly signal: AbortSignal;
  },
  { policy, mayRepeat }: Pick<Durability, 'policy' | 'mayRepeat'>,
): Claims {
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

  /** Releases a run. Where that fails, it counts as lost in a crash. */
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
  async function claim(runId: string): Promise<OwnedRun | undefined> {
    if (owned.get(runId) !== undefined || claiming.has(runId)) return undefined;
    const early: RunSignal[] = [];
    claiming.set(runId, early);
    try {
      const claimed = await runs.claim(runId);
      const run = claimed && (await recoverOrEnd(claimed));
      if (run !== undefined) for (const signal of early) keepSignal(run, signal);
      return run;
    } finally {
      claiming.delete(runId);
    }
  }

  /** Recovers a claimed run. One that cannot be recovered is ended, which leaves no process with its claim. */
  async function recoverOrEnd(claimed: ClaimedRun): Promise<OwnedRun | undefined> {
    const { runId, definition } = claimed.run;
    let plan: WorkflowPlan | undefined;
    try {
      plan = plans.acquire(definition);
      return await load(claimed, plan);
    } catch (error) {
      if (plan !== undefined) plans.release(plan);
      await endUnusable(claimed, error).finally(() => release(runId));
      return undefined;
    }
  }

  /** Replays the log, and decides what becomes of the steps that were under way. */
  async function load({ run, crashed, signals }: ClaimedRun, plan: WorkflowPlan): Promise<OwnedRun> {
    const state = replay(run, plan);
    await yieldIfDue();
    const saved = { savedSeq: state.seq, savedWaitingFor: openWaits(state) };
    const { definition, indexes } = plan;
    const { events: unsaved, failure } = recover(state, {
      policy,
      crashed,
      now: clock.now(),
      newItemId: newId,
      signal: signals.find((signal) => signal.type === 'cancel'),
      mayRepeat: (stepId) => mayRepeat(itemAt(definition.steps, indexOfStep(indexes, stepId))),
    });
    const claimed = owned.own(
      loadRun(state, plan),
      { ...saved, unsaved: [...unsaved] },
      { isQueued: true, failure },
    );
    for (const signal of signals) if (signal.type === 'resolve') keepSignal(claimed, signal);
    return claimed;
  }

  async function continueRun(runId: string): Promise<TurnOutcome> {
    try {
      const run = await claim(runId);
      if (run === undefined) return 'done';
      await logger.bind({ execution_id: runId }, () => runToEnd(run));
      return hasEnded(run.state.status) || run.phase === 'lost' || run.phase === 'suspended'
        ? 'done'
        : 'again';
    } catch (error) {
      logger.error('a background run could not be continued', { execution_id: runId, err: error });
      await sleep(clock, CLAIM_RETRY_MS, signal);
      return 'again';
    }
  }

  async function stored({ state }: Pick<OwnedRun, 'state'>): Promise<Run> {
    try {
      const found = await runs.get(state.head.runId);
      if (found !== undefined) return recordOf(replay(found));
    } catch (error) {
      logger.warn('a workflow run could not be read', { err: error });
    }
    return recordOf(state);
  }

  return {
    async start(request) {
      const { definition, input, runId = newId() } = request;
      // A child is always accepted: its parent may hold the place that it waits for.
      if (request.parent === undefined) await runQueue.assertRoom(slotsFor(definition, input));
      const plan = plans.acquire(definition);
      const { state, events: first } = createRun(request, { runId, background: true }, plan, clock.now());
      plans.release(plan);
      const summary = summaryOf(state);
      const isNew = await runs.create({ summary, definition, events: first, isUnclaimed: true });
      if (isNew) events({ type: 'run.appended', runId, workflowId: definition.id, events: first });
      const record = isNew ? recordOf(state) : await stored({ state });
      await wake(runId);
      return record;
    },
    async retry(state, by) {
      const { runId, parentRunId } = state.head;
      if (parentRunId === null) await runQueue.assertRoom(1);
      await reopenRun(state, by, { clock, events, runs })();
      const record = recordOf(state);
      await release(runId);
      await wake(runId);
      return record;
    },
    continue: continueRun,
    async resumeForSignal(runId, message) {
      if (message !== undefined) claiming.get(runId)?.push(message);
      const leave = runQueue.occupy();
      const outcome = await continueRun(runId);
      leave();
      if (outcome === 'again') await wake(runId);
    },
    release: ({ state }) => release(state.head.runId),
    async handOver({ state, isQueued, phase }) {
      const { runId, workflowId } = state.head;
      const reason = phase === 'lost' ? 'lost' : 'handed_over';
      events({ type: 'run.released', runId, workflowId, reason });
      // Ignored for a run that another process has claimed.
      await release(runId);
      // The queue gets a run of its own again when the turn of the run ends.
      if (!isQueued && reason === 'handed_over') await wake(runId);
    },
    stored,
  };
}
