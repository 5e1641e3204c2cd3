import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Generation, GenerationRequest } from '../../ports/language-model.ts';
import type { LogFields } from '../../ports/logger.ts';
import type { BreakerPermit } from './circuit-breaker.ts';
import { isRetryable, ProviderError } from './provider-error.ts';
import type { GenerateOnce } from './sdk.ts';

/** The state of one call. */
export interface Call {
  /** The monotonic time, in milliseconds, by which it must end. */
  readonly deadline: number;
  /** Undefined until it is acquired from the breaker. */
  permit: BreakerPermit | undefined;
  /** Tries started so far. */
  tries: number;
  /** Fields of the last failed try that may be logged. */
  lastFailure: LogFields;
}

/** Options of {@link createRetries}. */
export interface RetryOptions {
  /** Tries after the first. */
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Generates, with retries. Rejects with errors other than {@link ProviderError}. */
export type GenerateWithRetries = <T>(
  request: GenerationRequest<T>,
  signal: AbortSignal,
  call: Call,
) => Promise<Generation<T>>;

/**
 * Retries failed connections, 5xx, and 429 with a `Retry-After`. Waits at least as long as the provider asks, and fails
 * at once if that would end after the deadline or the breaker has opened.
 *
 * The retries of the SDK (`maxRetries` of `generateText`) do none of this: they wait without jitter, retry a 429 without
 * `Retry-After`, ignore a `Retry-After` of a minute or more, and wait past the deadline.
 */
export function createRetries(
  generateOnce: GenerateOnce,
  { maxRetries, clock, random }: RetryOptions,
): GenerateWithRetries {
  return async (request, signal, call) => {
    for (;;) {
      call.tries += 1;
      try {
        return await generateOnce(request, signal);
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        call.lastFailure = { status: error.status ?? null, code: error.systemCode ?? null };
        const waitMs = Math.max(backoffMs(call.tries, random), error.retryAfterMs ?? 0);
        const hasTime = clock.monotonic() + waitMs < call.deadline && !signal.aborted;
        const mayRetry = call.tries <= maxRetries && isRetryable(error) && call.permit?.mayRetry() === true;
        if (!hasTime || !mayRetry) {
          return { status: 'error', reason: error.reason, tokens: { input: 0, output: 0 } };
        }
        await sleep(clock, waitMs, signal);
      }
    }
  };
}
