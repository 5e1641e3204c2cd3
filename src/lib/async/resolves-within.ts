import { TimeoutError, type TimeoutOptions, withTimeout } from './timeout.ts';

/**
 * True where work resolves within `timeoutMs` milliseconds. Rejects when it rejects before. The work goes on after
 * that.
 */
export async function resolvesWithin(
  work: Promise<unknown>,
  { clock, timeoutMs }: Pick<TimeoutOptions, 'clock' | 'timeoutMs'>,
): Promise<boolean> {
  try {
    await withTimeout(() => work, { clock, timeoutMs });
    return true;
  } catch (error) {
    if (error instanceof TimeoutError) return false;
    throw error;
  }
}
