import {
  addCount,
  type Counter,
  createMinuteTable,
  type MinuteCounts,
  minuteOf,
  namedCounts,
  noCounts,
} from '../../domain/stats/counters.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StatsStore } from '../../ports/storage/stats-store.ts';
import { type Change, type Place, type Store, type Table, write } from '../../ports/storage/store.ts';

/** All that one process has counted in a minute. */
interface MinuteRow {
  readonly process: string;
  /** When the minute begins, in milliseconds since the epoch. */
  readonly minute: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** The number of runs that a process runs now. */
interface RunningRow {
  readonly running: number;
  readonly until: number;
}

/** A day and an hour, in milliseconds. */
const RETENTION_MS = 25 * 3_600_000;

/** The counts of each process in each minute. */
const minutes: Table<MinuteRow> = {
  name: 'stats_minutes',
  texts: {},
  numbers: { minute: ({ minute }) => minute },
  expiresAt: ({ minute }) => minute + RETENTION_MS,
};

/** The processes that run something, by their ids. */
const processes: Table<RunningRow> = {
  name: 'stats_processes',
  texts: {},
  numbers: {},
  expiresAt: ({ until }) => until,
};

/** The tables of {@link createStats}. */
export const statsTables = [minutes, processes] as const;

/** Milliseconds between two writes. */
const WRITE_EVERY_MS = 2_000;

/** Milliseconds after which a process that does not say how many runs it runs is taken to be gone. */
const GONE_AFTER_MS = 15_000;

/** Rows that one command reads or writes. */
const ROWS_AT_ONCE = 500;

/**
 * Creates the counters of a process. Its own are in memory, for a day, also while the store is away; the store has
 * those of each process by itself, and they are added up where they are read. To write them again changes nothing.
 */
export function createStats({
  store,
  clock,
  processId,
  isAlone = false,
}: {
  readonly store: Store;
  readonly clock: Pick<Clock, 'after'>;
  readonly processId: string;
  /** True where no other process can use the store. */
  readonly isAlone?: boolean | undefined;
}): StatsStore & {
  /** Writes what is left, and says that no runs run here. Never rejects. */
  close(): Promise<void>;
} {
  const own = createMinuteTable();
  /** The begins of the minutes that the store does not have as they are. */
  const changed = new Set<number>();
  let running = 0;
  let saidRunning = 0;
  let cancelWrite: (() => void) | undefined;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  function changeOf(minute: number): readonly Change[] {
    const counts = own.get(minute);
    // Minutes that are no longer kept cannot be written.
    if (counts === undefined) return [];
    const row = { process: processId, minute, counts: namedCounts(counts) };
    return [write(minutes, `${minute} ${processId}`, row)];
  }

  async function writeChanged(): Promise<void> {
    do {
      const said = running;
      const taken = [...changed].slice(0, ROWS_AT_ONCE);
      for (const minute of taken) changed.delete(minute);
      const changes = taken.flatMap(changeOf);
      if (!isAlone && (said > 0 || saidRunning > 0)) {
        changes.push(write(processes, processId, { running: said, until: store.now() + GONE_AFTER_MS }));
      }
      try {
        if (changes.length > 0) await store.commit(changes);
        saidRunning = said;
      } catch {
        for (const minute of taken) changed.add(minute);
        return;
      }
    } while (changed.size > 0);
  }

  /** Runs are said again and again while they go on, because a process that is silent is taken to be gone. */
  function writeLater(): void {
    const mustSay = !isAlone && (running > 0 || saidRunning > 0);
    if (isClosed || (changed.size === 0 && !mustSay)) return;
    cancelWrite ??= clock.after(WRITE_EVERY_MS, () => {
      writing = writeChanged().then(() => {
        cancelWrite = undefined;
        writeLater();
      });
    });
  }

  /** The minutes of the other processes. */
  async function readOthers(from: number, until: number): Promise<readonly MinuteCounts[]> {
    const found: MinuteCounts[] = [];
    let after: Place | undefined;
    do {
      const request = { order: 'minute', between: { minute: { from, until } }, after, limit: ROWS_AT_ONCE };
      const rows = await store.range(minutes, request);
      for (const { row } of rows) if (row.process !== processId) found.push(toMinute(row));
      const last = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1);
      after = last && { value: last.row.minute, id: last.id };
    } while (after !== undefined);
    return found;
  }

  async function readRunning(): Promise<number> {
    if (isAlone) return running;
    const rows = await store.range(processes, { limit: ROWS_AT_ONCE });
    const others = rows.filter(({ id }) => id !== processId);
    return others.reduce((sum, { row }) => sum + row.running, running);
  }

  return {
    add(at, counter: Counter) {
      own.add(at, counter);
      changed.add(minuteOf(at));
      writeLater();
    },
    setRunning(runs) {
      running = runs;
      writeLater();
    },
    async read(from, until) {
      const [others, all] = await Promise.all([readOthers(from, until), readRunning()]);
      return { minutes: [...others, ...own.read(from, until)], running: all };
    },
    async close() {
      isClosed = true;
      cancelWrite?.();
      running = 0;
      await writing;
      await writeChanged();
    },
  };
}

/** Counters that this version does not know are left out. */
function toMinute({ minute, counts: named }: MinuteRow): MinuteCounts {
  const counts = noCounts();
  for (const [counter, count] of Object.entries(named)) addCount(counts, counter, count);
  return { at: minute, counts };
}
