import { createHash } from 'node:crypto';
import type { RunEvent, RunSignal } from '../../../domain/run/events.ts';
import { hasEnded, type RunStatus, type RunSummary } from '../../../domain/run/run.ts';
import type { RunChange } from '../../../domain/run/state.ts';
import type { NewRun } from '../../../ports/storage/run-log.ts';
import { optionalTextOf, parseOwn, type Row, textOf } from '../rows.ts';

/** An event in its stored form. */
export interface EncodedEvent {
  readonly seq: number;
  readonly json: string;
}

/** A new run in its stored form. */
export interface EncodedRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly createdAt: number;
  readonly status: RunStatus;
  readonly ended: boolean;
  readonly lastSeq: number;
  readonly summaryJson: string;
  readonly definition: { readonly digest: string; readonly json: string };
  readonly events: readonly EncodedEvent[];
  readonly bytes: number;
}

/** An append in its stored form. */
export interface EncodedAppend {
  readonly expectedSeq: number;
  readonly lastSeq: number;
  readonly events: readonly EncodedEvent[];
  readonly status: RunStatus;
  readonly stateJson: string;
  readonly ended: boolean;
  /** Whether its events record a signal. */
  readonly recordsSignal: boolean;
  readonly bytes: number;
}

/** Size of a row without its JSON, in bytes. */
const ROW_BYTES = 64;

function encodeEvents(events: readonly RunEvent[]): { events: readonly EncodedEvent[]; bytes: number } {
  let bytes = 0;
  const encoded = events.map((event) => {
    const json = JSON.stringify(event);
    bytes += ROW_BYTES + json.length;
    return { seq: event.seq, json };
  });
  return { events: encoded, bytes };
}

/** Converts a new run to its stored form. A definition is found by its digest. */
export function encodeRun({ summary, definition, events }: NewRun): EncodedRun {
  const { runId, workflowId, status, createdAt } = summary;
  const summaryJson = JSON.stringify(summary);
  const json = JSON.stringify(definition);
  const digest = createHash('sha256').update(json).digest('base64url');
  const encoded = encodeEvents(events);
  return {
    runId,
    workflowId,
    createdAt: Date.parse(createdAt),
    status,
    ended: hasEnded(status),
    lastSeq: events.length,
    summaryJson,
    definition: { digest, json },
    events: encoded.events,
    bytes: encoded.bytes + summaryJson.length + json.length,
  };
}

/** Converts an append to its stored form. */
export function encodeAppend(
  expectedSeq: number,
  events: readonly RunEvent[],
  { status, error, startedAt, completedAt, durationMs, attempt }: RunChange,
): EncodedAppend {
  const change: RunChange = { status, error, startedAt, completedAt, durationMs, attempt };
  return {
    expectedSeq,
    lastSeq: expectedSeq + events.length,
    status,
    stateJson: JSON.stringify(change),
    ended: hasEnded(status),
    recordsSignal: events.some(({ type }) => type === 'execution.cancel_requested'),
    ...encodeEvents(events),
  };
}

/** The summary of a run from its columns `summary`, as it was created, and `state`, what has changed since. */
export function decodeSummary(row: Row): RunSummary {
  const created = parseOwn<RunSummary>(textOf(row, 'summary'));
  const state = optionalTextOf(row, 'state');
  return state === undefined ? created : { ...created, ...parseOwn<RunChange>(state) };
}

/** The signal that waits, or undefined. */
export function decodeSignal(row: Row): RunSignal | undefined {
  const json = optionalTextOf(row, 'signal');
  return json === undefined ? undefined : parseOwn<RunSignal>(json);
}
