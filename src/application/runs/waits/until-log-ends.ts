import type { Ports } from '../../../ports/ports.ts';

/**
 * Waits until a run has ended or is gone, at most `timeoutMs` milliseconds. Resolves to whether it has ended or is
 * gone. Rejects with `unavailable`.
 */
export async function untilLogEnds(
  { clock, runs }: Pick<Ports, 'clock' | 'runs'>,
  runId: string,
  timeoutMs: number,
): Promise<boolean> {
  const timeout = new AbortController();
  const cancel = clock.after(Math.max(0, timeoutMs), () => timeout.abort());
  try {
    let seq = 0;
    for (;;) {
      const page = await runs.read(runId, seq, 1);
      if (page === undefined || page.ended) return true;
      if (timeout.signal.aborted) return false;
      seq = page.lastSeq;
      await runs.changed(runId, seq, timeout.signal);
    }
  } finally {
    cancel();
  }
}
