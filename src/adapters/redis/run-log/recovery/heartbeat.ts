import type { Clock } from '../../../../ports/clock.ts';
import type { RedisClient } from '../../client/client.ts';
import type { FencedWrites } from '../../client/fenced-writes.ts';
import type { Keys } from '../../keys.ts';
import { decodeSignals } from '../encoding.ts';
import type { ListenerSlot } from '../run-log.ts';
import type { Recovery } from './recovery.ts';

/** The heartbeat of this replica in the store. It is a write, so it shows whether the store accepts writes. */
export interface Heartbeat {
  /**
   * Sends one heartbeat, and passes on the signals that wait; rejects where the store does not accept it. `isNew` is true
   * for a new connection.
   */
  send(client: RedisClient, isNew: boolean): Promise<void>;
  /** How many runs the store listed as active in this replica at the last heartbeat. */
  readonly activeRuns: number;
  /** The store's time of the last heartbeat, in milliseconds; undefined before the first. */
  readonly storeMs: number | undefined;
  /** Deregisters this replica: the other replicas may end its active runs at once. */
  stop(client: RedisClient): Promise<void>;
}

/** A slower reply, in milliseconds, means that the store was unavailable in the meantime. */
const MAX_REPLY_MS = 1_000;

/** Creates the heartbeat of `replicaId`. It reports the store's time to `writes`, and failures to `recovery`. */
export function createHeartbeat(
  replicaId: string,
  keys: Keys,
  { writes, recovery, listener, clock }: HeartbeatDependencies,
): Heartbeat {
  const replicaKeys = [keys.logReplicas, keys.activeLogs + replicaId];
  let activeRuns = 0;
  let storeMs: number | undefined;
  return {
    get activeRuns() {
      return activeRuns;
    },
    get storeMs() {
      return storeMs;
    },
    async send(client, isNew) {
      if (isNew) recovery.resetStable();
      try {
        const sentAt = clock.monotonic();
        const reply = await client.sendHeartbeat(
          [...replicaKeys, keys.signals + replicaId],
          [replicaId, keys.runs],
        );
        const receivedAt = clock.monotonic();
        if (receivedAt - sentAt > MAX_REPLY_MS) recovery.resetStable();
        writes.observeTime(reply.storeMs, receivedAt);
        ({ activeRuns, storeMs } = reply);
        for (const [runId, stored] of reply.signals) {
          for (const signal of decodeSignals(stored)) listener.current?.onSignal(runId, signal);
        }
      } catch (error) {
        recovery.resetStable();
        throw error;
      }
    },
    async stop(client) {
      await client.deregisterReplica(replicaKeys, [replicaId]);
    },
  };
}

interface HeartbeatDependencies {
  readonly writes: Pick<FencedWrites, 'observeTime'>;
  readonly recovery: Pick<Recovery, 'resetStable'>;
  readonly listener: ListenerSlot;
  readonly clock: Pick<Clock, 'monotonic'>;
}
