import { createHash } from 'node:crypto';
import type { CancelSignal, ResolveSignal, RunEvent, RunSignal } from '../../../domain/run/events.ts';
import { hasEnded, type RunSummary } from '../../../domain/run/run.ts';
import type { RunChange } from '../../../domain/run/state.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { type StoredDefinition, toDefinition } from '../../shared/stored-definition.ts';
import { parseStored } from '../client/stored-json.ts';

/** The JSON of the `summary` field. Version 0.6 shares it, and calls the id of a run `executionId`. */
type StoredSummary = Omit<RunSummary, 'runId' | 'wakeAt'> & {
  readonly executionId: string;
  readonly wakeAt?: number;
};

/** An append in its stored form. */
export interface EncodedAppend {
  /** Number of events before it. */
  readonly expectedSeq: number;
  /** Each event as JSON without its number, which is its position in the log. */
  readonly events: readonly string[];
  readonly change: RunChange;
  /** Whether the run has ended after it. */
  readonly ends: boolean;
  /** Whether the run waits after it: no process runs it then. */
  readonly waits: boolean;
  /** Whether one of its events records the request to cancel that waits. */
  readonly handlesSignal: boolean;
}

/** A definition in its stored form. Equal definitions have the same key. */
export interface EncodedDefinition {
  readonly digest: string;
  readonly json: string;
}

/** Converts an append to its stored form. */
export function encodeAppend(
  expectedSeq: number,
  events: readonly RunEvent[],
  change: RunChange,
): EncodedAppend {
  const { status, error, output, startedAt, completedAt, durationMs } = change;
  const { attempt, recoveries, recoveriesWithoutProgress, gaveUp, waitingFor, wakeAt } = change;
  const times = { startedAt, completedAt, durationMs };
  return {
    expectedSeq,
    events: events.map(encodeEvent),
    change: {
      status,
      error,
      output,
      ...times,
      attempt,
      recoveries,
      recoveriesWithoutProgress,
      ...(gaveUp === undefined ? {} : { gaveUp }),
      waitingFor,
      wakeAt,
    },
    ends: hasEnded(status),
    waits: status === 'WAITING',
    handlesSignal: events.some(({ type }) => type === 'execution.cancel_requested'),
  };
}

/** The `state` field after an append. Members at their defaults are left out. */
export function encodeState(change: RunChange): string {
  const { waitingFor, output, wakeAt, recoveriesWithoutProgress, ...rest } = change;
  return JSON.stringify({
    ...rest,
    ...(recoveriesWithoutProgress === 0 ? {} : { recoveriesWithoutProgress }),
    ...(output === null ? {} : { output }),
    ...(waitingFor.length === 0 ? {} : { waitingFor }),
    ...lastMember(wakeAt),
  });
}

/** Scripts find `wakeAt` at the end of the JSON, and remove it there. */
function lastMember(wakeAt: number | null): { readonly wakeAt?: number } {
  return wakeAt === null ? {} : { wakeAt };
}

/** An event as JSON, without its number. */
export function encodeEvent({ seq: _, ...event }: RunEvent): string {
  return JSON.stringify(event);
}

/** The event at position `seq` of a log; undefined for JSON of another program. */
function decodeEvent(json: string, seq: number): RunEvent | undefined {
  const event = parseStored<RunEvent>(
    json,
    [],
    ({ type, at }) => typeof type === 'string' && typeof at === 'number',
  );
  return event === undefined ? undefined : { ...event, seq };
}

/** The events after the event `after`; undefined where one of them is damaged. */
export function decodeEvents(jsons: readonly string[], after: number): readonly RunEvent[] | undefined {
  const events: RunEvent[] = [];
  for (const json of jsons) {
    const event = decodeEvent(json, after + events.length + 1);
    if (event === undefined) return undefined;
    events.push(event);
  }
  return events;
}

/** Converts a definition to its stored form. */
export function encodeDefinition(definition: WorkflowDefinition): EncodedDefinition {
  const json = JSON.stringify(definition);
  return { digest: createHash('sha256').update(json).digest('base64url'), json };
}

/** Converts back; undefined for JSON of another program. */
export function decodeDefinition(json: string): WorkflowDefinition | undefined {
  const stored = parseStored<StoredDefinition>(json, ['steps', 'layers'], ({ id }) => typeof id === 'string');
  return stored && toDefinition(stored);
}

/** The `summary` field of a new run. */
export function encodeSummary({ runId: executionId, wakeAt, ...rest }: RunSummary): string {
  const stored: StoredSummary = { executionId, ...rest, ...lastMember(wakeAt) };
  return JSON.stringify(stored);
}

/**
 * The summary of a run from its `summary` and `state` fields; undefined where they do not belong to that run. Those of
 * version 0.6 lack the members that later versions added.
 */
export function decodeSummary(runId: string, summary: string, state: string): RunSummary | undefined {
  const stored = parseStored<StoredSummary>(summary, [], ({ executionId }) => executionId === runId);
  if (stored === undefined) return undefined;
  const { executionId: _, ...rest } = stored;
  const created = { runId, ...rest, ...addedMembers(rest) };
  if (state === '') return created;
  const change = parseStored<Partial<RunChange>>(state, [], () => true);
  return change === undefined
    ? undefined
    : { ...created, recoveriesWithoutProgress: 0, output: null, waitingFor: [], wakeAt: null, ...change };
}

/** The members that a summary of version 0.6 lacks, or has. */
function addedMembers({
  version = 1,
  attempt = 1,
  recoveries = 0,
  recoveriesWithoutProgress = 0,
  rerunOf = null,
  parentRunId = null,
  customerId = null,
  output = null,
  waitingFor = [],
  wakeAt = null,
}: Partial<RunSummary>) {
  const counts = { attempt, recoveries, recoveriesWithoutProgress };
  return { version, ...counts, rerunOf, parentRunId, customerId, output, waitingFor, wakeAt };
}

/** The signals that wait for a run, as they are stored. */
export interface StoredSignals {
  /** The request to cancel it, as JSON; empty for none. */
  readonly cancel: string;
  /** The decisions, as JSON: an object of their JSON by the ids of their items; empty for none. */
  readonly decisions: string;
}

/** A stored request to cancel; undefined for JSON of another program, and an empty string. */
export function decodeCancel(json: string): CancelSignal | undefined {
  if (json === '') return undefined;
  return parseStored<CancelSignal>(json, [], ({ type }) => type === 'cancel');
}

/** The stored signals, the request to cancel first. */
export function decodeSignals({ cancel, decisions }: StoredSignals): readonly RunSignal[] {
  const signals: RunSignal[] = [];
  const cancelSignal = decodeCancel(cancel);
  if (cancelSignal !== undefined) signals.push(cancelSignal);
  if (decisions === '') return signals;
  const byItem = parseStored<Record<string, string>>(decisions, [], () => true) ?? {};
  for (const json of Object.values(byItem)) {
    const decision = parseStored<ResolveSignal>(json, [], ({ type }) => type === 'resolve');
    if (decision !== undefined) signals.push(decision);
  }
  return signals;
}
