import { TimeoutError } from '../../../lib/async/timeout.ts';
import type { Clock } from '../../../ports/clock.ts';
import { withReplyTimeout as withTimeout } from '../../shared/reply-timeout.ts';
import { StoreError, toStoreError } from './errors.ts';

/**
 * The outcome of `pending`, as a `StoreError` where it rejects; rejects with a `timeout` after `ms` milliseconds in
 * which this process could read replies, and a later outcome is ignored.
 */
export function withReplyTimeout<T>(
  pending: Promise<T>,
  ms: number,
  clock: Pick<Clock, 'after'>,
): Promise<T> {
  return withTimeout(pending, ms, clock).catch((error: unknown) => {
    throw error instanceof TimeoutError ? new StoreError('timeout', 'TIMEOUT') : toStoreError(error);
  });
}
