import { hasEnded } from '../../../domain/run/run.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { AppendOutcome, RunListener, RunLog } from '../../../ports/storage/run-log.ts';
import { StoreError, throwUnavailable, toUnavailable } from '../client/errors.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import type { Changes } from './changes.ts';
import { createClaims } from './claims.ts';
import { createDueRuns, type DueRunsParts } from './due/due-runs.ts';
import { createDurableAppends } from './durable-appends.ts';
import {
  decodeDefinition,
  decodeEvents,
  decodeSignals,
  decodeSummary,
  type EncodedAppend,
  encodeAppend,
  type StoredSignals,
} from './encoding.ts';
import type { Listings } from './listings.ts';
import { createTokens, type PendingAppends, pendingEntry, withPending } from './pending-appends.ts';
import type { Session, Sessions } from './sessions.ts';
import type { StoredLogs } from './stored-log.ts';
import type { AppendReply } from './write-scripts.ts';

/** What {@link createRunLog} is made of. */
export interface RunLogParts extends DueRunsParts {
  readonly replicaId: string;
  readonly stored: StoredLogs;
  readonly buffer: WriteBuffer<PendingAppends, AppendReply>;
  readonly sessions: Sessions;
  readonly listings: Listings;
  readonly changes: Changes;
  readonly listener: ListenerSlot;
  readonly isAvailable: () => boolean;
  /** Whether runs are durable: every append is written before it resolves. */
  readonly durableRuns: boolean;
  readonly logger: Logger;
}

/** Who is told about the runs of this process. */
export interface ListenerSlot {
  current: RunListener | undefined;
}

/**
 * Creates the log of runs. `create` rejects unless the run is stored. Appends of a run that is active here are written
 * in the background, and wait in the write buffer while the store is unavailable; the append of its end resolves once
 * all of its events are written, or a write has failed. Other appends, such as those that let a run wait, are written
 * at once, or reject; so are all of durable runs.
 */
export function createRunLog(parts: RunLogParts): RunLog {
  const { replicaId, stored, buffer, sessions, listings, changes, listener, isAvailable, durableRuns } =
    parts;
  const newToken = createTokens(replicaId);
  const writeDurably = createDurableAppends({ stored, sessions, newToken });

  function tellSignals(runId: string, stored: StoredSignals): void {
    for (const signal of decodeSignals(stored)) listener.current?.onSignal(runId, signal);
  }

  function outcomeOf(runId: string, { outcome, signals }: AppendReply): AppendOutcome {
    if (outcome === 'signalled') tellSignals(runId, signals);
    return outcome === 'conflict' || outcome === 'signalled' ? outcome : 'appended';
  }

  /** Appends to a run that is not active here. It is active afterwards where it had ended. */
  async function appendNow(runId: string, append: EncodedAppend): Promise<AppendOutcome> {
    const reply = await sessions.opening(runId, async () => {
      const replied = await stored.append(runId, append, newToken()).catch(throwUnavailable);
      if (replied.isActive) sessions.start(runId, append.expectedSeq + append.events.length);
      return replied;
    });
    return announced(runId, append, reply);
  }

  /** Wakes the waiters for an append that is written. */
  function announced(runId: string, append: EncodedAppend, reply: AppendReply): AppendOutcome {
    if (reply.outcome === 'appended') {
      changes.announce(runId, append.expectedSeq + append.events.length, append.ends);
    }
    return outcomeOf(runId, reply);
  }

  async function append(runId: string, encoded: EncodedAppend): Promise<AppendOutcome> {
    let session = sessions.get(runId);
    while (session?.writing !== undefined) {
      await session.writing;
      session = sessions.get(runId);
    }
    if (session === undefined) return appendNow(runId, encoded);
    if (session.lost) sessions.delete(runId);
    if (session.lost || session.lastSeq !== encoded.expectedSeq) return 'conflict';
    if (!durableRuns) return (encoded.waits ? park : appendLater)(runId, encoded, session);
    return appendDurably(runId, encoded, session);
  }

  async function appendDurably(
    runId: string,
    append: EncodedAppend,
    session: Session,
  ): Promise<AppendOutcome> {
    return announced(runId, append, await writeDurably(runId, append, session).catch(throwUnavailable));
  }

  /** Lets a run wait that is active here, once all before it is written: another replica may claim it then. */
  async function park(runId: string, append: EncodedAppend, session: Session): Promise<AppendOutcome> {
    await buffer.flush(runId);
    if (session.lost) sessions.delete(runId, session);
    if (session.lost || session.lastSeq !== append.expectedSeq) return 'conflict';
    if (buffer.pending(runId).length > 0) throw toUnavailable(new StoreError('disconnected', 'PENDING'));
    return appendDurably(runId, append, session);
  }

  /** Appends to a run that is active here, in the background. */
  async function appendLater(runId: string, append: EncodedAppend, session: Session): Promise<AppendOutcome> {
    const entry = pendingEntry(newToken(), session, append);
    if (!isAvailable() && !buffer.hasRoomFor(runId, entry)) {
      throw toUnavailable(new StoreError('disconnected', 'FULL'));
    }
    session.lastSeq += append.events.length;
    session.ended = append.ends;
    session.isReported = false;
    buffer.add(runId, entry);
    const flushed = buffer.flush(runId);
    changes.check(runId);
    if (!append.ends) return 'appended';
    const reply = await flushed;
    if (session.lost) sessions.delete(runId);
    session.isReported = reply === undefined;
    return reply === undefined ? 'appended' : outcomeOf(runId, reply);
  }

  return {
    async create(run) {
      const { runId, status } = run.summary;
      const { length } = run.events;
      const isUnclaimed = durableRuns && run.isUnclaimed === true;
      const isActive = !isUnclaimed && !hasEnded(status);
      return sessions.opening(runId, async () => {
        const created = await stored.create(run, isUnclaimed).catch(throwUnavailable);
        if (created && isActive) sessions.start(runId, length);
        return created;
      });
    },
    async append(runId, expectedSeq, events, change) {
      if (events.length === 0) return 'appended';
      return append(runId, encodeAppend(expectedSeq, events, change));
    },
    ...createClaims(parts),
    ...createDueRuns(parts),
    async get(runId) {
      const pending = buffer.pending(runId);
      const log = await stored.read(runId, 0, -1, true).catch(throwUnavailable);
      if (log === undefined) return undefined;
      const definition = decodeDefinition(log.definition);
      const events = decodeEvents(withPending(log, 0, pending, replicaId).events, 0);
      if (definition === undefined || events === undefined) return undefined;
      return { runId, workflowId: log.workflowId, definition, events };
    },
    async read(runId, after, limit) {
      const pending = buffer.pending(runId);
      // An index of -1 stands for the last event.
      const last = Math.max(after, after + limit - 1);
      const log = await stored.read(runId, after, last, false).catch(throwUnavailable);
      if (log === undefined) return undefined;
      const current = withPending(log, after, pending, replicaId);
      const events = decodeEvents(current.events.slice(0, limit), after);
      return events && { events, lastSeq: current.length, ended: current.ended };
    },
    changed: changes.changed,
    async summary(runId) {
      const pending = buffer.pending(runId);
      const found = await stored.summary(runId).catch(throwUnavailable);
      const summary = found && decodeSummary(runId, ...found);
      const change = pending.at(-1)?.appends.at(-1)?.change;
      return summary === undefined || hasEnded(summary.status) ? summary : { ...summary, ...change };
    },
    list: (workflowId, filter, page) => listings.list(workflowId, filter, page).catch(throwUnavailable),
    listAll: (filter, page) => listings.listAll(filter, page).catch(throwUnavailable),
    ofCustomer: (customerId, limit) => stored.ofCustomer(customerId, limit).catch(throwUnavailable),
    async delete(runId) {
      const deleted = await stored.delete(runId).catch(throwUnavailable);
      if (deleted) changes.announce(runId, 0, true);
      return deleted;
    },
    async signal(runId, signal) {
      const json = JSON.stringify(signal);
      const itemId = signal.type === 'cancel' ? undefined : signal.itemId;
      const copy = structuredClone(signal);
      const { outcome, owner, isParked } = await stored.signal(runId, json, itemId).catch(throwUnavailable);
      const isHere = owner === replicaId && sessions.has(runId);
      const isUnclaimed = isParked || (owner === '' && durableRuns);
      if (outcome === 'sent' && (isHere || isUnclaimed)) listener.current?.onSignal(runId, copy);
      return outcome === 'unknown' ? undefined : outcome;
    },
    listen(newListener) {
      listener.current = newListener;
    },
  };
}
