import type { LanguageModel as SdkModel } from 'ai';
import type { Generation, GenerationRequest, ModelFailure, Tokens } from '../../ports/language-model.ts';
import { createPrompt, repeatsOrders } from './prompt.ts';
import { ProviderFault } from './provider-error.ts';

/** The most tokens that a reply may cost. */
const MAX_OUTPUT_TOKENS = 4_096;

const nothing: Tokens = { input: 0, output: 0 };

export interface SdkOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly fetch: typeof fetch;
}

/** Asks once. Rejects with a {@link ProviderFault} when the provider or the way to it failed. */
export type AskOnce = <T>(request: GenerationRequest<T>, signal: AbortSignal) => Promise<Generation<T>>;

/** Loads the SDK, which is the slow part of starting with a language model, and points it at the provider. */
export async function loadSdk(options: SdkOptions): Promise<AskOnce> {
  // The SDK makes a client of its own as it loads, and an empty address in the environment makes that throw.
  if (process.env['OPENAI_BASE_URL']?.trim() === '') delete process.env['OPENAI_BASE_URL'];
  const [ai, { createOpenAI }] = await Promise.all([import('ai'), import('@ai-sdk/openai')]);
  // What it has to say about models it does not know would go to the console, past the logger.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { apiKey, baseUrl, fetch } = options;
  const model: SdkModel = ai.wrapLanguageModel({
    model: createOpenAI({ apiKey, baseURL: baseUrl, fetch }).chat(options.model),
    middleware: ai.extractJsonMiddleware(),
  });

  return async (request, signal) => {
    const prompt = createPrompt(request.instructions, request.data);
    let tokens = nothing;
    try {
      const result = await ai.generateText({
        model,
        instructions: prompt.system,
        prompt: prompt.user,
        output: ai.Output.object({ name: request.purpose, schema: schemaFor(ai.jsonSchema, request) }),
        temperature: 0,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
        maxRetries: 0,
        abortSignal: signal,
      });
      tokens = tokensOf(result.usage);
      const failure = failureOfFinish(result.finishReason);
      if (failure !== undefined) return { status: 'error', reason: failure, tokens };
      if (repeatsOrders(result.text, prompt)) return { status: 'error', reason: 'bad_reply', tokens };
      return { status: 'success', value: result.output, tokens };
    } catch (error) {
      if (error instanceof ProviderFault || signal.aborted) throw error;
      if (!ai.NoObjectGeneratedError.isInstance(error))
        return { status: 'error', reason: 'bad_reply', tokens };
      const reason = failureOfFinish(error.finishReason) ?? 'bad_reply';
      return { status: 'error', reason, tokens: tokensOf(error.usage) };
    }
  };
}

type JsonSchemaOf = typeof import('ai').jsonSchema;

/** The port's schema as the SDK wants it: described by its JSON Schema, checked by itself. */
function schemaFor<T>(jsonSchema: JsonSchemaOf, { schema }: GenerationRequest<T>) {
  return jsonSchema<T>(schema.toJSONSchema(), {
    validate: (value) => {
      const parsed = schema.safeParse(value);
      return parsed.success
        ? { success: true, value: parsed.data }
        : { success: false, error: new Error('schema') };
    },
  });
}

/** Only a reply that came to its own end is whole; the SDK calls a missing reason `other`. */
function failureOfFinish(reason: string | undefined): ModelFailure | undefined {
  if (reason === 'length') return 'truncated';
  return reason === 'content-filter' ? 'refused' : undefined;
}

function tokensOf(
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } | undefined,
): Tokens {
  return { input: counted(usage?.inputTokens), output: counted(usage?.outputTokens) };
}

/** A provider's count, where it is one. */
function counted(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
}
