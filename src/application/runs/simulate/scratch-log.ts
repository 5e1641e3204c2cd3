import type { RunEvent, RunSignal } from '../../../domain/run/events.ts';
import { hasEnded, type RunSummary } from '../../../domain/run/run.ts';
import type { RunChange } from '../../../domain/run/state.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { NewRun, RunListener, RunLog, StoredRun } from '../../../ports/storage/run-log.ts';

/** What happens in the runs of one simulation. */
export interface ScratchLogHooks {
  /** A run is created. */
  onCreated(run: NewRun): void;
  /** A step has begun to wait. */
  onWaiting(runId: string, event: RunEvent<'step.waiting'>): void;
  /** A run waits, and somebody must look at it at that time, in milliseconds since the epoch. */
  onParked(runId: string, wakeAt: number): void;
  /** So many events are to be added. False stops the simulation: they are not added. */
  mayAdd(events: number): boolean;
}

/** The logs of the runs of one simulation. They are gone with it. */
export interface ScratchLog extends RunLog {
  /** The child run of a step that has a mock. */
  addMocked(child: RunSummary): void;
  /** A run that has ended, with its events; undefined for any other. */
  ended(runId: string): StoredRun | undefined;
}

interface Entry {
  readonly definition: NewRun['definition'];
  readonly events: RunEvent[];
  summary: RunSummary;
  /** The signals that wait, by what they are about. */
  signals: Map<string, RunSignal>;
  isClaimed: boolean;
}

/**
 * Creates the logs of one simulation. It has one process, and a run that waits is looked at only because of `onParked`.
 */
export function createScratchLog(hooks: ScratchLogHooks): ScratchLog {
  const entries = new Map<string, Entry>();
  const mocked = new Map<string, RunSummary>();
  let listener: RunListener | undefined;

  function get(runId: string): StoredRun | undefined {
    const entry = entries.get(runId);
    if (entry === undefined) return undefined;
    const { definition, events, summary } = entry;
    return { runId, workflowId: summary.workflowId, definition, events: [...events] };
  }

  function add(entry: Entry, events: readonly RunEvent[], change: RunChange): void {
    const { runId, status } = entry.summary;
    for (const event of events) entry.events.push(event);
    entry.summary = { ...entry.summary, ...change };
    if (hasEnded(status)) entry.isClaimed = true;
    if (change.status === 'WAITING') entry.isClaimed = false;
    for (const event of events) if (event.type === 'step.waiting') hooks.onWaiting(runId, event);
    if (change.status === 'WAITING' && change.wakeAt !== null) hooks.onParked(runId, change.wakeAt);
  }

  return {
    addMocked: (child) => void mocked.set(child.runId, child),
    ended(runId) {
      const entry = entries.get(runId);
      return entry !== undefined && hasEnded(entry.summary.status) ? get(runId) : undefined;
    },
    async create(run) {
      await yieldIfDue();
      const { summary, definition, events, isUnclaimed = false } = run;
      if (entries.has(summary.runId)) return false;
      if (!hooks.mayAdd(events.length)) return never();
      hooks.onCreated(run);
      const entry = { definition, events: [...events], summary, signals: new Map(), isClaimed: !isUnclaimed };
      entries.set(summary.runId, entry);
      return true;
    },
    async append(runId, expectedSeq, events, change) {
      await yieldIfDue();
      const entry = entries.get(runId);
      if (entry === undefined || events.length === 0) return 'appended';
      const isParked = entry.summary.status === 'WAITING' && !entry.isClaimed;
      if (entry.events.length !== expectedSeq || isParked) return 'conflict';
      const remaining = remainingSignals(entry, events, change);
      if (isRefused(remaining, change)) return 'signalled';
      if (!hooks.mayAdd(events.length)) return never();
      entry.signals = remaining;
      add(entry, events, change);
      return 'appended';
    },
    async claim(runId) {
      await yieldIfDue();
      const entry = entries.get(runId);
      const run = get(runId);
      if (run === undefined || entry === undefined) return undefined;
      if (entry.isClaimed || hasEnded(entry.summary.status)) return undefined;
      entry.isClaimed = true;
      const signals = [...entry.signals.values()];
      return { run, crashed: false, signals: signals.sort((one) => (one.type === 'cancel' ? -1 : 1)) };
    },
    async release(runId) {
      const entry = entries.get(runId);
      if (entry !== undefined) entry.isClaimed = false;
    },
    get: async (runId) => get(runId),
    summary: async (runId) => entries.get(runId)?.summary ?? mocked.get(runId),
    async signal(runId, signal) {
      const entry = entries.get(runId);
      if (entry === undefined) return mocked.has(runId) ? 'ended' : undefined;
      const { status, waitingFor } = entry.summary;
      if (hasEnded(status)) return 'ended';
      const key = keyOf(signal);
      if (signal.type === 'resolve') {
        const isAwaited = waitingFor.some(({ itemId }) => itemId === key);
        if (!isAwaited || entry.signals.has(key)) return 'refused';
      }
      entry.signals.set(key, signal);
      listener?.onSignal(runId, signal);
      return 'sent';
    },
    due: async () => [],
    async clearWake(runId) {
      const entry = entries.get(runId);
      if (entry !== undefined) entry.summary = { ...entry.summary, wakeAt: null };
    },
    listen(newListener) {
      listener = newListener;
    },
    read: unused,
    changed: unused,
    list: unused,
    listAll: unused,
    ofCustomer: unused,
    delete: unused,
  };
}

function keyOf(signal: RunSignal): string {
  return signal.type === 'cancel' ? '' : signal.itemId;
}

/** The signals that wait after an append. */
function remainingSignals(
  { signals }: Entry,
  events: readonly RunEvent[],
  { waitingFor }: RunChange,
): Map<string, RunSignal> {
  if (signals.size === 0) return signals;
  const records = events.some(({ type }) => type === 'execution.cancel_requested');
  const waits = new Set(waitingFor.map(({ itemId }) => itemId));
  return new Map([...signals].filter(([key, { type }]) => (type === 'cancel' ? !records : waits.has(key))));
}

/** Whether an append must not be written, because a signal waits that it does not handle. */
function isRefused(remaining: ReadonlyMap<string, RunSignal>, { status }: RunChange): boolean {
  return status === 'WAITING' ? remaining.size > 0 : hasEnded(status) && remaining.has('');
}

/** A simulation that was stopped goes on no more. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

function unused(): never {
  throw new TypeError('a simulation does not read what a runner does not need');
}
