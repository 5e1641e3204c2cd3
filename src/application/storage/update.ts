import { unavailable } from '../../domain/errors.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Change, Notice, Store } from '../../ports/storage/store.ts';

/** A decision that was made after the rows were read. */
export interface Decision<T> {
  /** Nothing is committed where there are none. */
  readonly changes: readonly Change[];
  readonly notices?: readonly Notice[] | undefined;
  readonly result: T;
  /** Called with the new versions of the rows once they are written. */
  readonly onWritten?: ((versions: readonly number[]) => void) | undefined;
}

/** The dependencies of stored records. */
export interface StorageParts extends Pick<Ports, 'clock' | 'random'> {
  readonly store: Store;
}

/** The maximum number of attempts to decide a change, because others have changed its rows in between. */
const MAX_ATTEMPTS = 100;

/** The first attempts follow at once; later ones wait for up to this long, and twice as long each, in milliseconds. */
const AT_ONCE = 2;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 64;

/**
 * Decides and commits. Where something has changed since `decide` has read it, it decides again: `decide`, which is
 * given the number of the attempt from 0 on, reads whatever it decides by, and changes nothing. Of many callers none
 * starves, because each waits for a random while. Rejects with `unavailable` after a hundred attempts.
 */
export async function update<T>(
  { store, clock, random }: StorageParts,
  decide: (attempt: number) => Promise<Decision<T>>,
): Promise<T> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { changes, notices, result, onWritten } = await decide(attempt);
    if (changes.length === 0) return result;
    const versions = await store.commit(changes, notices);
    if (versions !== undefined) {
      onWritten?.(versions);
      return result;
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - AT_ONCE), LONGEST_PAUSE_MS);
    if (attempt >= AT_ONCE) await sleep(clock, pauseMs * random());
  }
  throw unavailable('the record changes too fast');
}
