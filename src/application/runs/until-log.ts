import type { Awaitable } from '../../lib/async/awaitable.ts';
import { onAbort } from '../../lib/async/on-abort.ts';
import type { Ports } from '../../ports/ports.ts';
import type { RunEventPage } from '../../ports/storage/run-log.ts';

/**
 * Waits until `isDone`, which gets the end of the log after each change, is true. Resolves to false after `timeoutMs`
 * milliseconds, and once `signal` is aborted. Rejects with `unavailable`.
 */
export async function untilLog(
  { clock, runs }: Pick<Ports, 'clock' | 'runs'>,
  runId: string,
  isDone: (page: RunEventPage | undefined) => Awaitable<boolean>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const timeout = new AbortController();
  const stop = (): void => timeout.abort();
  const cancel = clock.after(Math.max(0, timeoutMs), stop);
  const unsubscribe = signal && onAbort(signal, stop);
  if (signal?.aborted) stop();
  let seq = 0;
  try {
    for (;;) {
      // The log may be long, and changes often: one event of it is read.
      const page = await runs.read(runId, seq, 1);
      if (await isDone(page)) return true;
      if (timeout.signal.aborted) return false;
      seq = page?.lastSeq ?? seq;
      await runs.changed(runId, seq, timeout.signal);
    }
  } finally {
    cancel();
    unsubscribe?.();
  }
}

/** Waits until a run has ended or is gone: see {@link untilLog}. */
export function untilLogEnds(
  ports: Pick<Ports, 'clock' | 'runs'>,
  runId: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  return untilLog(ports, runId, (page) => page === undefined || page.ended, { timeoutMs, signal });
}
