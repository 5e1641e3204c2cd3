import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Generation, GenerationRequest } from '../../ports/language-model.ts';
import type { LogFields } from '../../ports/logger.ts';
import type { Pass } from './circuit-breaker.ts';
import { mayRetry, ProviderFault } from './provider-error.ts';
import type { AskOnce } from './sdk.ts';

/** What is known of a call while it is under way. */
export interface Call {
  /** The monotonic time by which it must be over. */
  readonly deadline: number;
  /** Leave to make it; undefined until it is given. */
  pass: Pass | undefined;
  /** Tries begun so far. */
  tries: number;
  /** What the log may say of the last try that failed. */
  last: LogFields;
}

export interface RetryOptions {
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Asks, and asks again where that can help. */
export type Ask = <T>(
  request: GenerationRequest<T>,
  signal: AbortSignal,
  call: Call,
) => Promise<Generation<T>>;

/**
 * The one layer that retries: connections that fail, 5xx, and 429 where the provider says how long to wait. Waits
 * at least as long as the provider wants, and gives up at once where that is past the call's deadline or the
 * breaker has opened meanwhile.
 */
export function createRetries(askOnce: AskOnce, { maxRetries, clock, random }: RetryOptions): Ask {
  return async (request, signal, call) => {
    for (;;) {
      call.tries += 1;
      try {
        return await askOnce(request, signal);
      } catch (error) {
        if (!(error instanceof ProviderFault)) throw error;
        call.last = { status: error.status ?? null, code: error.systemCode ?? null };
        const waitMs = Math.max(backoffMs(call.tries, random), error.retryAfterMs ?? 0);
        const inTime = clock.monotonic() + waitMs < call.deadline && !signal.aborted;
        const wanted = call.tries <= maxRetries && mayRetry(error) && call.pass?.mayRepeat() === true;
        if (!inTime || !wanted) {
          return { status: 'error', reason: error.reason, tokens: { input: 0, output: 0 } };
        }
        await sleep(clock, waitMs, signal);
      }
    }
  };
}
