import { interruptRun } from '../../../domain/run/run.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Connection } from '../client/connection.ts';
import { toStoreError } from '../client/errors.ts';
import type { Keys } from '../keys.ts';
import type { ActiveRuns } from './active-runs.ts';
import { encodeChange } from './run-encoding.ts';
import type { StoredRuns } from './stored-runs.ts';

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

/** Ends the runs of replicas that are gone: they are recorded as interrupted, and never run again. */
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
  readonly stored: StoredRuns;
  readonly active: ActiveRuns;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the recovery of the replica `replicaId`. */
export function createRecovery(options: RecoveryOptions): Recovery {
  const { replicaId, times, keys, connection, stored, active, clock, logger } = options;
  let stableSince: number | undefined;
  let searchedAt = Number.NEGATIVE_INFINITY;
  let working = false;

  async function interrupt(runId: string, owner: string): Promise<void> {
    const run = await stored.get(runId);
    if (run === undefined) {
      await connection.run('SREM', (client) => client.sRem(keys.activeRuns + owner, runId));
      return;
    }
    const at = new Date(clock.now()).toISOString();
    const outcome = await stored.save(runId, encodeChange(interruptRun(run, at)).item, owner);
    if (outcome === 'saved') {
      logger.warn('a run was recorded as interrupted, because its replica is gone', { execution_id: runId });
    }
  }

  async function interruptAbandoned(): Promise<void> {
    const values = [String(times.goneAfterMs), keys.activeRuns];
    for (;;) {
      const abandoned = await connection.run('EVALSHA', (client) =>
        client.findAbandoned([keys.replicas], values),
      );
      if (abandoned.length === 0) return;
      for (const { replicaId: owner, runIds } of abandoned) {
        for (const runId of runIds) await interrupt(runId, owner);
      }
    }
  }

  /** Ends runs that the store lists as active here but are not: the reply to their creation arrived after the timeout. */
  async function interruptUnknown(): Promise<void> {
    const runIds = await connection.run('SMEMBERS', (client) => client.sMembers(keys.activeRuns + replicaId));
    for (const runId of runIds) if (!active.has(runId)) await interrupt(runId, replicaId);
  }

  function isStable(): boolean {
    return stableSince !== undefined && clock.monotonic() - stableSince >= times.stableForMs;
  }

  async function work(task: () => Promise<void>): Promise<void> {
    if (working) return;
    working = true;
    try {
      await task();
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
      if (activeRuns > active.size) {
        void work(interruptUnknown);
        return;
      }
      if (!isStable() || now - searchedAt < times.everyMs) return;
      searchedAt = now;
      void work(interruptAbandoned);
    },
  };
}
