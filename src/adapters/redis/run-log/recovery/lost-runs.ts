import type { Connection } from '../../client/connection.ts';
import type { Keys } from '../../keys.ts';
import type { ListenerSlot } from '../run-log.ts';
import type { Sessions } from '../sessions.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { RecoveryTimes } from './recovery.ts';

/** Notices that other replicas have taken over runs of this one, which was suspended for long. */
export interface LostRuns {
  /** Called after every heartbeat. Looks at all runs where one may be lost. Never rejects. */
  check(heartbeat: Pick<Heartbeat, 'activeRuns' | 'storeMs'>): Promise<void>;
}

/** What {@link createLostRuns} needs. */
export interface LostRunsParts {
  readonly replicaId: string;
  readonly times: Pick<RecoveryTimes, 'goneAfterMs'>;
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run'>;
  readonly sessions: Pick<Sessions, 'get' | 'staying' | 'delete'>;
  readonly listener: ListenerSlot;
}

/** Maximum number of runs that one command looks at. */
const BATCH = 500;

/** Creates {@link LostRuns}. */
export function createLostRuns(parts: LostRunsParts): LostRuns {
  const { replicaId, times, keys, connection, sessions, listener } = parts;
  let checkedMs: number | undefined;
  let isPending = false;

  /** Looks at runs that are active here. */
  async function look(runIds: readonly string[]): Promise<void> {
    const before = new Map(runIds.map((runId) => [runId, sessions.get(runId)]));
    const lost = await connection.run('EVALSHA', (client) =>
      client.findLostRuns([], [replicaId, keys.runs, ...runIds]),
    );
    for (const runId of lost) {
      const session = before.get(runId);
      const isSame = session !== undefined && sessions.get(runId) === session;
      // What ends or is released at this moment is not lost: its own reply will tell.
      if (!isSame || session.ended || session.isLeaving) continue;
      session.lost = true;
      sessions.delete(runId, session);
      listener.current?.onLost(runId);
    }
  }

  return {
    async check({ activeRuns, storeMs }) {
      const runIds = sessions.staying();
      const wasLate =
        storeMs !== undefined && checkedMs !== undefined && storeMs - checkedMs > times.goneAfterMs / 2;
      checkedMs = storeMs;
      if (wasLate) isPending = true;
      if (!isPending && activeRuns >= runIds.length) return;
      isPending = true;
      try {
        for (let first = 0; first < runIds.length; first += BATCH) {
          await look(runIds.slice(first, first + BATCH));
        }
        isPending = false;
      } catch {
        // It is repeated after the next heartbeat.
      }
    },
  };
}
