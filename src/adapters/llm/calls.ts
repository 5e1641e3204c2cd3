import { backoffMs } from '../../lib/async/backoff.ts';
import { createSemaphore } from '../../lib/async/semaphore.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { AbortError, TimeoutError, withTimeout } from '../../lib/async/timeout.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { GenerationRequest } from '../../ports/language-model.ts';
import { type Call, failed, type Outcome } from './call.ts';
import type { Generate } from './generate.ts';
import { createCircuitBreaker, isRetryable, outcomeOfFailure, ProviderError } from './provider.ts';
import type { Ask } from './sdk.ts';

/**
 * Maximum number of calls that run at the same time in this process, and of calls that wait for one of them to end.
 */
const MAX_CALLS = 32;
const MAX_WAITING = 1_024;

/** Options of {@link createCallLimits}. */
interface CallLimits {
  readonly clock: Clock;
  /** Timeout of one call in milliseconds: the wait for a permit, all tries, and the waits between them. */
  readonly timeoutMs: number;
}

/** Generates within the limits. Never rejects. */
type GenerateWithinLimits = <T>(request: GenerationRequest<T>, call: Call) => Promise<Outcome<T>>;

/** Limits the number and the duration of calls, and rejects them while the circuit breaker is open. */
export function createCallLimits(generate: Generate, { clock, timeoutMs }: CallLimits): GenerateWithinLimits {
  const breaker = createCircuitBreaker(clock);
  const semaphore = createSemaphore(MAX_CALLS, MAX_WAITING);

  /** Acquires both permits, that of the breaker last, because the breaker may open while a call waits. */
  async function acquireAndGenerate<T>(
    request: GenerationRequest<T>,
    signal: AbortSignal,
    call: Call,
  ): Promise<Outcome<T>> {
    const permit = await semaphore.acquire(signal);
    if (permit === undefined) return failed('busy');
    try {
      if (clock.monotonic() >= call.deadline) return failed('busy');
      call.permit = breaker.tryAcquire();
      if (call.permit === undefined) return failed('breaker_open');
      return await generate(request, signal, call);
    } finally {
      permit.release();
    }
  }

  async function generateWithTimeout<T>(request: GenerationRequest<T>, call: Call): Promise<Outcome<T>> {
    const options = { clock, timeoutMs, signal: request.signal };
    try {
      return await withTimeout((signal) => acquireAndGenerate(request, signal, call), options);
    } catch (error) {
      if (error instanceof AbortError) return failed('interrupted');
      if (error instanceof TimeoutError) return failed(call.permit === undefined ? 'busy' : 'timeout');
      return failed('bad_reply');
    }
  }

  return async (request, call) => {
    if (breaker.isOpen()) return failed('breaker_open');
    const outcome = await generateWithTimeout(request, call);
    call.permit?.release(outcome.status === 'success' ? 'success' : outcomeOfFailure(outcome.reason));
    return outcome;
  };
}

// Retries

/** Options of {@link createRetries}. */
interface RetryOptions {
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
