import type { CancelSignal, RunEvent, RunSignal } from '../../domain/run/events.ts';
import type { RunStatus, RunSummary } from '../../domain/run/run.ts';
import type { RunChange } from '../../domain/run/state.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { Page, PageRequest } from './record-store.ts';

/** A run that is to be created: its summary, the definition that it keeps, and the first events of its log. */
export interface NewRun {
  readonly summary: RunSummary;
  readonly definition: WorkflowDefinition;
  readonly events: readonly RunEvent[];
  /** True for a run that no process runs yet: the one that claims it does. False when absent. */
  readonly isUnclaimed?: boolean;
}

/** Everything stored about a run: the fold of its events is its record. */
export interface StoredRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly definition: WorkflowDefinition;
  readonly events: readonly RunEvent[];
}

/** A run that this process has claimed. */
export interface ClaimedRun {
  readonly run: StoredRun;
  /** True where the process that ran it before is gone without releasing it. */
  readonly crashed: boolean;
  /** The signals that wait: a request to cancel it first, then decisions in no order. */
  readonly signals: readonly RunSignal[];
}

/**
 * The outcome of an append. `conflict`: the log does not end with the expected event, because another process has
 * written to it, or this process ran the run and another one has claimed it since; nothing was written. `signalled`:
 * the append would end the run or let it wait, and a signal waits that must be handled first; nothing of this append
 * was written, and the listener has the signals. The end of a run is refused for a request to cancel it alone.
 */
export type AppendOutcome = 'appended' | 'conflict' | 'signalled';

/** The outcome of a signal: see {@link RunLog.signal}. */
export type SignalOutcome = 'sent' | 'refused' | 'ended' | undefined;

/** A run that somebody must look at: see `RunSummary.wakeAt`. */
export interface DueRun {
  readonly runId: string;
  readonly wakeAt: number;
}

/** The part of a log that was read. */
export interface RunEventPage {
  readonly events: readonly RunEvent[];
  /** The number of the last event of the log. */
  readonly lastSeq: number;
  /** True for an ended run. */
  readonly ended: boolean;
}

/** Which runs a listing shows; all of them when empty. */
export interface RunFilter {
  readonly statuses?: readonly RunStatus[] | undefined;
  /** Runs created at or after this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Runs created before this time, in milliseconds since the epoch. */
  readonly until?: number | undefined;
}

/** Which runs of all workflows a listing shows; all of them when empty. */
export interface RunListFilter extends RunFilter {
  /** Only the runs of this workflow, which may be unknown or deleted. */
  readonly workflowId?: string | undefined;
}

/** A part of a listing over all workflows that a caller requests. */
export interface CursorRequest {
  /** Maximum number of items, 1 to 200. */
  readonly limit: number;
  /** The `nextCursor` of the page before; the newest records when absent. */
  readonly cursor?: number | undefined;
}

/** A part of a listing, newest first. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null after the last one. */
  readonly nextCursor: number | null;
}

/** The notices that a process gets about runs. */
export interface RunListener {
  /**
   * A signal for a run that this process runs, or for one that nobody has claimed. It may come more than once.
   */
  onSignal(runId: string, signal: RunSignal): void;
  /**
   * Nobody runs a run that has not ended: its process is gone, or it waits for a claim for a long time. Resolves when
   * its end is recorded, or it is queued again. `signal` is a request to cancel it that waits, if there is one.
   */
  onAbandoned(runId: string, signal: CancelSignal | undefined): Promise<void>;
  /** Another process has claimed a run that this process runs: nothing that it appends is written any more. */
  onLost(runId: string): void;
}

/**
 * The logs of workflow runs, and their summaries. Whatever a member writes is written in one atomic step. Every member
 * rejects with `unavailable` within its command timeout when the store is unreachable.
 */
export interface RunLog {
  /**
   * Stores a new run, which this process runs from then on unless it has ended or is unclaimed; `get`, `read` and the
   * listings find it at once. Resolves to false for a run that is stored already, which stays as it is. The definition
   * is kept as long as one of its runs.
   */
  create(run: NewRun): Promise<boolean>;
  /**
   * Adds events after the event `expectedSeq`, and sets the changed members of the summary. Without events nothing
   * happens. A run that had ended is run by this process again. One that is WAITING after the append is run by no
   * process any more: it is not told to the listener as abandoned, and may be claimed. The request to cancel that waits
   * is removed with the event that records it, and a decision once its item is no longer in `waitingFor`. Unless runs
   * are durable in this store, it may return before the events of a run that continues are written: a conflict then
   * shows at a later append. Ignores unknown and evicted runs, with `appended`.
   */
  append(
    runId: string,
    expectedSeq: number,
    events: readonly RunEvent[],
    change: RunChange,
  ): Promise<AppendOutcome>;
  /**
   * Makes this process the one that runs a run which nobody runs: an unclaimed or released one, and one whose process
   * is gone, once the listener was told of that. Of several processes that try, one succeeds. Resolves to undefined for
   * a run that is run by a process, has ended, or is unknown. A process must not claim a run that it runs.
   */
  claim(runId: string): Promise<ClaimedRun | undefined>;
  /**
   * Gives up a run that this process runs, for another one to claim. Ignored for any other run. A WAITING one goes on
   * waiting.
   */
  release(runId: string): Promise<void>;
  /** A run with all events that were appended, or undefined. */
  get(runId: string): Promise<StoredRun | undefined>;
  /** At most `limit` events after the event `after`; undefined for an unknown run. */
  read(runId: string, after: number, limit: number): Promise<RunEventPage | undefined>;
  /**
   * Resolves once the log has an event after the event `after`, within a second of its append by any process; also when
   * the run has ended or is unknown, and when `signal` is aborted. Never rejects.
   */
  changed(runId: string, after: number, signal: AbortSignal): Promise<void>;
  /** The summary of a run, or undefined. */
  summary(runId: string): Promise<RunSummary | undefined>;
  /** Runs of one workflow, newest first, also after the definition is deleted. `total` counts what matches. */
  list(workflowId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>;
  /** Runs of all workflows, or of that of the filter, newest first. A cursor is valid with the filter of its page. */
  listAll(filter: RunListFilter, page: CursorRequest): Promise<CursorPage<RunSummary>>;
  /**
   * The ids of at most `limit` runs of a customer, in any order. The time does not depend on the number of other runs.
   */
  ofCustomer(customerId: string, limit: number): Promise<readonly string[]>;
  /**
   * Removes a run that has ended, with its log. Nothing readable of it stays in the store then, for a run of a customer
   * not even in unused parts of it. Resolves to false where there is none, or it has not ended.
   */
  delete(runId: string): Promise<boolean>;
  /**
   * Sends a signal to the process that runs a run; it gets it within five seconds, and this process gets it where none
   * does. Resolves to `ended` when the run has ended already, and to undefined when it is unknown. A further request to
   * cancel replaces the one that waits. A decision is `refused` unless its item is one of the stored `waitingFor`, and
   * no other decision about that item waits: of several, the first counts.
   */
  signal(runId: string, signal: RunSignal): Promise<SignalOutcome>;
  /**
   * At most `limit` runs whose stored `wakeAt` is before `before`, earliest first: WAITING runs that no process has
   * claimed, and ended ones.
   */
  due(before: number, limit: number): Promise<readonly DueRun[]>;
  /** Sets the `wakeAt` of an ended run to null. Ignored for any other run. */
  clearWake(runId: string): Promise<void>;
  /** Sets who is told about the runs of this process. Called once, before the first run. */
  listen(listener: RunListener): void;
}
