import { hasEnded } from '../../domain/run/run.ts';
import { onAbort } from '../../lib/async/on-abort.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunLog } from '../../ports/storage/run-log.ts';
import type { Store } from '../../ports/storage/store.ts';
import { runsTable } from './run-tables.ts';

/** The callers that wait for events of runs. */
export interface RunWaiters {
  readonly changed: RunLog['changed'];
  /** Wakes those who wait for events up to number `lastSeq`; all of them where the run has ended or is gone. */
  wake(runId: string, lastSeq: number, ended: boolean): void;
  /** Wakes everybody. */
  close(): void;
}

interface Waiter {
  readonly after: number;
  readonly wake: () => void;
}

/** The interval at which runs of other processes are read, in milliseconds: with the read within a second. */
const LOOK_MS = 700;

/** The most runs that are looked at in one read. */
const BATCH = 200;

/**
 * Creates {@link RunWaiters}. Appends of this process wake at once; those of others are found by looking, all runs
 * together, while somebody waits for one.
 */
export function createRunWaiters(
  store: Pick<Store, 'read' | 'local'>,
  clock: Pick<Clock, 'after'>,
): RunWaiters {
  const waiting = new Map<string, Set<Waiter>>();
  let cancelLook: (() => void) | undefined;
  let isClosed = false;

  function wake(runId: string, lastSeq: number, ended: boolean): void {
    for (const waiter of waiting.get(runId) ?? []) if (ended || lastSeq > waiter.after) waiter.wake();
  }

  /** Wakes those whose runs have grown. Runs that cannot be read are looked at again. */
  async function look(runIds: readonly string[]): Promise<void> {
    const found = await store.read(runsTable, runIds).catch(() => undefined);
    for (const [index, runId] of runIds.entries()) {
      if (found === undefined) return;
      const row = found[index]?.row;
      wake(runId, row?.lastSeq ?? 0, row === undefined || hasEnded(row.state.status));
    }
  }

  async function lookAtAll(): Promise<void> {
    const runIds = [...waiting.keys()];
    for (let first = 0; first < runIds.length; first += BATCH) await look(runIds.slice(first, first + BATCH));
    cancelLook = undefined;
    plan();
  }

  function plan(): void {
    if (waiting.size === 0 || isClosed || store.local !== undefined) return;
    cancelLook ??= clock.after(LOOK_MS, () => void lookAtAll());
  }

  return {
    async changed(runId, after, signal) {
      if (signal.aborted || isClosed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter: Waiter = {
        after,
        wake() {
          const waiters = waiting.get(runId);
          waiters?.delete(waiter);
          if (waiters?.size === 0) waiting.delete(runId);
          stopListening();
          resolve();
        },
      };
      const stopListening = onAbort(signal, waiter.wake);
      const waiters = waiting.get(runId) ?? new Set();
      waiting.set(runId, waiters.add(waiter));
      // Events that were written before are not announced again.
      await look([runId]);
      plan();
      await promise;
    },
    wake,
    close() {
      isClosed = true;
      cancelLook?.();
      for (const waiters of waiting.values()) for (const waiter of waiters) waiter.wake();
    },
  };
}
