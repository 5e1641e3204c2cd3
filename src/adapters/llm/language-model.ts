import { createSemaphore } from '../../lib/async/semaphore.ts';
import { AbortError, TimeoutError, withTimeout } from '../../lib/async/timeout.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type {
  Generation,
  GenerationRequest,
  LanguageModel,
  ModelFailure,
} from '../../ports/language-model.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { createFailureLog } from './failure-log.ts';
import { createModelProbe } from './probe.ts';
import { signOf } from './provider-error.ts';
import { createProviderFetch } from './provider-fetch.ts';
import { type Call, createRetries } from './retries.ts';
import { loadSdk } from './sdk.ts';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

/** Calls under way at the same time, per process, and those that may wait for a place. */
const MAX_CALLS = 32;
const MAX_WAITING = 1_024;

export interface LanguageModelOptions {
  readonly apiKey: string;
  /** Address of an OpenAI-compatible server, up to and including `/v1`; the provider's own when absent. */
  readonly baseUrl?: string | undefined;
  readonly model: string;
  /** Milliseconds for one call in all: waiting for a place, every try, and the waits between them. */
  readonly timeoutMs: number;
  /** Tries after the first, for failures that another try can mend. */
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** Headers for each request, such as those that carry a span across. */
  readonly injectHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

/** A language model, and the question whether it can serve. */
export interface ConnectedModel {
  readonly model: LanguageModel;
  readonly probe: HealthProbe;
}

/**
 * Connects to an OpenAI-compatible server. Loading the SDK takes a moment, so this belongs behind a dynamic import,
 * taken only when a key is configured. Nothing is sent before the first call. The key and the provider's texts go
 * nowhere else: outcomes and log lines hold words of ours, status codes and the system's words for broken connections.
 */
export async function createLanguageModel(options: LanguageModelOptions): Promise<ConnectedModel> {
  const { clock, logger, telemetry, timeoutMs } = options;
  const baseUrl = (options.baseUrl || DEFAULT_BASE_URL).replace(/\/$/, '');
  const askOnce = await loadSdk({
    apiKey: options.apiKey,
    baseUrl,
    model: options.model,
    fetch: createProviderFetch(clock, options.injectHeaders ?? (() => ({}))),
  });
  const ask = createRetries(askOnce, options);
  const breaker = createCircuitBreaker(clock);
  const semaphore = createSemaphore(MAX_CALLS, MAX_WAITING);
  const logFailure = createFailureLog(clock, logger);

  /** Takes a place and a pass, in this order: a breaker that opens while calls wait holds them back too. */
  async function admit<T>(
    request: GenerationRequest<T>,
    signal: AbortSignal,
    call: Call,
  ): Promise<Generation<T>> {
    const permit = await semaphore.acquire(signal);
    if (permit === undefined) return failed('busy');
    try {
      if (clock.monotonic() >= call.deadline) return failed('busy');
      call.pass = breaker.enter();
      if (call.pass === undefined) return failed('breaker_open');
      return await ask(request, signal, call);
    } finally {
      permit.release();
    }
  }

  async function generate<T>(request: GenerationRequest<T>, call: Call): Promise<Generation<T>> {
    if (breaker.isShut()) return failed('breaker_open');
    try {
      const { signal } = request;
      return await withTimeout((signal) => admit(request, signal, call), { clock, timeoutMs, signal });
    } catch (error) {
      if (error instanceof AbortError) return failed('interrupted');
      if (error instanceof TimeoutError) return failed(call.pass === undefined ? 'busy' : 'timeout');
      return failed('bad_reply');
    }
  }

  const model: LanguageModel = (request) =>
    telemetry.span('model_call', { purpose: request.purpose, model: options.model }, async (span) => {
      const started = clock.monotonic();
      const call: Call = { deadline: started + timeoutMs, pass: undefined, tries: 0, last: {} };
      const generation = await generate(request, call);
      const reason = generation.status === 'error' ? generation.reason : undefined;
      call.pass?.settle(reason === undefined ? 'serves' : signOf(reason));
      const { input, output } = generation.tokens;
      const fields = {
        purpose: request.purpose,
        tries: call.tries,
        input_tokens: input,
        output_tokens: output,
      };
      span.set({ tries: call.tries, input_tokens: input, output_tokens: output });
      logger.debug('model call', {
        ...fields,
        reason: reason ?? null,
        duration_ms: clock.monotonic() - started,
      });
      if (reason !== undefined) {
        span.fail(reason);
        if (reason !== 'interrupted')
          logFailure(reason, { purpose: request.purpose, tries: call.tries, ...call.last });
      }
      return generation;
    });

  return { model, probe: createModelProbe(clock, baseUrl, options.apiKey) };
}

function failed(reason: ModelFailure): Generation<never> {
  return { status: 'error', reason, tokens: { input: 0, output: 0 } };
}
