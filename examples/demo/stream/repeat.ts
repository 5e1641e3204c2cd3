import { setTimeout as sleep } from 'node:timers/promises';

/** The end and the error handler of a part of the stream. */
export interface Part {
  /** Ends the part. */
  readonly signal: AbortSignal;
  /** Is told of what fails. The part goes on. */
  onError(error: unknown): void;
}

/** Waits; returns early when the part ends. */
export async function pause(ms: number, { signal }: Part): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Does something again and again until the part ends. `work` returns after how many milliseconds the next turn begins.
 */
export async function repeat(part: Part, work: () => Promise<number>): Promise<void> {
  while (!part.signal.aborted) {
    const ms = await work().catch((error: unknown) => {
      if (!part.signal.aborted) part.onError(error);
      return 5_000;
    });
    await pause(ms, part);
  }
}
