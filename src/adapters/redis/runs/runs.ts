import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RunStore } from '../../../ports/run-store.ts';
import type { Connection } from '../client/connection.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import type { Keys } from '../keys.ts';
import type { WriteBuffers } from '../write-buffers.ts';
import { createActiveRuns } from './active-runs.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { createRecovery, defaultRecoveryTimes, type RecoveryTimes } from './recovery.ts';
import { mergeChanges } from './run-encoding.ts';
import { createChangeWriter, createRunStore } from './run-store.ts';
import { createStoredRuns } from './stored-runs.ts';

/** Runs in the store, the heartbeat of this replica, and the recovery of the runs of others. */
export interface Runs {
  /** The store of all runs. */
  readonly store: RunStore;
  /** The heartbeat of this replica. */
  readonly heartbeat: Heartbeat;
  /** Called after every heartbeat that succeeded: looks for runs whose replica is gone. Never throws. */
  recover(): void;
  /** Whether the store has been available to this replica so long that replicas without a heartbeat are gone. */
  isStable(): boolean;
}

/** Options of {@link createRuns}. */
export interface RunsOptions {
  /** Retention of runs from their creation, in milliseconds. */
  readonly retentionMs: number;
  readonly recoveryTimes?: RecoveryTimes | undefined;
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run' | 'state'>;
  readonly writes: FencedWrites;
  readonly buffers: WriteBuffers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates {@link Runs} of a replica with a new id. */
export function createRuns(options: RunsOptions): Runs {
  const { retentionMs, keys, connection, writes, buffers, clock, logger } = options;
  const replicaId = `${hostname()}:${pid}:${randomUUID()}`;
  const active = createActiveRuns();
  const stored = createStoredRuns({ retentionMs, replicaId }, keys, connection, writes);
  const times = options.recoveryTimes ?? defaultRecoveryTimes;
  const recovery = createRecovery({ replicaId, times, keys, connection, stored, active, clock, logger });
  const heartbeat = createHeartbeat(replicaId, keys, { writes, recovery, clock });
  const buffer = buffers.create({
    write: createChangeWriter(stored, replicaId, active),
    merge: mergeChanges,
    onDropped: active.delete,
  });
  return {
    store: createRunStore(stored, buffer, active, () => connection.state === 'available'),
    heartbeat,
    recover: () => recovery.onHeartbeat(heartbeat.activeRuns),
    isStable: recovery.isStable,
  };
}
