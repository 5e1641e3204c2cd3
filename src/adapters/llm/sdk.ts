import type { LanguageModelMiddleware, LanguageModel as SdkModel } from 'ai';
import type { Generation, GenerationRequest, ModelFailure, Tokens } from '../../ports/language-model.ts';
import { createPrompt, repeatsInstructions } from './prompt.ts';
import { ProviderError } from './provider-error.ts';

/** Maximum number of tokens of a reply. */
const MAX_OUTPUT_TOKENS = 4_096;

/** Options of {@link loadSdk}. */
export interface SdkOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly fetch: typeof fetch;
}

/** Makes one request. Rejects with a {@link ProviderError} when the provider or the connection failed. */
export type GenerateOnce = <T>(request: GenerationRequest<T>, signal: AbortSignal) => Promise<Generation<T>>;

type Sdk = typeof import('ai');

/** Loads the AI SDK, which is slow, and connects it to the provider. */
export async function loadSdk(options: SdkOptions): Promise<GenerateOnce> {
  const sdk = await import('ai');
  const model = await loadModel(sdk, options);

  return async (request, signal) => {
    const prompt = createPrompt(request.instructions, request.data);
    let tokens: Tokens = { input: 0, output: 0 };
    try {
      const result = await sdk.generateText({
        model,
        instructions: prompt.system,
        prompt: prompt.user,
        output: sdk.Output.object({ name: request.purpose, schema: schemaOf(sdk, request) }),
        temperature: 0,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
        maxRetries: 0,
        abortSignal: signal,
      });
      tokens = tokensOf(result.usage);
      const failure = failureOfFinish(result.finishReason);
      if (failure !== undefined) return { status: 'error', reason: failure, tokens };
      if (repeatsInstructions(result.text, prompt)) return { status: 'error', reason: 'bad_reply', tokens };
      return { status: 'success', value: result.output, tokens };
    } catch (error) {
      if (error instanceof ProviderError || signal.aborted) throw error;
      if (!sdk.NoObjectGeneratedError.isInstance(error))
        return { status: 'error', reason: 'bad_reply', tokens };
      const reason = failureOfFinish(error.finishReason) ?? 'bad_reply';
      return { status: 'error', reason, tokens: tokensOf(error.usage) };
    }
  };
}

/**
 * The chat model of the OpenAI provider. Imported from `internal`, because the main entry of the package creates a
 * client when it is loaded and throws where `OPENAI_BASE_URL` is empty.
 */
async function loadModel(sdk: Sdk, { apiKey, baseUrl, fetch, model }: SdkOptions): Promise<SdkModel> {
  const { OpenAIChatLanguageModel } = await import('@ai-sdk/openai/internal');
  return sdk.wrapLanguageModel({
    model: new OpenAIChatLanguageModel(model, {
      provider: 'openai.chat',
      url: ({ path }) => `${baseUrl}${path}`,
      headers: { Authorization: `Bearer ${apiKey}` },
      fetch,
    }),
    middleware: [sdk.extractJsonMiddleware(), withoutWarnings],
  });
}

/** Removes warnings, such as about settings that a model ignores, because the SDK prints them to the console. */
const withoutWarnings: LanguageModelMiddleware = {
  wrapGenerate: async ({ doGenerate }) => ({ ...(await doGenerate()), warnings: [] }),
};

/** The port's schema for the SDK: described by its JSON Schema, validated by itself. */
function schemaOf<T>(sdk: Sdk, { schema }: GenerationRequest<T>) {
  return sdk.jsonSchema<T>(schema.toJSONSchema(), {
    validate: (value) => {
      const parsed = schema.safeParse(value);
      return parsed.success
        ? { success: true, value: parsed.data }
        : { success: false, error: new Error('schema') };
    },
  });
}

/** The failure for a finish reason; undefined when the reply is complete or the reason unknown. */
function failureOfFinish(reason: string | undefined): ModelFailure | undefined {
  if (reason === 'length') return 'truncated';
  return reason === 'content-filter' ? 'refused' : undefined;
}

interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

function tokensOf(usage: Usage | undefined): Tokens {
  return { input: validCount(usage?.inputTokens), output: validCount(usage?.outputTokens) };
}

/** The provider's count if it is a positive integer, otherwise 0. */
function validCount(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
}
