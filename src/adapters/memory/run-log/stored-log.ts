import type { RunEvent, RunSignal } from '../../../domain/run/events.ts';
import { hasEnded, type RunSummary, type Wait } from '../../../domain/run/run.ts';
import type { RunChange } from '../../../domain/run/state.ts';
import { onAbort } from '../../../lib/async/on-abort.ts';
import type { NewRun, RunFilter } from '../../../ports/storage/run-log.ts';
import type { ListNode } from '../newest-first.ts';
import type { KeptDefinition } from './kept-definitions.ts';
import { type KnownJson, type PackedEvents, packEvents, parseOwn, trimEvents } from './packed-events.ts';
import { textBytes } from './text-bytes.ts';
import type { WakeEntry } from './wake-heap.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Who waits for an event after the event `after`. */
interface Waiter {
  readonly after: number;
  readonly wake: () => void;
}

/** A run as it is stored: it shares no object with its callers, and is changed in place. */
export interface StoredLog {
  readonly runId: string;
  readonly workflowId: string;
  /** 1, 2, 3 … in the order of creation, over all runs. */
  readonly position: number;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
  readonly summary: Writable<Omit<RunSummary, 'input' | 'output'>>;
  readonly inputJson: string;
  /** Null where the run has no output. */
  outputJson: string | null;
  readonly events: PackedEvents;
  /** The signals that wait for the run to handle them, by what they are about; undefined for none. */
  signals: Map<string, RunSignal> | undefined;
  /** Whether a process runs the run. */
  isClaimed: boolean;
  /** Undefined while nobody waits. */
  waiters: Set<Waiter> | undefined;
  /** Approximate memory usage without the definition, in bytes. */
  bytes: number;
  /** Its definition, and its nodes in the lists of all runs, of its workflow, and of the ended runs. */
  definition: KeptDefinition | undefined;
  inAll: ListNode<StoredLog> | undefined;
  inWorkflow: ListNode<StoredLog> | undefined;
  inEnded: ListNode<StoredLog> | undefined;
  /** Its entry among those that somebody must look at. */
  inDue: WakeEntry<StoredLog> | undefined;
}

/** Approximate size of a stored run without texts and events, in bytes. */
const LOG_BYTES = 800;

/** Copies a run into its stored form. */
export function toStoredLog({ summary, events, isUnclaimed = false }: NewRun, position: number): StoredLog {
  const { runId, workflowId, input } = summary;
  const inputJson = JSON.stringify(input);
  const output = knownOutput(summary);
  const createdAt = Date.parse(summary.createdAt);
  const packed: PackedEvents = { cells: [], count: 0, marks: [], startedAt: events[0]?.at ?? createdAt };
  const outputJson = output?.json ?? null;
  const known = [{ value: input, json: inputJson }, ...(output === undefined ? [] : [output])];
  const eventBytes = packEvents(packed, events, known);
  if (hasEnded(summary.status)) trimEvents(packed);
  return {
    runId,
    workflowId,
    position,
    createdAt,
    summary: copySummary(summary),
    inputJson,
    outputJson,
    events: packed,
    signals: undefined,
    isClaimed: !isUnclaimed,
    waiters: undefined,
    bytes: LOG_BYTES + textBytes(inputJson) + outputBytes(outputJson) + eventBytes,
    definition: undefined,
    inAll: undefined,
    inWorkflow: undefined,
    inEnded: undefined,
    inDue: undefined,
  };
}

/** The output of a run with its JSON text; undefined where there is none. */
function knownOutput({ output }: Pick<RunSummary, 'output'>): KnownJson | undefined {
  return output === null ? undefined : { value: output, json: JSON.stringify(output) };
}

function outputBytes(json: string | null): number {
  return json === null ? 0 : textBytes(json);
}

/** Lists the members, because a rest pattern is slow. */
function copySummary(summary: RunSummary): StoredLog['summary'] {
  const { runId, workflowId, workflowName, version, status, background, error } = summary;
  const { createdAt, startedAt, completedAt, durationMs } = summary;
  const { attempt, recoveries, recoveriesWithoutProgress, gaveUp } = summary;
  const { rerunOf, parentRunId, customerId, chain, waitingFor, wakeAt } = summary;
  const ofChain = chain === undefined ? {} : { chain };
  return {
    runId,
    workflowId,
    workflowName,
    version,
    status,
    background,
    error,
    createdAt,
    startedAt,
    completedAt,
    durationMs,
    attempt,
    recoveries,
    recoveriesWithoutProgress,
    ...(gaveUp === undefined ? {} : { gaveUp }),
    rerunOf,
    parentRunId,
    customerId,
    ...ofChain,
    waitingFor: copyWaits(waitingFor),
    wakeAt,
  };
}

/** Adds events, and sets the changed members of the summary. */
export function addToLog(log: StoredLog, events: readonly RunEvent[], change: RunChange): void {
  const output = knownOutput(change);
  const outputJson = output?.json ?? null;
  log.bytes += packEvents(log.events, events, output && [output]);
  log.bytes += outputBytes(outputJson) - outputBytes(log.outputJson);
  log.outputJson = outputJson;
  const { summary } = log;
  // A run that had ended is run by this process again.
  if (hasEnded(summary.status)) log.isClaimed = true;
  summary.status = change.status;
  summary.error = change.error;
  summary.startedAt = change.startedAt;
  summary.completedAt = change.completedAt;
  summary.durationMs = change.durationMs;
  summary.attempt = change.attempt;
  summary.recoveries = change.recoveries;
  summary.recoveriesWithoutProgress = change.recoveriesWithoutProgress;
  // It is absent for all others. To delete it is slow, but few runs give up and are retried.
  if (change.gaveUp === true) summary.gaveUp = true;
  else if (summary.gaveUp === true) delete summary.gaveUp;
  summary.waitingFor = copyWaits(change.waitingFor);
  summary.wakeAt = change.wakeAt;
  if (change.status === 'WAITING') log.isClaimed = false;
  if (log.signals !== undefined) log.signals = remainingSignals(log.signals, events, change);
  if (hasEnded(change.status)) trimEvents(log.events);
  if (log.waiters !== undefined) wakeWaiters(log, log.waiters);
}

function copyWaits(waits: readonly Wait[]): readonly Wait[] {
  return waits.map((wait) => ({ ...wait }));
}

/** What a signal is about: of several about the same, one waits. */
export function signalKey(signal: RunSignal): string {
  return signal.type === 'cancel' ? '' : signal.itemId;
}

/** The signals that wait after an append; undefined for none. */
function remainingSignals(
  signals: ReadonlyMap<string, RunSignal>,
  events: readonly RunEvent[],
  { waitingFor }: RunChange,
): Map<string, RunSignal> | undefined {
  const records = events.some(({ type }) => type === 'execution.cancel_requested');
  const waits = new Set(waitingFor.map(({ itemId }) => itemId));
  const remaining = [...signals].filter(([key, { type }]) => (type === 'cancel' ? !records : waits.has(key)));
  return remaining.length === 0 ? undefined : new Map(remaining);
}

/** Whether an append must not be written, because a signal waits that it does not handle. */
export function isRefused({ signals }: StoredLog, events: readonly RunEvent[], change: RunChange): boolean {
  if (signals === undefined) return false;
  const remaining = remainingSignals(signals, events, change);
  if (change.status === 'WAITING') return remaining !== undefined;
  return hasEnded(change.status) && remaining?.has('') === true;
}

/** Copies of the signals that wait, the request to cancel first. */
export function readSignals({ signals }: StoredLog): readonly RunSignal[] {
  const waiting = [...(signals?.values() ?? [])].map((signal) => structuredClone(signal));
  return waiting.sort((one) => (one.type === 'cancel' ? -1 : 1));
}

/** A copy of the summary. */
export function readSummary({ summary, inputJson, outputJson }: StoredLog): RunSummary {
  const output = outputJson === null ? null : parseOwn(outputJson);
  return { ...summary, waitingFor: copyWaits(summary.waitingFor), input: parseOwn(inputJson), output };
}

/** When somebody must look at a run that nobody runs, in milliseconds since the epoch; null for never. */
export function dueTime({ summary, isClaimed }: StoredLog): number | null {
  const { status, wakeAt } = summary;
  return hasEnded(status) || (status === 'WAITING' && !isClaimed) ? wakeAt : null;
}

/** True where a listing with this filter shows the run. */
export function matches(
  { createdAt, summary }: StoredLog,
  { statuses = [], since, until }: RunFilter,
): boolean {
  return (
    (since === undefined || createdAt >= since) &&
    (until === undefined || createdAt < until) &&
    (statuses.length === 0 || statuses.includes(summary.status))
  );
}

/** True where a filter shows every run. */
export function showsAll({ statuses = [], since, until }: RunFilter): boolean {
  return statuses.length === 0 && since === undefined && until === undefined;
}

/** Resolves once the log has an event after the event `after`, the run has ended, or `signal` is aborted. */
export function waitForEvent(log: StoredLog, after: number, signal: AbortSignal): Promise<void> {
  if (isDue(log, after) || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stopListening = onAbort(signal, () => {
      removeWaiter(log, waiter);
      resolve();
    });
    const waiter: Waiter = {
      after,
      wake: () => {
        stopListening();
        resolve();
      },
    };
    log.waiters ??= new Set();
    log.waiters.add(waiter);
  });
}

function isDue({ events, summary }: StoredLog, after: number): boolean {
  return events.count > after || hasEnded(summary.status);
}

function wakeWaiters(log: StoredLog, waiters: ReadonlySet<Waiter>): void {
  for (const waiter of waiters) {
    if (!isDue(log, waiter.after)) continue;
    removeWaiter(log, waiter);
    waiter.wake();
  }
}

function removeWaiter(log: StoredLog, waiter: Waiter): void {
  log.waiters?.delete(waiter);
  if (log.waiters?.size === 0) log.waiters = undefined;
}
