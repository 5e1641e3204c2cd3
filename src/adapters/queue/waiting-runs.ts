import { unavailable } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { QueueLimits } from '../../ports/storage/run-queue.ts';

/** Seconds after which a run that found no room may be tried again. */
const RETRY_AFTER_SECONDS = 5;

/** Milliseconds for which a count that was read is used. */
const FRESH_MS = 500;

/** How many runs wait in a shared queue, as far as this process knows. */
export interface WaitingRuns {
  /** The number that was read last, plus what this process added, minus what it started since. */
  readonly known: number;
  /** Counts the slots of a run that this process adds. */
  added(runId: string, slots: number): void;
  /** Counts a run that this process starts. */
  started(runId: string): void;
  /** Reads the number again unless it is fresh. Never rejects: where it cannot be read, it stays. */
  refresh(): Promise<void>;
  /**
   * The slots that a run uses: at least one, at most all. Throws `unavailable` where fewer are free, unless the run finds
   * one of the `freePlaces` of this process.
   */
  checkRoom(slots: number, limits: QueueLimits, freePlaces: number): number;
}

/** Creates {@link WaitingRuns}. `read` reads the number of waiting runs, and rejects where it cannot. */
export function createWaitingRuns(clock: Pick<Clock, 'monotonic'>, read: () => Promise<number>): WaitingRuns {
  let known = 0;
  /** The part of `known` that a read under way does not see. */
  let sinceRead = 0;
  /** The slots of the runs that were added since the last read. */
  let slotsOf = new Map<string, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  function change(by: number): void {
    known = Math.max(0, known + by);
    sinceRead += by;
  }

  async function readAgain(): Promise<void> {
    sinceRead = 0;
    slotsOf = new Map();
    try {
      const count = await read();
      known = Math.max(0, count + sinceRead);
    } catch {
      // The queue cannot be reached: the last known number counts.
    } finally {
      readAt = clock.monotonic();
      reading = undefined;
    }
  }

  return {
    get known() {
      return known;
    },
    added(runId, slots) {
      slotsOf.set(runId, slots);
      change(slots);
    },
    started(runId) {
      change(-(slotsOf.get(runId) ?? 1));
      slotsOf.delete(runId);
    },
    async refresh() {
      if (clock.monotonic() - readAt < FRESH_MS) return;
      reading ??= readAgain();
      await reading;
    },
    checkRoom(requested, { maxWaiting }, freePlaces) {
      const slots = Math.max(1, Math.min(requested, maxWaiting));
      if (known >= freePlaces && known + slots > maxWaiting) {
        throw unavailable('too many background runs are waiting', RETRY_AFTER_SECONDS);
      }
      return slots;
    },
  };
}
