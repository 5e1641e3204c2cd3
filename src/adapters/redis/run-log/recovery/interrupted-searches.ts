import { keepParked } from '../due/keep-parked.ts';
import { sweepUnclaimed, tellAll } from './orphan-searches.ts';
import type { RunSearches, RunSearchesParts } from './recovery.ts';

/**
 * Creates the searches of a store whose runs are not durable: a run stays listed under its replica, which is gone, until
 * its end is recorded.
 */
export function createInterruptedSearches(parts: RunSearchesParts): RunSearches {
  const { replicaId, times, keys, connection, writes, sessions, findings } = parts;
  /** The replicas of this version, and those of version 0.6. */
  const groups = [
    { replicas: keys.logReplicas, activeRuns: keys.activeLogs },
    { replicas: keys.replicas, activeRuns: keys.activeRuns },
  ];

  /** The signal of a run that is active in a replica, as JSON; undefined where it is not, or not any more. */
  function findActive(runId: string, owner: string, activeRuns: string): Promise<string | undefined> {
    const scriptKeys = [
      keys.runs + runId,
      activeRuns + owner,
      keys.signals + owner,
      keys.unclaimed,
      keys.due,
    ];
    return writes.run((client, deadline) => client.checkAbandoned(scriptKeys, [deadline, runId, owner]));
  }

  /** Tells of a run whose process is gone. True when the run is no longer active in it. */
  async function handOver(runId: string, owner: string, activeRuns: string): Promise<boolean> {
    const signal = await findActive(runId, owner, activeRuns);
    if (signal === undefined) return true;
    await findings.tell(runId, signal);
    return (await findActive(runId, owner, activeRuns)) === undefined;
  }

  return {
    async abandoned() {
      for (const { replicas, activeRuns } of groups) {
        for (let progress = true; progress; ) {
          progress = false;
          const found = await connection.run('EVALSHA', (client) =>
            client.findAbandonedRuns([replicas], [String(times.goneAfterMs), activeRuns]),
          );
          for (const { replicaId: owner, runIds } of found) {
            for (const runId of runIds) {
              if (await handOver(runId, owner, activeRuns)) progress = true;
            }
          }
        }
      }
    },
    async unknown() {
      const runIds = await connection.run('SMEMBERS', (client) =>
        client.sMembers(keys.activeLogs + replicaId),
      );
      for (const runId of runIds) {
        if (!sessions.has(runId)) await handOver(runId, replicaId, keys.activeLogs);
      }
    },
    async unclaimed() {
      // The replica that was told of the signals for a run that waits has not claimed it.
      await sweepUnclaimed(parts, times.unclaimedForMs, '1', async (runs) => {
        for (const run of runs) findings.tellSignals(...run);
      });
      // A replica whose runs are durable keeps the runs that wait for it from ever waiting for that long.
      const longMs = UNCLAIMED_FACTOR * times.unclaimedForMs;
      await sweepUnclaimed(parts, longMs, '0', (runs) => tellAll(parts, runs));
    },
    parked: () => keepParked(parts),
  };
}

/** How much longer a run waits for a claim before its end is recorded, where no replica has durable runs any more. */
const UNCLAIMED_FACTOR = 20;
