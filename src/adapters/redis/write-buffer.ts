import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import { toFault } from './client/errors.ts';

/** Something that is to be stored, and its size. */
export interface Parcel<T> {
  readonly item: T;
  readonly bytes: number;
}

export interface OutboxOptions<T, O> {
  /** Stores an item and says what came of it. Rejects with a `StoreFault`. */
  readonly send: (id: string, item: T) => Promise<O>;
  /** Makes one of two items of the same id; may change and return the older. */
  readonly merge: (older: T, newer: T) => T;
  /** Whether the store serves: while it does not, failing to send is nobody's fault. */
  readonly isAvailable: () => boolean;
  /** Told of an item that is given up: it was refused too often, or there was no more room. */
  readonly onLoss?: ((id: string) => void) | undefined;
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
}

/** What is on its way to the store: it leaves the outbox when it is stored, however long the store is away. */
export interface Outbox<T, O> {
  readonly size: number;
  /** True where there is room for a parcel: one that has none drives out what waits for longest. */
  fits(id: string, parcel: Parcel<T>): boolean;
  /** What is on its way under an id, in the order in which it is to be applied. */
  pending(id: string): readonly T[];
  /** Puts an item behind what is on its way under the same id. */
  put(id: string, parcel: Parcel<T>): void;
  /**
   * Sends what is on its way under an id, and what is added to it meanwhile. Resolves to the last outcome, or to
   * undefined where the store could not be reached and the rest waits.
   */
  deliver(id: string): Promise<O | undefined>;
  /** Sends everything that waits, until nothing does or the store is away. */
  deliverAll(): Promise<void>;
}

interface Entry<T, O> {
  waiting: Parcel<T> | undefined;
  sending: Parcel<T> | undefined;
  delivery: Promise<O | undefined> | undefined;
  failures: number;
}

/** Items sent at the same time when the store is back. */
const SENT_TOGETHER = 16;

/** Attempts at an item that a store which serves refuses; then it is given up, for it would be refused for ever. */
const MAX_FAILURES = 5;

export function createOutbox<T, O>(options: OutboxOptions<T, O>): Outbox<T, O> {
  const { send, merge, isAvailable, onLoss, maxItems, maxBytes, clock, logger } = options;
  const warnOfLoss = createThrottledLog(logger, clock, 'a record was lost before it could be stored');
  const entries = new Map<string, Entry<T, O>>();
  let bytes = 0;
  let deliveringAll: Promise<void> | undefined;

  function remove(id: string, entry: Entry<T, O>): void {
    if (entries.get(id) !== entry) return;
    entries.delete(id);
    bytes -= (entry.waiting?.bytes ?? 0) + (entry.sending?.bytes ?? 0);
  }

  function lose(id: string, entry: Entry<T, O>, reason: string): void {
    remove(id, entry);
    warnOfLoss({ id, reason });
    onLoss?.(id);
  }

  /** Only what waits for a store that is away can pile up: what is merely under way is never driven out. */
  function makeRoom(): void {
    const exceeded = (): boolean => entries.size > maxItems || bytes > maxBytes;
    if (!exceeded() || isAvailable()) return;
    for (const [id, entry] of entries) {
      if (!exceeded()) return;
      lose(id, entry, 'FULL');
    }
  }

  function join(older: Parcel<T> | undefined, newer: Parcel<T> | undefined): Parcel<T> | undefined {
    if (older === undefined || newer === undefined) return older ?? newer;
    return { item: merge(older.item, newer.item), bytes: older.bytes + newer.bytes };
  }

  async function deliverEntry(id: string, entry: Entry<T, O>): Promise<O | undefined> {
    let outcome: O | undefined;
    while (entry.waiting !== undefined) {
      const parcel = entry.waiting;
      entry.sending = parcel;
      entry.waiting = undefined;
      try {
        outcome = await send(id, parcel.item);
      } catch (error) {
        entry.sending = undefined;
        entry.waiting = join(parcel, entry.waiting);
        if (isAvailable()) refused(id, entry, toFault(error).reason);
        return undefined;
      }
      entry.sending = undefined;
      if (entries.get(id) === entry) bytes -= parcel.bytes;
    }
    remove(id, entry);
    return outcome;
  }

  function refused(id: string, entry: Entry<T, O>, reason: string): void {
    entry.failures++;
    if (entry.failures >= MAX_FAILURES) lose(id, entry, reason);
  }

  function deliver(id: string): Promise<O | undefined> {
    const entry = entries.get(id);
    if (entry === undefined) return Promise.resolve(undefined);
    entry.delivery ??= deliverEntry(id, entry).finally(() => {
      entry.delivery = undefined;
    });
    return entry.delivery;
  }

  async function deliverEverything(): Promise<void> {
    const ids = [...entries.keys()];
    for (let first = 0; first < ids.length && isAvailable(); first += SENT_TOGETHER) {
      await Promise.all(ids.slice(first, first + SENT_TOGETHER).map(deliver));
    }
  }

  return {
    get size() {
      return entries.size;
    },
    fits(id, parcel) {
      return (entries.has(id) || entries.size < maxItems) && bytes + parcel.bytes <= maxBytes;
    },
    pending(id) {
      const entry = entries.get(id);
      return [entry?.sending, entry?.waiting].flatMap((parcel) =>
        parcel === undefined ? [] : [parcel.item],
      );
    },
    put(id, parcel) {
      let entry = entries.get(id);
      if (entry === undefined) {
        entry = { waiting: undefined, sending: undefined, delivery: undefined, failures: 0 };
        entries.set(id, entry);
      }
      entry.waiting = join(entry.waiting, parcel);
      bytes += parcel.bytes;
      makeRoom();
    },
    deliver,
    deliverAll() {
      deliveringAll ??= deliverEverything().finally(() => {
        deliveringAll = undefined;
      });
      return deliveringAll;
    },
  };
}
