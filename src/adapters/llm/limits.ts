import { createSemaphore } from '../../lib/async/semaphore.ts';
import { AbortError, TimeoutError, withTimeout } from '../../lib/async/timeout.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GenerationRequest } from '../../ports/language-model.ts';
import { type Call, failed, type Outcome } from './call.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Generate } from './generate.ts';
import { outcomeOfFailure } from './provider-error.ts';

/**
 * Maximum number of calls that run at the same time in this process, and of calls that wait for one of them to end.
 */
const MAX_CALLS = 32;
const MAX_WAITING = 1_024;

/** Options of {@link createCallLimits}. */
export interface CallLimits {
  readonly clock: Clock;
  /** Timeout of one call in milliseconds: the wait for a permit, all tries, and the waits between them. */
  readonly timeoutMs: number;
}

/** Generates within the limits. Never rejects. */
export type GenerateWithinLimits = <T>(request: GenerationRequest<T>, call: Call) => Promise<Outcome<T>>;

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
