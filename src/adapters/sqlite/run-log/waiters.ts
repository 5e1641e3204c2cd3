import { onAbort } from '../../../lib/async/on-abort.ts';

/** Who waits for events of runs. */
export interface Waiters {
  /** Resolves once the run is woken with an event after the event `after`, or `signal` is aborted. */
  wait(runId: string, after: number, signal: AbortSignal): Promise<void>;
  /** Wakes those who wait for events up to number `lastSeq`; all of them where the run has ended or is gone. */
  wake(runId: string, lastSeq: number, ended: boolean): void;
  /** Wakes everybody. */
  close(): void;
}

interface Waiter {
  readonly after: number;
  readonly wake: () => void;
}

/** Creates {@link Waiters}. */
export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<Waiter>>();

  function remove(runId: string, waiter: Waiter): void {
    const waiters = waiting.get(runId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) waiting.delete(runId);
  }

  return {
    wait: (runId, after, signal) =>
      new Promise((resolve) => {
        const waiter: Waiter = {
          after,
          wake() {
            remove(runId, waiter);
            stopListening();
            resolve();
          },
        };
        const stopListening = onAbort(signal, waiter.wake);
        const waiters = waiting.get(runId) ?? new Set();
        waiting.set(runId, waiters.add(waiter));
      }),
    wake(runId, lastSeq, ended) {
      for (const { after, wake } of waiting.get(runId) ?? []) if (ended || lastSeq > after) wake();
    },
    close() {
      for (const waiters of waiting.values()) for (const { wake } of waiters) wake();
    },
  };
}
