import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RunListener } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../client/connection.ts';
import { toStoreError } from '../client/errors.ts';
import type { Keys } from '../keys.ts';
import { decodeSignal } from './encoding.ts';
import type { ListenerSlot } from './run-log.ts';
import type { Sessions } from './sessions.ts';

/** When a replica counts as gone. All values are in milliseconds. */
export interface RecoveryTimes {
  /** A replica without a heartbeat for this long is gone. */
  readonly goneAfterMs: number;
  /**
   * A replica checks others only after the store has been available to it for this long: right after an outage of the
   * store, the heartbeats of all replicas are old.
   */
  readonly stableForMs: number;
  /** Interval between two searches for runs of gone replicas. */
  readonly everyMs: number;
}

/** The default times. */
export const defaultRecoveryTimes: RecoveryTimes = {
  goneAfterMs: 20_000,
  stableForMs: 15_000,
  everyMs: 5_000,
};

/** Finds the runs of replicas that are gone, and tells the listener. */
export interface Recovery {
  /** Called when the store is or may have been unavailable: the time of `stableForMs` starts again. */
  resetStable(): void;
  /** Whether the store has been available to this replica for `stableForMs`. */
  isStable(): boolean;
  /** Called after every heartbeat, with how many runs the store lists as active in this replica. Never throws. */
  onHeartbeat(activeRuns: number): void;
}

/** Options of {@link createRecovery}. */
export interface RecoveryOptions {
  readonly replicaId: string;
  readonly times: RecoveryTimes;
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run'>;
  readonly sessions: Pick<Sessions, 'size' | 'has'>;
  readonly listener: ListenerSlot;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the recovery of the replica `replicaId`. It does nothing while nobody listens. */
export function createRecovery(options: RecoveryOptions): Recovery {
  const { replicaId, times, keys, connection, sessions, listener, clock, logger } = options;
  /** The replicas of this version, and those of version 0.6. */
  const groups = [
    { replicas: keys.logReplicas, activeRuns: keys.activeLogs },
    { replicas: keys.replicas, activeRuns: keys.activeRuns },
  ];
  let stableSince: number | undefined;
  let searchedAt = Number.NEGATIVE_INFINITY;
  let working = false;

  /** The signal of a run that is active in a replica, as JSON; undefined where it is not, or not any more. */
  function findActive(runId: string, owner: string, activeRuns: string): Promise<string | undefined> {
    const scriptKeys = [keys.runs + runId, activeRuns + owner];
    return connection.run('EVALSHA', (client) => client.checkAbandoned(scriptKeys, [runId, owner]));
  }

  /** Tells the listener of a run whose process is gone. True when the run is no longer active in it. */
  async function handOver(
    runId: string,
    owner: string,
    activeRuns: string,
    { onAbandoned }: RunListener,
  ): Promise<boolean> {
    const signal = await findActive(runId, owner, activeRuns);
    if (signal === undefined) return true;
    await onAbandoned(runId, decodeSignal(signal)).catch((error: unknown) => {
      const { reason } = toStoreError(error);
      logger.warn('the end of a run whose replica is gone was not recorded', { execution_id: runId, reason });
    });
    return (await findActive(runId, owner, activeRuns)) === undefined;
  }

  async function handOverAbandoned(current: RunListener): Promise<void> {
    for (const { replicas, activeRuns } of groups) {
      for (let progress = true; progress; ) {
        progress = false;
        const found = await connection.run('EVALSHA', (client) =>
          client.findAbandonedRuns([replicas], [String(times.goneAfterMs), activeRuns]),
        );
        for (const { replicaId: owner, runIds } of found) {
          for (const runId of runIds) {
            if (await handOver(runId, owner, activeRuns, current)) progress = true;
          }
        }
      }
    }
  }

  /** Hands over runs that the store lists as active here but are not: the reply to their write arrived too late. */
  async function handOverUnknown(current: RunListener): Promise<void> {
    const runIds = await connection.run('SMEMBERS', (client) => client.sMembers(keys.activeLogs + replicaId));
    for (const runId of runIds) {
      if (!sessions.has(runId)) await handOver(runId, replicaId, keys.activeLogs, current);
    }
  }

  function isStable(): boolean {
    return stableSince !== undefined && clock.monotonic() - stableSince >= times.stableForMs;
  }

  async function work(task: (current: RunListener) => Promise<void>): Promise<void> {
    if (working || listener.current === undefined) return;
    working = true;
    try {
      await task(listener.current);
    } catch (error) {
      logger.warn('interrupted runs could not be recorded yet', { reason: toStoreError(error).reason });
    } finally {
      working = false;
    }
  }

  return {
    resetStable() {
      stableSince = undefined;
    },
    isStable,
    onHeartbeat(activeRuns) {
      const now = clock.monotonic();
      stableSince ??= now;
      if (activeRuns > sessions.size) {
        void work(handOverUnknown);
        return;
      }
      if (!isStable() || now - searchedAt < times.everyMs) return;
      searchedAt = now;
      void work(handOverAbandoned);
    },
  };
}
