import { createHash } from 'node:crypto';
import type { CancelSignal, RunEvent, RunSignal } from '../../../domain/run/events.ts';
import { hasEnded, type RunStatus, type RunSummary } from '../../../domain/run/run.ts';
import type { RunChange } from '../../../domain/run/state.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { NewRun } from '../../../ports/storage/run-log.ts';
import { digestOf } from '../private-values.ts';
import { numberOf, optionalTextOf, parseOwn, type Row, textOf } from '../rows.ts';

/** Successive events in their stored form. */
export interface EncodedEvents {
  /** The number of the last one. */
  readonly lastSeq: number;
  /** An array. */
  readonly json: string;
}

/** A new run in its stored form. */
export interface EncodedRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly createdAt: number;
  readonly status: RunStatus;
  readonly ended: boolean;
  readonly isUnclaimed: boolean;
  readonly lastSeq: number;
  readonly summaryJson: string;
  readonly outputJson: string | null;
  readonly wakeAt: number | null;
  readonly definition: { readonly digest: string; readonly json: string };
  readonly events: readonly EncodedEvents[];
  /** The digest of its customer; null for none. */
  readonly customer: string | null;
  readonly bytes: number;
}

/** An append in its stored form. */
export interface EncodedAppend {
  readonly expectedSeq: number;
  readonly lastSeq: number;
  readonly events: readonly EncodedEvents[];
  readonly status: RunStatus;
  readonly stateJson: string;
  readonly outputJson: string | null;
  readonly wakeAt: number | null;
  readonly ended: boolean;
  /** Whether its events record a request to cancel. */
  readonly recordsCancel: boolean;
  /** The ids of the items of the open waits. */
  readonly waitingFor: readonly string[];
  readonly bytes: number;
}

/** Size of a row without its JSON, in bytes. */
const ROW_BYTES = 64;

/** Further events are put into another row once a row has this many characters: a row is read at once. */
const MAX_ROW_LENGTH = 32_768;

function encodeEvents(events: readonly RunEvent[]): { events: readonly EncodedEvents[]; bytes: number } {
  const rows: EncodedEvents[] = [];
  let bytes = 0;
  let json = '';
  for (const [index, event] of events.entries()) {
    json += `${json === '' ? '[' : ','}${JSON.stringify(event)}`;
    if (json.length < MAX_ROW_LENGTH && index < events.length - 1) continue;
    rows.push({ lastSeq: event.seq, json: `${json}]` });
    bytes += ROW_BYTES + json.length;
    json = '';
  }
  return { events: rows, bytes };
}

/** Converts a new run to its stored form. A definition is found by its digest. */
export function encodeRun({ summary, definition, events, isUnclaimed = false }: NewRun): EncodedRun {
  const { runId, workflowId, status, createdAt } = summary;
  const { output, wakeAt, ...stored } = summary;
  const summaryJson = JSON.stringify(stored);
  const outputJson = encodeOutput(output);
  const json = JSON.stringify(definition);
  const digest = createHash('sha256').update(json).digest('base64url');
  const encoded = encodeEvents(events);
  return {
    runId,
    workflowId,
    createdAt: Date.parse(createdAt),
    status,
    ended: hasEnded(status),
    isUnclaimed,
    lastSeq: events.length,
    summaryJson,
    outputJson,
    wakeAt,
    definition: { digest, json },
    events: encoded.events,
    customer: summary.customerId === null ? null : digestOf(summary.customerId),
    bytes: encoded.bytes + summaryJson.length + (outputJson?.length ?? 0) + json.length,
  };
}

/** Converts an append to its stored form. */
export function encodeAppend(
  expectedSeq: number,
  events: readonly RunEvent[],
  { output, wakeAt, ...changed }: RunChange,
): EncodedAppend {
  const { status, error, startedAt, completedAt, durationMs, attempt, recoveries } = changed;
  const { recoveriesWithoutProgress, gaveUp, waitingFor } = changed;
  const change: Partial<RunChange> = {
    ...{ status, error, startedAt, completedAt, durationMs, attempt, recoveries },
    ...(recoveriesWithoutProgress === 0 ? {} : { recoveriesWithoutProgress }),
    ...(gaveUp === undefined ? {} : { gaveUp }),
    ...(waitingFor.length === 0 ? {} : { waitingFor }),
  };
  const outputJson = encodeOutput(output);
  const encoded = encodeEvents(events);
  return {
    expectedSeq,
    lastSeq: expectedSeq + events.length,
    status,
    stateJson: JSON.stringify(change),
    ended: hasEnded(status),
    recordsCancel: events.some(({ type }) => type === 'execution.cancel_requested'),
    waitingFor: waitingFor.map(({ itemId }) => itemId),
    outputJson,
    wakeAt,
    events: encoded.events,
    bytes: encoded.bytes + (outputJson?.length ?? 0),
  };
}

function encodeOutput(output: JsonObject | null): string | null {
  return output === null ? null : JSON.stringify(output);
}

/** The members of a summary that stand in columns of their own, or that earlier versions did not write. */
type AddedMembers = Pick<
  RunSummary,
  'parentRunId' | 'customerId' | 'recoveriesWithoutProgress' | 'output' | 'waitingFor' | 'wakeAt'
>;

type ChangedMembers = Omit<RunChange, keyof AddedMembers> &
  Partial<Pick<RunChange, 'waitingFor' | 'recoveriesWithoutProgress'>>;

/** The members of a summary that is written without them. */
const defaults = { parentRunId: null, customerId: null, recoveriesWithoutProgress: 0 } as const;

/**
 * The summary of a run from its columns `summary`, as it was created, `state`, what has changed since, `output` and
 * `wake_at`.
 */
export function decodeSummary(row: Row): RunSummary {
  const stored = parseOwn<Omit<RunSummary, keyof AddedMembers> & Partial<AddedMembers>>(
    textOf(row, 'summary'),
  );
  const output = optionalTextOf(row, 'output');
  const current = {
    output: output === undefined ? null : parseOwn<JsonObject>(output),
    wakeAt: row['wake_at'] === null ? null : numberOf(row, 'wake_at'),
  };
  const state = optionalTextOf(row, 'state');
  if (state === undefined) return { ...defaults, waitingFor: [], ...stored, ...current };
  const { waitingFor = [], recoveriesWithoutProgress = 0, ...change } = parseOwn<ChangedMembers>(state);
  return { ...defaults, ...stored, ...change, recoveriesWithoutProgress, waitingFor, ...current };
}

/** The ids of the items that a run waits for, from its column `state`. */
export function decodeWaitingFor(row: Row | undefined): readonly string[] {
  const state = row && optionalTextOf(row, 'state');
  if (state === undefined) return [];
  const { waitingFor = [] } = parseOwn<Partial<RunChange>>(state);
  return waitingFor.map(({ itemId }) => itemId);
}

/** The signals that wait, the request to cancel first. */
export function decodeSignals(row: Row): readonly RunSignal[] {
  const json = optionalTextOf(row, 'signal');
  if (json === undefined) return [];
  const stored = parseOwn<readonly RunSignal[] | CancelSignal>(json);
  // Files of schema version 1 may have one signal without a list.
  return 'type' in stored ? [stored] : stored;
}

/** The request to cancel that waits, or undefined. */
export function decodeCancel(row: Row): CancelSignal | undefined {
  return decodeSignals(row).find((signal) => signal.type === 'cancel');
}

/** The signals that wait once `signal` is added; undefined where it is refused. */
export function addSignal(
  waiting: readonly RunSignal[],
  signal: RunSignal,
  waitingFor: readonly string[],
): readonly RunSignal[] | undefined {
  if (signal.type === 'cancel') return [signal, ...waiting.filter(({ type }) => type !== 'cancel')];
  const { itemId } = signal;
  const isAnswered = waiting.some((other) => other.type === 'resolve' && other.itemId === itemId);
  return isAnswered || !waitingFor.includes(itemId) ? undefined : [...waiting, signal];
}

/** The signals that wait after an append. */
export function remainingSignals(
  signals: readonly RunSignal[],
  { recordsCancel, waitingFor }: Pick<EncodedAppend, 'recordsCancel' | 'waitingFor'>,
): readonly RunSignal[] {
  return signals.filter((signal) =>
    signal.type === 'cancel' ? !recordsCancel : waitingFor.includes(signal.itemId),
  );
}
