import { AsyncLocalStorage } from 'node:async_hooks';
import { onAbort } from '../../../lib/async/on-abort.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { RunLog } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../client/connection.ts';
import type { Subscriber } from '../client/subscriber.ts';
import type { Keys } from '../keys.ts';
import type { Sessions } from './sessions.ts';

/** Waits for events of runs. All waiters of a run share one subscription and one poll. */
export interface Changes {
  readonly changed: RunLog['changed'];
  /** Wakes the waiters of a run that is active here, whose log has grown. */
  check(runId: string): void;
  /** Wakes the waiters of any run whose log has `length` events now; all of them where it has ended or is gone. */
  announce(runId: string, length: number, ended: boolean): void;
  /** Wakes all waiters, and stops. */
  close(): void;
}

interface Waiter {
  readonly after: number;
  readonly wake: () => void;
}

/** A run that is or was waited for. */
interface Watch {
  readonly waiters: Set<Waiter>;
  /** Number of events at the last message or poll. */
  length: number;
}

/** Interval of polls, in milliseconds: with the time of one command within a second. */
const POLL_MS = 800;

/** Maximum number of runs that one command looks at. */
const BATCH = 200;

/** Options of {@link createChanges}. */
export interface ChangesOptions {
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run'>;
  readonly subscriber: Subscriber;
  readonly sessions: Pick<Sessions, 'get'>;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Creates {@link Changes}. A run is looked at when its first waiter comes, at every message of its channel, and at every
 * poll. The poll also ends what nobody waits for any more, and stops itself with the last run.
 */
export function createChanges({ keys, connection, subscriber, sessions, clock }: ChangesOptions): Changes {
  const watches = new Map<string, Watch>();
  const requested = new Set<string>();
  /** Runs work outside of the context of the waiter that is the first, such as its trace. */
  const outside = AsyncLocalStorage.snapshot();
  let cancelPoll: (() => void) | undefined;
  let closed = false;

  /** Wakes the waiters for events up to number `length`; all of them where the run has ended or is unknown. */
  function settle(runId: string, length: number, ended: boolean): void {
    const watch = watches.get(runId);
    if (watch === undefined) return;
    watch.length = length;
    for (const waiter of watch.waiters) if (ended || length > waiter.after) waiter.wake();
  }

  function settleLocally(runId: string): void {
    const session = sessions.get(runId);
    if (session !== undefined && !session.lost) settle(runId, session.lastSeq, session.ended);
  }

  /** Looks at runs in the store. Never rejects. */
  async function observe(runIds: readonly string[]): Promise<void> {
    const values = [keys.runs, keys.events, ...runIds];
    const observed = await connection
      .run('EVALSHA', (client) => client.observeRuns([], values))
      .catch(() => undefined);
    if (observed === undefined) return;
    for (const [index, runId] of runIds.entries()) {
      settle(runId, observed[2 * index] ?? 0, observed[2 * index + 1] !== 0);
      settleLocally(runId);
    }
  }

  /** Looks at a run with the others that are requested in this turn of the event loop. */
  function requestObservation(runId: string): void {
    if (requested.size === 0) {
      queueMicrotask(() => {
        const runIds = [...requested];
        requested.clear();
        observeAll(runIds);
      });
    }
    requested.add(runId);
  }

  function observeAll(runIds: readonly string[]): void {
    for (let first = 0; first < runIds.length; first += BATCH)
      void observe(runIds.slice(first, first + BATCH));
  }

  function onMessage(runId: string, message: string): void {
    const ended = message.endsWith('!');
    const length = Number.parseInt(message, 10);
    if (Number.isSafeInteger(length)) settle(runId, length, ended);
  }

  function open(runId: string): Watch {
    const watch: Watch = { waiters: new Set(), length: 0 };
    watches.set(runId, watch);
    cancelPoll ??= clock.after(POLL_MS, poll);
    requestObservation(runId);
    // What was appended before the subscription began has no message.
    void subscriber
      .subscribe(keys.channels + runId, (message) => onMessage(runId, message))
      .then(() => requestObservation(runId))
      .catch(() => undefined);
    return watch;
  }

  function poll(): void {
    cancelPoll = undefined;
    const awaited: string[] = [];
    for (const [runId, { waiters }] of watches) {
      if (waiters.size > 0) awaited.push(runId);
      else {
        watches.delete(runId);
        subscriber.unsubscribe(keys.channels + runId);
      }
    }
    if (awaited.length === 0) {
      subscriber.close();
      return;
    }
    observeAll(awaited);
    cancelPoll = clock.after(POLL_MS, poll);
  }

  return {
    changed(runId, after, signal) {
      if (signal.aborted || closed) return Promise.resolve();
      const session = sessions.get(runId);
      if (session !== undefined && !session.lost && (session.ended || session.lastSeq > after)) {
        return Promise.resolve();
      }
      const known = watches.get(runId);
      if (known !== undefined && known.length > after) return Promise.resolve();
      const watch = known ?? outside(open, runId);
      // The state that is known may be older than this waiter.
      if (known !== undefined && session === undefined) outside(requestObservation, runId);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          after,
          wake() {
            watch.waiters.delete(waiter);
            stopListening();
            resolve();
          },
        };
        const stopListening = onAbort(signal, waiter.wake);
        watch.waiters.add(waiter);
      });
    },
    check: settleLocally,
    announce: settle,
    close() {
      closed = true;
      cancelPoll?.();
      for (const { waiters } of watches.values()) for (const { wake } of waiters) wake();
      watches.clear();
      subscriber.close();
    },
  };
}
