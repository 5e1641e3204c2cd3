import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RunLog } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../client/connection.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import type { Subscriber } from '../client/subscriber.ts';
import type { Keys } from '../keys.ts';
import type { WriteBuffers } from '../write-buffers.ts';
import { createChanges } from './changes.ts';
import { createListings } from './listings.ts';
import { mergePending, type PendingAppends, writePending } from './pending-appends.ts';
import { createFindings } from './recovery/findings.ts';
import { createHeartbeat, type Heartbeat } from './recovery/heartbeat.ts';
import { createInterruptedSearches } from './recovery/interrupted-searches.ts';
import { createLostRuns } from './recovery/lost-runs.ts';
import { createOrphanSearches } from './recovery/orphan-searches.ts';
import { createRecovery, type RecoveryTimes } from './recovery/recovery.ts';
import { createRunLog, type ListenerSlot } from './run-log.ts';
import { createSessions } from './sessions.ts';
import { createStoredLogs } from './stored-log.ts';
import type { AppendReply } from './write-scripts.ts';

/** Logs of runs in the store, the heartbeat of this replica, and the recovery of the runs of others. */
export interface RunLogs {
  /** The log of all runs. */
  readonly log: RunLog;
  /** The heartbeat of this replica. */
  readonly heartbeat: Heartbeat;
  /** Called after every heartbeat that succeeded: looks for runs whose replica is gone. Never throws. */
  recover(): void;
  /** Whether the store has been available to this replica so long that replicas without a heartbeat are gone. */
  isStable(): boolean;
  /** Wakes everybody who waits for events. */
  close(): void;
}

/** Options of {@link createRunLogs}. */
export interface RunLogsOptions {
  /** Retention of runs from their creation, in milliseconds. */
  readonly retentionMs: number;
  readonly recoveryTimes: RecoveryTimes;
  /** See `RedisAdaptersOptions.durableRuns`. */
  readonly durableRuns: boolean;
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run' | 'state'>;
  readonly subscriber: Subscriber;
  readonly writes: FencedWrites;
  readonly buffers: WriteBuffers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates {@link RunLogs} of a replica with a new id. */
export function createRunLogs(options: RunLogsOptions): RunLogs {
  const { retentionMs, recoveryTimes: times, durableRuns, keys, connection, subscriber } = options;
  const { writes, buffers, clock, logger } = options;
  const replicaId = `${hostname()}:${pid}:${randomUUID()}`;
  const sessions = createSessions();
  const listener: ListenerSlot = { current: undefined };
  const stored = createStoredLogs(
    { retentionMs, replicaId, isFenced: durableRuns },
    keys,
    connection,
    writes,
  );
  const findings = createFindings({ listener, logger });
  const searchParts = { replicaId, retentionMs, times, keys, connection, writes, sessions, findings };
  const searches = durableRuns ? createOrphanSearches(searchParts) : createInterruptedSearches(searchParts);
  const recovery = createRecovery({ times, searches, sessions, listener, clock, logger });
  const lostRuns = createLostRuns({ replicaId, times, keys, connection, sessions, listener });
  const heartbeat = createHeartbeat(replicaId, keys, { writes, recovery, listener, clock });
  const changes = createChanges({ keys, connection, subscriber, sessions, clock });
  const buffer = buffers.create<PendingAppends, AppendReply>({
    async write(runId, pending) {
      const reply = await writePending(runId, pending, stored);
      const { session, appends } = pending;
      if (appends.at(-1)?.ends === true && session.ended && !session.lost) sessions.delete(runId);
      // Nobody appends to it any more. Where a signal waits, it is handed over to this replica.
      if (session.isReported && reply.outcome !== 'appended') sessions.delete(runId);
      return reply;
    },
    merge: mergePending,
    onDropped(runId) {
      const session = sessions.get(runId);
      if (session !== undefined) session.lost = true;
      sessions.delete(runId);
    },
  });
  const listings = createListings(retentionMs, keys, connection, buffer);
  const isAvailable = () => connection.state === 'available';
  const parts = {
    replicaId,
    keys,
    connection,
    writes,
    stored,
    buffer,
    sessions,
    listings,
    changes,
    listener,
  };
  return {
    log: createRunLog({ ...parts, isAvailable, durableRuns, logger }),
    heartbeat,
    recover() {
      if (durableRuns) void lostRuns.check(heartbeat);
      recovery.onHeartbeat(heartbeat.activeRuns);
    },
    isStable: recovery.isStable,
    close: changes.close,
  };
}
