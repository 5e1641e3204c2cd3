import { keepParked } from '../due/keep-parked.ts';
import type { OrphanedRun } from './orphan-scripts.ts';
import type { RunSearches, RunSearchesParts } from './recovery.ts';

/** Maximum number of runs that one command looks at. */
const BATCH = 200;

/** Maximum number of commands of one search for the runs of replicas that are gone; the next one goes on. */
const MAX_COMMANDS = 5_000;

/** Maximum number of runs that one search for unclaimed runs finds. */
const MAX_UNCLAIMED = 1_000;

/**
 * Creates the searches of a store whose runs are durable: what nobody runs waits for a claim, and the listener is told.
 */
export function createOrphanSearches(parts: RunSearchesParts): RunSearches {
  const { replicaId, times, keys, connection, writes, sessions } = parts;
  /** The replicas of this version, and those of version 0.6. */
  const groups = [
    { replicas: keys.logReplicas, active: keys.activeLogs },
    { replicas: keys.replicas, active: keys.activeRuns },
  ];

  return {
    async abandoned() {
      for (const { replicas, active } of groups) {
        const values = [String(times.goneAfterMs), String(BATCH), active, keys.runs, keys.signals];
        for (let command = 0, hasMore = true; hasMore && command < MAX_COMMANDS; command++) {
          const found = await connection.run('EVALSHA', (client) =>
            client.moveAbandonedRuns([replicas, keys.unclaimed, keys.due], values),
          );
          await tellAll(parts, found.runs);
          hasMore = found.hasMore;
        }
      }
    },
    async unknown() {
      const active = keys.activeLogs + replicaId;
      const listed = await connection.run('SMEMBERS', (client) => client.sMembers(active));
      const scriptKeys = [active, keys.signals + replicaId, keys.unclaimed, keys.due];
      for (let first = 0; first < listed.length; first += BATCH) {
        const unknown = listed.slice(first, first + BATCH).filter((runId) => !sessions.has(runId));
        if (unknown.length === 0) continue;
        const found = await writes.run((client, deadline) =>
          client.moveUnknownRuns(scriptKeys, [deadline, replicaId, keys.runs, ...unknown]),
        );
        await tellAll(parts, found);
      }
    },
    unclaimed: () => sweepUnclaimed(parts, times.unclaimedForMs, '', (runs) => tellAll(parts, runs)),
    parked: () => keepParked(parts),
  };
}

/**
 * Finds runs that wait for a claim for longer than `unclaimedForMs` milliseconds, and tells of them. `which`: see
 * `sweepUnclaimedRuns`.
 */
export async function sweepUnclaimed(
  { keys, connection }: Pick<RunSearchesParts, 'keys' | 'connection'>,
  unclaimedForMs: number,
  which: '' | '0' | '1',
  tell: (runs: readonly OrphanedRun[]) => Promise<void>,
): Promise<void> {
  const values = [String(unclaimedForMs), String(BATCH), keys.runs, which];
  for (let swept = 0; swept < MAX_UNCLAIMED; swept += BATCH) {
    const found = await connection.run('EVALSHA', (client) =>
      client.sweepUnclaimedRuns([keys.unclaimed], values),
    );
    await tell(found.runs);
    if (!found.hasMore) return;
  }
}

/** Tells of runs that nobody runs. */
export async function tellAll(
  { findings }: Pick<RunSearchesParts, 'findings'>,
  runs: readonly OrphanedRun[],
): Promise<void> {
  await Promise.all(runs.map(([runId, { cancel }]) => findings.tell(runId, cancel)));
}
