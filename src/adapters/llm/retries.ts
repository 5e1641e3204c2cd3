import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { isRetryable, ProviderError } from './provider-error.ts';
import type { Ask } from './request-form.ts';

/** Options of {@link createRetries}. */
export interface RetryOptions {
  /** Tries after the first, of each question. */
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Retries failed connections, 5xx, and 429 with a `Retry-After`. Waits at least as long as the provider asks, and fails
 * at once if that would end after the deadline or the breaker has opened.
 *
 * The retries of the SDK (`maxRetries` of `generateText`) do none of this: they wait without jitter, retry a 429
 * without `Retry-After`, ignore a `Retry-After` of a minute or more, and wait past the deadline.
 */
export function createRetries(ask: Ask, { maxRetries, clock, random }: RetryOptions): Ask {
  return async (question, signal, call) => {
    for (let tries = 1; ; tries++) {
      try {
        return await ask(question, signal, call);
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        call.lastFailure = { status: error.status ?? null, code: error.systemCode ?? null };
        const waitMs = Math.max(backoffMs(tries, random), error.retryAfterMs ?? 0);
        const hasTime = clock.monotonic() + waitMs < call.deadline && !signal.aborted;
        const mayRetry = tries <= maxRetries && isRetryable(error) && call.permit?.mayRetry() === true;
        if (!hasTime || !mayRetry) throw error;
        await sleep(clock, waitMs, signal);
      }
    }
  };
}
