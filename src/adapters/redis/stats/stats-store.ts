import { randomUUID } from 'node:crypto';
import {
  addCount,
  type Counts,
  MINUTE_MS,
  type MinuteCounts,
  minuteOf,
  namedCounts,
  noCounts,
} from '../../../domain/stats/counters.ts';
import { createMinuteTable } from '../../../domain/stats/minute-table.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { StatsReading, StatsStore } from '../../../ports/storage/stats-store.ts';
import type { RedisClient } from '../client/client.ts';
import type { Connection } from '../client/connection.ts';
import { throwUnavailable, toStoreError } from '../client/errors.ts';
import { parseStored } from '../client/stored-json.ts';
import type { Keys } from '../keys.ts';
import type { StoredMinute } from './stats-scripts.ts';

/** The counters of all replicas, and what writes those of this one. */
export interface RedisStatsStore extends StatsStore {
  /**
   * Writes what was counted since the last call, unless that was less than four seconds ago. Called with every heartbeat;
   * never rejects. What could not be written is written by a later call.
   */
  flush(client: RedisClient): Promise<void>;
  /** As `flush`, at once, and says that no runs are running here. Called at the shutdown. */
  flushLast(client: RedisClient): Promise<void>;
}

/** With a heartbeat each second, others read what was counted five seconds ago or before. */
const FLUSH_EVERY_MS = 4_000;

/** Milliseconds after which a replica that does not say how many runs it runs is taken to be gone. */
const GONE_AFTER_MS = 15_000;

/** A day and an hour. */
const RETENTION_MS = 25 * 3_600_000;

/** More minutes than are kept. */
const MAX_CHANGED = 3_000;

/** Minutes of one command: few enough that it does not hold up the store. */
const BATCH = 120;

/**
 * Creates the counters of a replica. Its own are in memory, for a day, also while the store is away; the store has those
 * of all replicas, each by itself, and they are added up where they are read.
 */
export function createRedisStatsStore(
  keys: Keys,
  connection: Pick<Connection, 'run'>,
  clock: Pick<Clock, 'monotonic'>,
): RedisStatsStore {
  const replicaId = randomUUID();
  const own = createMinuteTable();
  /** The begins of the minutes that the store does not have as they are. */
  let changed = new Set<number>();
  let running = 0;
  let saidRunning = 0;
  let nextFlush = Number.NEGATIVE_INFINITY;
  let flushing: Promise<void> | undefined;

  async function write(client: RedisClient, minutes: readonly number[]): Promise<void> {
    const said = running;
    const texts = minutes.flatMap((at) => {
      const counts = own.get(at);
      return counts === undefined ? [] : [String(at), toText(counts)];
    });
    const values = [replicaId, String(said), keys.stats, String(RETENTION_MS), ...texts];
    await client.writeStats([keys.statsRunning], values);
    saidRunning = said;
  }

  async function writeChanged(client: RedisClient): Promise<void> {
    const minutes = [...changed];
    changed = new Set();
    let written = 0;
    try {
      do {
        await write(client, minutes.slice(written, written + BATCH));
        written += BATCH;
      } while (written < minutes.length);
    } catch {
      // The connection reports the outage. To write minutes again that were written does no harm.
      for (const at of minutes.slice(written)) if (own.get(at) !== undefined) changed.add(at);
    }
  }

  async function flush(client: RedisClient): Promise<void> {
    // Runs that go on are said again and again, because replicas that are silent are taken to be gone.
    if (changed.size === 0 && running === 0 && saidRunning === 0) return;
    nextFlush = clock.monotonic() + FLUSH_EVERY_MS;
    flushing = writeChanged(client);
    await flushing;
    flushing = undefined;
  }

  /** What the other replicas have counted in some minutes. */
  function readOthers(minutes: readonly number[]): Promise<StatsReading> {
    const values = [replicaId, String(GONE_AFTER_MS), keys.stats, ...minutes.map(String)];
    return connection.run('EVALSHA', async (client) => {
      const reply = await client.readStats([keys.statsRunning], values);
      return { running: reply.running, minutes: reply.minutes.flatMap(parseMinute) };
    });
  }

  return {
    add(at, counter) {
      own.add(at, counter);
      changed.add(minuteOf(at));
      // Minutes that are no longer kept cannot be written.
      if (changed.size > MAX_CHANGED) changed = new Set([...changed].filter((minute) => own.get(minute)));
    },
    setRunning(runs) {
      running = runs;
    },
    async read(from, until) {
      const begins: number[] = [];
      for (let at = minuteOf(from + MINUTE_MS - 1); at < until; at += MINUTE_MS) begins.push(at);
      const minutes: MinuteCounts[] = [];
      let others = 0;
      for (let index = 0; index < begins.length; index += BATCH) {
        const part = await readOthers(begins.slice(index, index + BATCH)).catch((error: unknown) =>
          throwUnavailable(toStoreError(error)),
        );
        minutes.push(...part.minutes);
        others = part.running;
      }
      return { minutes: [...minutes, ...own.read(from, until)], running: others + running };
    },
    async flush(client) {
      if (flushing === undefined && clock.monotonic() >= nextFlush) await flush(client);
    },
    async flushLast(client) {
      running = 0;
      await flushing;
      await flush(client);
    },
  };
}

function toText(counts: Counts): string {
  const sum = Array.from(counts).reduce((total, count) => total + count, 0);
  return `${sum} ${JSON.stringify(namedCounts(counts))}`;
}

/** Nothing for what another program wrote. Counters that this version does not know are left out. */
function parseMinute({ at, text }: StoredMinute): readonly MinuteCounts[] {
  const named = parseStored<Readonly<Record<string, unknown>>>(
    text.slice(text.indexOf(' ') + 1),
    [],
    () => true,
  );
  if (named === undefined) return [];
  const counts = noCounts();
  for (const [counter, count] of Object.entries(named)) {
    if (typeof count === 'number' && count > 0) addCount(counts, counter, count);
  }
  return [{ at, counts }];
}
