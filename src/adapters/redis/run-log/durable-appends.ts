import type { RunChange } from '../../../domain/run/state.ts';
import type { EncodedAppend } from './encoding.ts';
import type { Session, Sessions } from './sessions.ts';
import type { StoredLogs } from './stored-log.ts';
import type { AppendReply } from './write-scripts.ts';

/** What {@link createDurableAppends} needs. */
export interface DurableAppendsParts {
  readonly stored: Pick<StoredLogs, 'append'>;
  readonly sessions: Pick<Sessions, 'delete'>;
  readonly newToken: () => string;
}

/**
 * Creates the function that writes an append of a durable run, or one that lets a run wait, which is active here, after
 * the last event that its session knows, at once. It rejects with `StoreError` where the write failed, and may be
 * repeated then, with more events after the same ones: those that are stored already are not written twice. It must not
 * be called while `session.writing` is set.
 */
export function createDurableAppends({ stored, sessions, newToken }: DurableAppendsParts) {
  async function write(runId: string, append: EncodedAppend, session: Session): Promise<AppendReply> {
    const { events, change, ends, waits } = append;
    const { unsure } = session;
    // Other events than before get another token: should the earlier ones be stored, this append is a conflict.
    if (unsure !== undefined && !beginsWith(events, unsure)) session.token = undefined;
    session.token ??= newToken();
    const isChangeStored = session.change !== undefined && areEqual(session.change, change);
    session.unsure = events;
    session.change = undefined;
    session.isLeaving = ends || waits;
    const reply = await stored.append(runId, append, session.token, isChangeStored);
    settle(runId, session, append, reply);
    if (unsure === undefined) return reply;
    session.change = undefined;
    if (session.unsure === undefined) session.token = undefined;
    return reply;
  }

  function settle(runId: string, session: Session, append: EncodedAppend, reply: AppendReply): void {
    const { events, ends, waits, change } = append;
    session.unsure = undefined;
    session.isLeaving = false;
    switch (reply.outcome) {
      case 'conflict':
        session.lost = true;
        sessions.delete(runId, session);
        return;
      case 'signalled':
        if (reply.stored > 0) session.unsure = events.slice(0, reply.stored);
        return;
      default:
        session.lastSeq += events.length;
        session.change = change;
        session.ended = ends;
        if (ends || waits) sessions.delete(runId, session);
    }
  }

  return async (runId: string, append: EncodedAppend, session: Session): Promise<AppendReply> => {
    const writing = write(runId, append, session);
    session.writing = writing.catch(() => undefined);
    try {
      return await writing;
    } finally {
      session.writing = undefined;
    }
  };
}

function areEqual(one: RunChange, other: RunChange): boolean {
  return (
    one.status === other.status &&
    one.error === other.error &&
    one.output === other.output &&
    one.wakeAt === other.wakeAt &&
    one.startedAt === other.startedAt &&
    one.completedAt === other.completedAt &&
    one.durationMs === other.durationMs &&
    one.attempt === other.attempt &&
    one.recoveries === other.recoveries &&
    one.recoveriesWithoutProgress === other.recoveriesWithoutProgress &&
    one.gaveUp === other.gaveUp &&
    one.waitingFor.length === other.waitingFor.length &&
    one.waitingFor.every(({ itemId }, index) => itemId === other.waitingFor[index]?.itemId)
  );
}

function beginsWith(events: readonly string[], start: readonly string[]): boolean {
  return start.length <= events.length && start.every((json, index) => json === events[index]);
}
