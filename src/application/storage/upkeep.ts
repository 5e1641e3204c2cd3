import type { Clock } from '../../ports/clock.ts';
import type { Store, TableShape } from '../../ports/storage/store.ts';

/** Milliseconds between the end of one upkeep and the next one. */
const INTERVAL_MS = 60_000;

/** Rows that one command removes. */
const LIMIT = 200;

/** Removes expired rows, at the start and then once a minute. */
export interface Upkeep {
  /** Removes all rows that have expired now. Never rejects. */
  run(): Promise<void>;
  /** Ends it. */
  close(): void;
}

/** Creates the upkeep of some tables, which begins in the next turn of the event loop. */
export function createUpkeep({
  store,
  clock,
  tables,
  more,
}: {
  readonly store: Pick<Store, 'removeExpired'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly tables: readonly TableShape[];
  /** Removes further records. */
  readonly more?: () => Promise<void>;
}): Upkeep {
  let isClosed = false;
  let running: Promise<void> | undefined;
  let cancel = clock.after(0, repeat);

  async function removeAll(): Promise<void> {
    for (const table of tables) {
      let removed = LIMIT;
      while (removed === LIMIT && !isClosed) removed = await store.removeExpired(table, LIMIT);
    }
    if (!isClosed) await more?.();
  }

  function run(): Promise<void> {
    running ??= removeAll()
      // The store tells of its outage itself, and the next run tries again.
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  function repeat(): void {
    void run().then(() => {
      if (!isClosed) cancel = clock.after(INTERVAL_MS, repeat);
    });
  }

  return {
    run,
    close() {
      isClosed = true;
      cancel();
    },
  };
}
