import { unavailable } from '../../../domain/errors.ts';
import type { RunEvent } from '../../../domain/run/events.ts';
import { hasEnded, type RunStatus, type RunSummary } from '../../../domain/run/run.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { RunListener, RunLog, StoredRun } from '../../../ports/storage/run-log.ts';
import { DEFAULT_MAX_BYTES } from '../record-store.ts';
import { unpackEvents } from './packed-events.ts';
import { createRunIndex } from './run-index.ts';
import {
  addToLog,
  isRefused,
  readSignals,
  readSummary,
  type StoredLog,
  signalKey,
  toStoredLog,
  waitForEvent,
} from './stored-log.ts';

/** The limits of run logs in memory. */
export interface MemoryRunLogOptions {
  /** Maximum number of ended runs. */
  readonly maxRecords: number;
  /** Approximate maximum memory of the ended runs, in bytes; 64 MiB when absent. */
  readonly maxBytes?: number;
  /**
   * Approximate maximum memory of the runs that have not ended, in bytes; 256 MiB when absent. Above it, a further run
   * is rejected with `unavailable`. Child runs may take half as much again, so that their parents can end. The events of
   * runs that go on may take twice as much, so that every child run that was created can go on.
   */
  readonly maxUnendedBytes?: number;
}

/** The default of `maxUnendedBytes`. */
const DEFAULT_MAX_UNENDED_BYTES = 256 * 1_024 * 1_024;

/** How much more than `maxUnendedBytes` child runs, and the events of runs that go on, may take. */
const CHILD_FACTOR = 1.5;
const APPEND_FACTOR = 2;

/** Seconds after which a caller may try again where the runs take too much memory. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Creates a run log in memory. Of too many ended runs it evicts the one that ended first. Active runs, and ended child
 * runs whose parents do not know yet, are never evicted: they have a limit of their own, above which `create` and
 * `append` reject with `unavailable`. The end of a run, and that it waits, is always stored. Signals reach the listener
 * at once.
 */
export function createMemoryRunLog(options: MemoryRunLogOptions): RunLog {
  const index = createRunIndex({ maxBytes: DEFAULT_MAX_BYTES, ...options });
  const { maxUnendedBytes = DEFAULT_MAX_UNENDED_BYTES } = options;
  let listener: RunListener | undefined;
  let created = 0;

  /** Refuses what makes a run go on once the runs that have not ended take `factor` times as much as they may. */
  function assertRoom(status: RunStatus, factor: number, addedBytes = 0): void {
    if (hasEnded(status) || index.activeBytes() + addedBytes <= factor * maxUnendedBytes) return;
    const text = `the runs that have not ended take ${maxUnendedBytes} bytes of memory already`;
    throw unavailable(text, RETRY_AFTER_SECONDS);
  }

  async function readRun(log: StoredLog): Promise<StoredRun> {
    const { runId, workflowId, events } = log;
    const definition = parseDefinition(index.definitionOf(log));
    return { runId, workflowId, definition, events: await readEvents(log, 0, events.count) };
  }

  return {
    async create(run) {
      if (index.get(run.summary.runId) !== undefined) return false;
      const log = toStoredLog(run, ++created);
      const { status, parentRunId } = run.summary;
      assertRoom(status, parentRunId === null ? 1 : CHILD_FACTOR, log.bytes);
      index.add(log, run.definition);
      return true;
    },
    async append(runId, expectedSeq, events, change) {
      const log = index.get(runId);
      if (log === undefined || events.length === 0) return 'appended';
      // Only who has claimed it goes on with a run that waits.
      const isParked = log.summary.status === 'WAITING' && !log.isClaimed;
      if (log.events.count !== expectedSeq || isParked) return 'conflict';
      if (isRefused(log, events, change)) return 'signalled';
      if (change.status !== 'WAITING') assertRoom(change.status, APPEND_FACTOR);
      const bytesBefore = log.bytes;
      addToLog(log, events, change);
      index.update(log, log.bytes - bytesBefore);
      return 'appended';
    },
    async claim(runId) {
      const log = index.get(runId);
      if (log === undefined || log.isClaimed || hasEnded(log.summary.status)) return undefined;
      log.isClaimed = true;
      index.placeDue(log);
      const run = await readRun(log);
      return { run, crashed: false, signals: readSignals(log) };
    },
    async release(runId) {
      const log = index.get(runId);
      if (log === undefined) return;
      log.isClaimed = false;
      index.placeDue(log);
    },
    async get(runId) {
      const log = index.get(runId);
      return log && readRun(log);
    },
    async read(runId, after, limit) {
      const log = index.get(runId);
      if (log === undefined) return undefined;
      const lastSeq = log.events.count;
      const ended = hasEnded(log.summary.status);
      return { events: await readEvents(log, after, Math.min(after + limit, lastSeq)), lastSeq, ended };
    },
    async changed(runId, after, signal) {
      const log = index.get(runId);
      if (log !== undefined) await waitForEvent(log, after, signal);
    },
    async summary(runId) {
      const log = index.get(runId);
      return log === undefined ? undefined : readSummary(log);
    },
    async list(workflowId, filter, page) {
      const { total, logs } = index.ofWorkflow(workflowId, filter, page);
      const { limit, offset } = page;
      return { total, limit, offset, items: await readSummaries(logs) };
    },
    async listAll(filter, { limit, cursor = Number.POSITIVE_INFINITY }) {
      // One more than the page shows tells whether there is a next one.
      const found = index.before(cursor, limit + 1, filter);
      const shown = found.slice(0, limit);
      const nextCursor = found.length > limit ? (shown.at(-1)?.position ?? null) : null;
      return { items: await readSummaries(shown), nextCursor };
    },
    async ofCustomer(customerId, limit) {
      return index.ofCustomer(customerId, limit);
    },
    async delete(runId) {
      const log = index.get(runId);
      if (log === undefined || !hasEnded(log.summary.status)) return false;
      index.remove(log);
      return true;
    },
    async signal(runId, signal) {
      const log = index.get(runId);
      if (log === undefined) return undefined;
      if (hasEnded(log.summary.status)) return 'ended';
      const key = signalKey(signal);
      if (signal.type === 'resolve') {
        const isAwaited = log.summary.waitingFor.some(({ itemId }) => itemId === key);
        if (!isAwaited || log.signals?.has(key) === true) return 'refused';
      }
      log.signals ??= new Map();
      log.signals.set(key, structuredClone(signal));
      listener?.onSignal(runId, structuredClone(signal));
      return 'sent';
    },
    async due(before, limit) {
      return index.due(before, limit);
    },
    async clearWake(runId) {
      const log = index.get(runId);
      if (log === undefined || !hasEnded(log.summary.status)) return;
      if (log.summary.wakeAt === null) return;
      log.summary.wakeAt = null;
      index.update(log, 0);
    },
    listen(newListener) {
      listener = newListener;
    },
  };
}

/** Reads events. Appends meanwhile add to the log, but change nothing that is read. */
async function readEvents({ events }: StoredLog, after: number, last: number): Promise<RunEvent[]> {
  const found: RunEvent[] = [];
  for (const event of unpackEvents(events, after, last)) {
    found.push(event);
    if (found.length % EVENTS_PER_CHECK === 0 || event.type === 'step.completed') await yieldIfDue();
  }
  return found;
}

/** Large outputs come with the ends of steps; other events are small. */
const EVENTS_PER_CHECK = 64;

async function readSummaries(logs: readonly StoredLog[]): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const log of logs) {
    summaries.push(readSummary(log));
    await yieldIfDue();
  }
  return summaries;
}

/** Parses a definition that this folder has written. */
function parseDefinition(json: string): WorkflowDefinition {
  return JSON.parse(json);
}
