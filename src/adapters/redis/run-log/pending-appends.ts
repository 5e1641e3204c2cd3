import { hasEnded } from '../../../domain/run/run.ts';
import type { Entry } from '../write-buffer.ts';
import type { EncodedAppend } from './encoding.ts';
import type { StoredLog } from './read-scripts.ts';
import type { Session } from './sessions.ts';
import type { StoredLogs } from './stored-log.ts';
import type { AppendReply } from './write-scripts.ts';

/** Appends of one run that wait to be written, in order. */
export interface PendingAppends {
  /** The same for every attempt to write them. */
  readonly token: string;
  readonly session: Session;
  readonly appends: EncodedAppend[];
}

/** Maximum length of the events in one command, in characters; a larger append is one command all the same. */
const MAX_COMMAND_LENGTH = 1_048_576;

/** An entry of the write buffer with one append. */
export function pendingEntry(token: string, session: Session, append: EncodedAppend): Entry<PendingAppends> {
  return { item: { token, session, appends: [append] }, bytes: 512 + 2 * lengthOf(append) };
}

/** Adds later appends to earlier ones, and returns these. */
export function mergePending(older: PendingAppends, newer: PendingAppends): PendingAppends {
  older.appends.push(...newer.appends);
  return older;
}

/** The reply where nothing was written. */
const noReply: AppendReply = {
  outcome: 'conflict',
  signals: { cancel: '', decisions: '' },
  isActive: false,
  stored: 0,
};

/**
 * Writes appends with as few commands as possible: an append that ends the run is a command of its own, because a signal
 * may refuse it alone. What was refused is removed from `pending`.
 */
export async function writePending(
  runId: string,
  pending: PendingAppends,
  stored: Pick<StoredLogs, 'append'>,
): Promise<AppendReply> {
  const { session, appends, token } = pending;
  let reply = noReply;
  for (let next = 0; next < appends.length && !session.lost; ) {
    const group = groupFrom(appends, next);
    reply = await stored.append(runId, group.append, token);
    if (reply.outcome === 'signalled') {
      if (session.isReported) await writeWithoutEnd(runId, group.append, token, stored);
      session.lastSeq = group.append.expectedSeq;
      session.ended = false;
      appends.length = next;
      return reply;
    }
    if (reply.outcome === 'conflict') session.lost = true;
    next = group.end;
  }
  if (!session.lost) return reply;
  appends.length = 0;
  return noReply;
}

/** Writes what an append that was refused has beside the end of the run, such as the ends of its last steps. */
async function writeWithoutEnd(
  runId: string,
  append: EncodedAppend,
  token: string,
  stored: Pick<StoredLogs, 'append'>,
): Promise<void> {
  const events = append.events.slice(0, -1);
  if (events.length === 0) return;
  const status = 'RUNNING' as const;
  const change = { ...append.change, status, error: null, completedAt: null, durationMs: null };
  await stored.append(runId, { ...append, events, change, ends: false }, token);
}

/** As many appends from index `first` on as fit into one command, and the index after them. */
function groupFrom(appends: readonly EncodedAppend[], first: number): { append: EncodedAppend; end: number } {
  const group: EncodedAppend[] = [];
  let length = 0;
  for (const append of appends.slice(first)) {
    length += lengthOf(append);
    const isApart = leaves(append) || leaves(group.at(-1)) || length > MAX_COMMAND_LENGTH;
    if (group.length > 0 && isApart) break;
    group.push(append);
  }
  const append = group.reduce((older, newer) => ({
    ...newer,
    expectedSeq: older.expectedSeq,
    events: older.events.concat(newer.events),
    handlesSignal: older.handlesSignal || newer.handlesSignal,
  }));
  return { append, end: first + group.length };
}

/** Whether an append ends a run, or lets it wait: a signal may refuse it. */
function leaves(append: EncodedAppend | undefined): boolean {
  return append !== undefined && (append.ends || append.waits);
}

function lengthOf({ events }: EncodedAppend): number {
  return events.reduce((sum, json) => sum + json.length, 0);
}

/** A log with the events that wait in the write buffer. */
export interface CurrentLog {
  /** Number of events of the log. */
  readonly length: number;
  readonly ended: boolean;
  /** The events that were requested, as JSON. */
  readonly events: readonly string[];
}

/**
 * A log that was read from index `first` on, with the appends that wait in the replica `replicaId`. They are left out
 * where another process has written to the log meanwhile.
 */
export function withPending(
  { status: storedStatus, length: storedLength, events: storedEvents, writer }: StoredLog,
  first: number,
  pending: readonly PendingAppends[],
  replicaId: string,
): CurrentLog {
  const events = [...storedEvents];
  let status = storedStatus;
  let length = storedLength;
  for (const { expectedSeq, events: added, change } of pending.flatMap(({ appends }) => appends)) {
    if (expectedSeq > length || (expectedSeq < length && !isWriter(replicaId, writer))) break;
    const end = expectedSeq + added.length;
    if (end <= length) continue;
    events.push(...added.slice(Math.max(length, first) - expectedSeq));
    length = end;
    status = change.status;
  }
  return { length, ended: hasEnded(status), events };
}

/** Creates the source of tokens of the replica `replicaId`. */
export function createTokens(replicaId: string): () => string {
  let count = 0;
  return () => {
    count++;
    return `${replicaId}#${count}`;
  };
}

const isWriter = (replicaId: string, token: string): boolean => token.startsWith(`${replicaId}#`);
