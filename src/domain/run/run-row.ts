import type { CancelSignal, RunEvent, RunSignal } from './events.ts';
import { hasEnded, type RunSummary } from './run.ts';
import type { RunChange } from './state.ts';

/**
 * A run as stores keep it: one row, beside the list of its events. The functions of this file decide every change of
 * it, whatever the store.
 */
export interface RunRow {
  /** The members of its summary that never change, without its input. */
  readonly head: Omit<RunSummary, keyof RunChange | 'input'>;
  /** Those that an append changes. */
  readonly state: RunChange;
  /** The number of its last event. */
  readonly lastSeq: number;
  /** The process that runs it; null for none. */
  readonly owner: string | null;
  /** True where an owner is gone without having released it, and no other one has appended to it since. */
  readonly crashed: boolean;
  /** The signals to be handled: at most one request to cancel it, first, and one decision for each item. */
  readonly signals: readonly RunSignal[];
  /** The place of the definition that it keeps. */
  readonly definition: string;
  /** From when it may be claimed while it has no owner and does not wait, in milliseconds since the epoch. */
  readonly freeAt: number;
  /** When it expires, in milliseconds since the epoch; null while it has not ended. */
  readonly keptUntil: number | null;
  /** The mark of its last append, by which a process finds its own where the reply to it was lost; null for none. */
  readonly mark: string | null;
}

/** The process that changes a row, and the time. */
export interface RowContext {
  /** The process. */
  readonly self: string;
  /** In milliseconds since the epoch, by the clock of the store. */
  readonly now: number;
  /** Milliseconds for which a run is kept after its creation once it has ended. */
  readonly retentionMs: number;
}

/** A new run. `isUnclaimed`: it has no owner yet. */
export function newRow(
  summary: RunSummary,
  {
    lastSeq,
    definition,
    isUnclaimed,
  }: Pick<RunRow, 'lastSeq' | 'definition'> & { readonly isUnclaimed: boolean },
  context: RowContext,
): RunRow {
  const { input: _, status, error, output, startedAt, completedAt, durationMs, ...rest } = summary;
  const { attempt, recoveries, recoveriesWithoutProgress, gaveUp, waitingFor, wakeAt, ...head } = rest;
  const ended = hasEnded(status);
  return {
    head,
    state: {
      status,
      error,
      output,
      startedAt,
      completedAt,
      durationMs,
      attempt,
      recoveries,
      recoveriesWithoutProgress,
      ...(gaveUp && { gaveUp }),
      waitingFor,
      wakeAt,
    },
    lastSeq,
    owner: ended || isUnclaimed ? null : context.self,
    crashed: false,
    signals: [],
    definition,
    freeAt: context.now,
    keptUntil: ended ? keptUntil(head.createdAt, context) : null,
    mark: null,
  };
}

/** The summary of a run with that input. */
export function summaryOfRow({ head, state }: RunRow, input: RunSummary['input']): RunSummary {
  return { ...head, ...state, input };
}

/** An append to a row: its events and the changed members of its summary. */
export interface RowAppend {
  readonly expectedSeq: number;
  readonly events: readonly RunEvent[];
  readonly change: RunChange;
  /** True where the process that appends has owned the run until now, as far as it knows. */
  readonly isOwned: boolean;
  readonly mark: string;
}

/** The outcome of an append: the row as it is then, or the reason why nothing may be written. */
export type RowAppendOutcome =
  | { readonly outcome: 'appended'; readonly row: RunRow }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'signalled'; readonly signals: readonly RunSignal[] };

/**
 * Appends. `conflict` where the log does not end with the expected event, another process owns the run, the process
 * owns it no longer, or it waits and the process has not claimed it. `signalled` where it would end, or wait, and a
 * signal must be handled first. A run that had ended is owned by the process from then on, and one that waits by
 * nobody.
 */
export function append(
  row: RunRow,
  { expectedSeq, events, change, isOwned, mark }: RowAppend,
  context: RowContext,
): RowAppendOutcome {
  const isOwner = row.owner === context.self;
  const isLost = !isOwner && (isOwned || row.owner !== null);
  const isUnclaimed = row.state.status === 'WAITING' && !isOwner;
  if (row.lastSeq !== expectedSeq || isLost || isUnclaimed) return { outcome: 'conflict' };
  const signals = remainingSignals(row.signals, events, change);
  const waits = change.status === 'WAITING';
  const ended = hasEnded(change.status);
  if (signals.some(({ type }) => waits || (ended && type === 'cancel')))
    return { outcome: 'signalled', signals };
  const reopened = hasEnded(row.state.status) && !ended;
  const next: RunRow = {
    ...row,
    state: change,
    lastSeq: expectedSeq + events.length,
    owner: waits || ended ? null : reopened ? context.self : row.owner,
    // The appends of a process that has lost a run tell nothing of the steps that were under way.
    crashed: row.crashed && !isOwner && !ended && !reopened,
    signals: ended ? [] : signals,
    freeAt: context.now,
    keptUntil: ended ? keptUntil(row.head.createdAt, context) : null,
    mark,
  };
  return { outcome: 'appended', row: next };
}

/** The signals that wait after an append: a cancel until it is recorded, a decision while its item is awaited. */
function remainingSignals(
  signals: readonly RunSignal[],
  events: readonly RunEvent[],
  { waitingFor }: RunChange,
): readonly RunSignal[] {
  if (signals.length === 0) return signals;
  const recordsCancel = events.some(({ type }) => type === 'execution.cancel_requested');
  return signals.filter((signal) =>
    signal.type === 'cancel' ? !recordsCancel : waitingFor.some(({ itemId }) => itemId === signal.itemId),
  );
}

/**
 * Ended runs are kept from their creation; from their end where they took more than half of that time.
 */
function keptUntil(createdAt: string, { now, retentionMs }: RowContext): number {
  const created = Date.parse(createdAt);
  return (now - created > retentionMs / 2 ? now : created) + retentionMs;
}

/** A claimed run, and whether its last owner is gone without having released it. */
export interface RowClaim {
  readonly row: RunRow;
  readonly crashed: boolean;
}

/**
 * Makes the process the owner; undefined where it has ended, or another process owns it. `isGone`: whether the present
 * owner is known to be gone.
 */
export function claim(row: RunRow, isGone: boolean, { self }: RowContext): RowClaim | undefined {
  if (hasEnded(row.state.status)) return undefined;
  const { owner } = row;
  if (owner !== null && owner !== self && !isGone) return undefined;
  const crashed = row.crashed || (owner !== null && owner !== self);
  return { row: { ...row, owner: self, crashed }, crashed };
}

/** Gives up a run of the process; undefined where it is not its owner. */
export function release(row: RunRow, { self, now }: RowContext): RunRow | undefined {
  return row.owner === self ? { ...row, owner: null, freeAt: now } : undefined;
}

/** Takes a run from an owner that is gone; undefined where that is not its owner any more. */
export function takeFrom(row: RunRow, gone: string, { now }: RowContext): RunRow | undefined {
  return row.owner === gone ? { ...row, owner: null, crashed: true, freeAt: now } : undefined;
}

/**
 * Adds a signal. `ended` where the run has ended; `refused` for a decision about an item that is not awaited, or about
 * which another one waits. A further request to cancel replaces the one that waits.
 */
export function signal(row: RunRow, added: RunSignal): RunRow | 'ended' | 'refused' {
  if (hasEnded(row.state.status)) return 'ended';
  if (added.type === 'cancel') {
    return { ...row, signals: [added, ...row.signals.filter(({ type }) => type !== 'cancel')] };
  }
  const { itemId } = added;
  const isAwaited = row.state.waitingFor.some((wait) => wait.itemId === itemId);
  const isAnswered = row.signals.some((other) => other.type === 'resolve' && other.itemId === itemId);
  return isAwaited && !isAnswered ? { ...row, signals: [...row.signals, added] } : 'refused';
}

/** The row of an ended run that needs no check any more; undefined where nothing changes. */
export function clearWake(row: RunRow): RunRow | undefined {
  if (!hasEnded(row.state.status) || row.state.wakeAt === null) return undefined;
  return { ...row, state: { ...row.state, wakeAt: null } };
}

/** The request to cancel that waits; undefined for none. */
export function cancelOf({ signals }: RunRow): CancelSignal | undefined {
  return signals.find((waiting) => waiting.type === 'cancel');
}

/**
 * The phase of a run without an owner: `free` to be claimed, or `due`, when its wait ends by itself, or its parent must
 * be notified of its end. Null for a run that a process owns, and for one that needs none.
 */
export function phaseOf({ owner, state }: RunRow): 'free' | 'due' | null {
  if (state.status === 'WAITING' || hasEnded(state.status)) {
    return owner === null && state.wakeAt !== null ? 'due' : null;
  }
  return owner === null ? 'free' : null;
}

/** From when a process must check a run without an owner: see {@link phaseOf}. Null for never. */
export function availableAt(row: RunRow): number | null {
  const phase = phaseOf(row);
  return phase === null ? null : phase === 'due' ? row.state.wakeAt : row.freeAt;
}
