import type { Clock } from '../../../../ports/clock.ts';
import type { Logger } from '../../../../ports/logger.ts';
import type { Connection } from '../../client/connection.ts';
import { toStoreError } from '../../client/errors.ts';
import type { FencedWrites } from '../../client/fenced-writes.ts';
import type { Keys } from '../../keys.ts';
import type { ListenerSlot } from '../run-log.ts';
import type { Sessions } from '../sessions.ts';
import type { Findings } from './findings.ts';

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
  /** A run that waits for a claim for this long may have been forgotten. */
  readonly unclaimedForMs: number;
}

/** The default times. */
export const defaultRecoveryTimes: RecoveryTimes = {
  goneAfterMs: 20_000,
  stableForMs: 15_000,
  everyMs: 5_000,
  unclaimedForMs: 15_000,
};

/** Searches for runs that nobody runs, each of which ends once the listener was told of what it found. */
export interface RunSearches {
  /** Runs of replicas that are gone. */
  abandoned(): Promise<void>;
  /** Runs that the store lists as active here but are not: the reply to their write arrived too late. */
  unknown(): Promise<void>;
  /** Runs that wait for a claim for long. */
  unclaimed(): Promise<void>;
  /** Keeps runs that wait from expiring, and tells nobody. */
  parked(): Promise<void>;
}

/** What {@link RunSearches} are made of. */
export interface RunSearchesParts {
  readonly replicaId: string;
  /** Retention of runs, in milliseconds. */
  readonly retentionMs: number;
  readonly times: RecoveryTimes;
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run'>;
  readonly writes: Pick<FencedWrites, 'run'>;
  readonly sessions: Pick<Sessions, 'has'>;
  readonly findings: Findings;
}

/** Finds the runs that nobody runs, and tells the listener. */
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
  readonly times: RecoveryTimes;
  readonly searches: RunSearches;
  readonly sessions: Pick<Sessions, 'size'>;
  readonly listener: ListenerSlot;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the recovery of this replica. It does nothing while nobody listens. */
export function createRecovery(options: RecoveryOptions): Recovery {
  const { times, searches, sessions, listener, clock, logger } = options;
  let stableSince: number | undefined;
  /** When the last searches began. */
  const never = Number.NEGATIVE_INFINITY;
  const searchedAt = { unclaimed: never, abandoned: never, parked: never };
  let working = false;

  function isStable(): boolean {
    return stableSince !== undefined && clock.monotonic() - stableSince >= times.stableForMs;
  }

  async function searchIfDue(search: keyof typeof searchedAt): Promise<void> {
    const now = clock.monotonic();
    if (now - searchedAt[search] < times.everyMs) return;
    searchedAt[search] = now;
    await searches[search]();
  }

  async function work(hasUnknown: boolean): Promise<void> {
    working = true;
    try {
      if (hasUnknown) await searches.unknown();
      if (isStable()) await searchIfDue('abandoned');
      await searchIfDue('unclaimed');
      await searchIfDue('parked');
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
      stableSince ??= clock.monotonic();
      if (!working && listener.current !== undefined) void work(activeRuns > sessions.size);
    },
  };
}
