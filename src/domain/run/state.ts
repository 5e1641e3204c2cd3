import { itemAt } from '../../lib/array.ts';
import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { RunOrigin, SkipReason } from '../subject-event.ts';
import type { WorkflowShape } from '../workflow/shape.ts';
import type { Continuation, ItemEnd, RunEvent, ScheduleOrigin, WaitOutcome } from './events.ts';
import { hasEnded, type Run, type RunStatus, type RunSummary, type StepResult, type Wait } from './run.ts';

/** The members of a run that never change. */
export interface RunHead {
  readonly runId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly version: number;
  readonly background: boolean;
  readonly origin: RunOrigin;
  readonly input: JsonObject;
  readonly rerunOf: string | null;
  /** The parts of another run that it continues; absent for one that begins anew. */
  readonly continues?: Continuation | undefined;
  readonly parentRunId: string | null;
  readonly customerId: string | null;
  /** The number of nested runs, this one included. */
  readonly depth: number;
  /** The number of runs that there can be at this depth below the outermost one; 1 for that. */
  readonly breadth: number;
  /** The schedule that has started it, the run that this one reruns, or its parent; undefined where none has. */
  readonly schedule?: ScheduleOrigin | undefined;
}

/** The decision that ended a wait. */
export interface WaitDecision {
  readonly outcome: WaitOutcome;
  readonly by: string;
  readonly note: string | null;
  /** The data that came with an approval. */
  readonly data: JsonValue;
  /** Nobody has decided in time. */
  readonly isExpired: boolean;
  /** ISO 8601. */
  readonly at: string;
}

/** A wait of a run, also after it has ended. */
export interface StepWait extends Wait {
  /** The index of the item that the wait is for; undefined for a step without `foreach`. */
  readonly item: number | undefined;
  /** The step fails when the time has come. */
  readonly timesOut: boolean;
  /** The time `until` in milliseconds since the epoch. */
  readonly dueAt: number | null;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  readonly isOpen: boolean;
  /** Null before the decision, and where it ended without one. */
  readonly decision: WaitDecision | null;
  /** The output that was decided; else null. */
  readonly output: JsonObject | null;
}

/** The items of a step with `foreach`. */
export interface ForeachState {
  readonly total: number;
  /** The items that have ended, by their index. */
  readonly results: Map<number, ItemEnd>;
  failed: number;
  /** Bytes of JSON of their outputs together. */
  bytes: number;
  /** Items before this index may have been called in this attempt at the run, and no others. */
  startedUpTo: number;
  /** When the last `step.progress` was recorded, in milliseconds since the epoch. */
  progressAt: number;
}

/** The state of a run: the fold of its events. Only `evolve` changes it. */
export interface RunState {
  readonly head: RunHead;
  readonly shape: WorkflowShape;
  /** The number of its last event; 0 before the first. */
  seq: number;
  status: RunStatus;
  attempt: number;
  /** The number of times that it was continued after a crash with a step under way. */
  recoveries: number;
  /** The same since a step completed last, or since the last retry: beyond a limit of these the run is given up. */
  recoveriesWithoutProgress: number;
  /** True where it failed because it gave up: see `RunSummary.gaveUp`. */
  gaveUp: boolean;
  /** When this attempt was started, in milliseconds since the epoch; null before that. */
  attemptStartedAt: number | null;
  /** The layer that was started last; -1 before the first layer of an attempt. */
  layer: number;
  /** The first request to cancel it in this attempt. Later ones change nothing. */
  cancel: { readonly by: string; readonly reason: string | null } | null;
  error: string | null;
  output: JsonObject | null;
  /** Times are in ISO 8601. */
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
  /** Milliseconds that ended attempts took. */
  durationMs: number | null;
  /** The indexes of the steps that were called in this attempt by a process which was lost. */
  lostSteps: ReadonlySet<number>;
  /** The attempts of steps that failed and were followed by another one, by the indexes of the steps. */
  failedAttempts: Map<number, number> | undefined;
  /** The first layer with a step whose failure has failed the run; null for none. */
  failedLayer: number | null;
  /** The reasons of skipped steps, by their indexes; undefined where none was skipped. */
  skipped: Map<number, SkipReason> | undefined;
  /** The items of steps with `foreach` that have not completed, by the indexes of the steps. */
  foreach: Map<number, ForeachState> | undefined;
  /** Everything that it has waited for, by the id of the item; undefined for a run that never waited. */
  waits: Map<string, StepWait> | undefined;
  /** The ids of the open ones, in the order in which they began. */
  readonly openItems: Set<string>;
  /** The same by the id of their step. */
  readonly openByStep: Map<string, Set<string>>;
  /** The ids of those that have begun or ended since the run was suspended last: these may not be settled. */
  readonly changedItems: Set<string>;
  /** By the index of the step in the definition. Results are replaced, never changed. */
  readonly results: StepResult[];
}

const noSteps: ReadonlySet<number> = new Set();

/** The state of a run without events. */
export function initialState(head: RunHead, shape: WorkflowShape): RunState {
  return {
    head,
    shape,
    seq: 0,
    status: 'PENDING',
    attempt: 1,
    recoveries: 0,
    recoveriesWithoutProgress: 0,
    gaveUp: false,
    attemptStartedAt: null,
    layer: -1,
    cancel: null,
    error: null,
    output: null,
    createdAt: '',
    startedAt: null,
    completedAt: null,
    durationMs: null,
    lostSteps: noSteps,
    failedAttempts: undefined,
    failedLayer: null,
    skipped: undefined,
    foreach: undefined,
    waits: undefined,
    openItems: new Set(),
    openByStep: new Map(),
    changedItems: new Set(),
    results: [...shape.pending],
  };
}

/** The attempts at a step under way whose process was lost: the lost call counts. */
export function attemptsWithLost({ results, failedAttempts }: RunState, index: number): number {
  return Math.max(itemAt(results, index).attempts, failedAttempts?.get(index) ?? 0) + 1;
}

/** The members of a summary that change while a run goes on. */
export type RunChange = Pick<
  RunSummary,
  | 'status'
  | 'error'
  | 'output'
  | 'startedAt'
  | 'completedAt'
  | 'durationMs'
  | 'attempt'
  | 'recoveries'
  | 'recoveriesWithoutProgress'
  | 'gaveUp'
  | 'waitingFor'
  | 'wakeAt'
>;

/** The changing members of the summary as they are now. */
export function changeOf(state: RunState): RunChange {
  const { status, error, output, startedAt, completedAt, durationMs, gaveUp } = state;
  const { attempt, recoveries, recoveriesWithoutProgress } = state;
  return {
    status,
    error,
    output,
    startedAt,
    completedAt,
    durationMs: hasEnded(status) ? durationMs : null,
    attempt,
    recoveries,
    recoveriesWithoutProgress,
    ...(gaveUp && { gaveUp }),
    waitingFor: openWaits(state),
    wakeAt: wakeAtOf(state),
  };
}

/** The summary of a run as it is now. */
export function summaryOf(state: RunState): RunSummary {
  const { runId, workflowId, workflowName, version, background, input, rerunOf, parentRunId, customerId } =
    state.head;
  const { chain } = state.shape.definition;
  return {
    runId,
    workflowId,
    workflowName,
    version,
    background,
    input,
    createdAt: state.createdAt,
    rerunOf,
    parentRunId,
    customerId,
    ...(chain !== undefined && { chain }),
    ...changeOf(state),
  };
}

/**
 * The changing members of the summary while events of the run are still to be saved: those of a run that goes on, even
 * where the state has its end already.
 */
export function changeBeforeEnd(state: RunState): RunChange {
  const { gaveUp: _, ...change } = changeOf(state);
  if (!hasEnded(change.status)) return change;
  const open = { error: null, output: null, completedAt: null, durationMs: null, wakeAt: null };
  return { ...change, ...open, status: 'RUNNING' };
}

/** The changing members of the summary once `end`, the last event of an attempt, is applied. */
export function changeAtEnd(state: RunState, end: EndEvent): RunChange {
  const { at, error, durationMs } = end;
  const output = end.type === 'execution.completed' ? (end.output ?? null) : null;
  const wakeAt = state.head.parentRunId === null ? null : at;
  const status = endStatuses[end.type];
  const gaveUp = end.type === 'execution.failed' && end.gaveUp === true;
  const ended = { status, error, output, completedAt: isoTime(at), durationMs, wakeAt };
  return { ...changeOf(state), ...ended, ...(gaveUp && { gaveUp }) };
}

/** The changing members of the summary once the run waits. */
export function changeAtWait(state: RunState): RunChange {
  return { ...changeOf(state), status: 'WAITING', wakeAt: wakeWhileWaiting(state) };
}

/** An event that ends a run. */
export type EndEvent = RunEvent<'execution.completed' | 'execution.failed' | 'execution.cancelled'>;

const endStatuses = {
  'execution.completed': 'COMPLETED',
  'execution.failed': 'FAILED',
  'execution.cancelled': 'CANCELLED',
} as const satisfies Record<EndEvent['type'], RunStatus>;

/** The record of a run as it is now. It shares no list with the state. */
export function recordOf(state: RunState): Run {
  return { ...summaryOf(state), stepResults: [...state.results] };
}

/** When a process must check the run as it is: see `RunSummary.wakeAt`. */
export function wakeAtOf(state: RunState): number | null {
  if (state.status === 'WAITING') return wakeWhileWaiting(state);
  const { completedAt, head } = state;
  return completedAt === null || head.parentRunId === null ? null : Date.parse(completedAt);
}

/** The first time at which a wait, or the run, ends by itself; null where none does. */
export function wakeWhileWaiting(state: RunState): number | null {
  const due = firstDue(state);
  const deadline = deadlineOf(state);
  return due === null || deadline === null ? (due ?? deadline) : Math.min(due, deadline);
}

/**
 * When this attempt at the run times out, in milliseconds since the epoch; null for never, and before it has started.
 */
export function deadlineOf({ attemptStartedAt, shape }: RunState): number | null {
  const { timeoutMs } = shape.definition;
  return timeoutMs === undefined || attemptStartedAt === null ? null : attemptStartedAt + timeoutMs;
}

/** True where this attempt at the run has timed out. */
export function isTimedOut(state: RunState, now: number): boolean {
  const deadline = deadlineOf(state);
  return deadline !== null && now >= deadline;
}

const noWaits: readonly Wait[] = [];

/** The open waits of a run, in the order in which they began. */
export function openWaits({ waits, openItems }: RunState): readonly Wait[] {
  if (openItems.size === 0) return noWaits;
  const open = [...openItems].flatMap((itemId) => waits?.get(itemId) ?? []);
  return open.map(({ kind, stepId, itemId, until }) => ({ kind, stepId, itemId, until }));
}

/** The first time at which an open wait ends by itself, in milliseconds since the epoch; null where none does. */
function firstDue({ waits, openItems }: RunState): number | null {
  let first: number | null = null;
  for (const itemId of openItems) {
    const dueAt = waits?.get(itemId)?.dueAt ?? null;
    if (dueAt !== null && (first === null || dueAt < first)) first = dueAt;
  }
  return first;
}
