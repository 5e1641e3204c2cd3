import type { Clock, Random } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type { Generation, LanguageModel } from '../../ports/language-model.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Span, Telemetry } from '../../ports/telemetry.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import { type Call, startCall } from './call.ts';
import { createCallLimits, createRetries } from './calls.ts';
import { createGenerate } from './generate.ts';
import { cancelBody, createProviderFetch } from './provider.ts';
import { createAskInForm, loadSdk } from './sdk.ts';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

/** Options of {@link createLanguageModel}. */
export interface LanguageModelOptions {
  readonly apiKey: string;
  /** Address of an OpenAI-compatible server, up to and including `/v1`; the provider's own when absent. */
  readonly baseUrl?: string | undefined;
  readonly model: string;
  /** From 0 to 2; not sent when absent, as not all models take one. */
  readonly temperature?: number | undefined;
  /** Timeout of one call in milliseconds: the wait for a permit, all requests, and the waits between them. */
  readonly timeoutMs: number;
  /** Tries after the first, for failures that may be temporary. */
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** Headers to add to each request, such as `traceparent`. */
  readonly injectHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

/** A language model, and the probe of its provider. */
export interface ConnectedModel {
  /** Requests objects from the model. */
  readonly model: LanguageModel;
  /** Checks the provider and the key. */
  readonly probe: HealthProbe;
}

/**
 * Connects to an OpenAI-compatible server. Import this module dynamically, and only when a key is configured: loading
 * the SDK is slow. Sends nothing before the first call. Outcomes and log lines contain neither the key nor the
 * provider's texts, only reasons, status codes and the system's codes for failed connections.
 */
export async function createLanguageModel(options: LanguageModelOptions): Promise<ConnectedModel> {
  const { clock, logger, telemetry } = options;
  const baseUrl = (options.baseUrl || DEFAULT_BASE_URL).replace(/\/$/, '');
  const request = await loadSdk({
    apiKey: options.apiKey,
    baseUrl,
    model: options.model,
    temperature: options.temperature,
    fetch: createProviderFetch(clock, options.injectHeaders ?? (() => ({}))),
  });
  const ask = createRetries(createAskInForm(request, logger), options);
  const generate = createCallLimits(createGenerate(ask), options);
  const report = createReport(options);

  const model: LanguageModel = (request) =>
    telemetry.span('model_call', { purpose: request.purpose, model: options.model }, async (span) => {
      const startedAt = clock.monotonic();
      const call = startCall(startedAt + options.timeoutMs);
      const outcome = await generate(request, call);
      const generation = { ...outcome, tokens: call.tokens, calls: call.reached };
      report({ purpose: request.purpose, call, generation, durationMs: clock.monotonic() - startedAt, span });
      return generation;
    });

  return { model, probe: createModelProbe(clock, baseUrl, options.apiKey) };
}

/** A call that has ended. */
interface FinishedCall {
  readonly purpose: string;
  readonly call: Call;
  readonly generation: Generation<unknown>;
  readonly durationMs: number;
  readonly span: Span;
}

/** Reports finished calls: on their span, in a debug line, and failures in a throttled warning. */
function createReport({ clock, logger }: LanguageModelOptions): (finished: FinishedCall) => void {
  const logFailure = createThrottledLog(logger, clock, 'the language model failed');
  return ({ purpose, call, generation, durationMs, span }) => {
    const { input, cachedInput, output } = generation.tokens;
    const cost = {
      tries: call.requests,
      input_tokens: input,
      cached_input_tokens: cachedInput,
      output_tokens: output,
    };
    const reason = generation.status === 'error' ? generation.reason : null;
    span.set(cost);
    if (call.replyModel !== undefined) span.set({ reply_model: call.replyModel });
    if (call.finishReason !== undefined) span.set({ finish_reasons: [call.finishReason] });
    logger.debug('model call', { purpose, ...cost, reason, duration_ms: durationMs });
    if (reason === null) return;
    span.fail(reason);
    if (reason !== 'interrupted')
      logFailure({ reason, purpose, tries: call.requests, ...call.lastFailure }, reason);
  };
}

// Health

/** Milliseconds within which the provider must reply. */
const PROBE_TIMEOUT_MS = 1_000;

/** Creates a probe that requests the provider's list of models, which uses no tokens and checks the key. */
function createModelProbe(clock: Clock, baseUrl: string, apiKey: string): HealthProbe {
  return async () => {
    const controller = new AbortController();
    const cancelTimer = clock.after(PROBE_TIMEOUT_MS, () => controller.abort());
    try {
      const response = await fetch(`${baseUrl}/models`, {
        headers: { authorization: `Bearer ${apiKey}` },
        redirect: 'manual',
        signal: controller.signal,
      });
      await cancelBody(response);
      return response.ok ? 'ok' : 'error';
    } catch {
      return 'error';
    } finally {
      cancelTimer();
    }
  };
}
