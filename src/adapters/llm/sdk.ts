import type { LanguageModelMiddleware, LanguageModel as SdkModel } from 'ai';
import type { ModelFailure, Tokens } from '../../ports/language-model.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Call } from './call.ts';
import { ProviderError } from './provider.ts';
import { withJoinedParts } from './reply-text.ts';

/** Maximum number of tokens of a reply. */
const MAX_OUTPUT_TOKENS = 4_096;

/** Options of {@link loadSdk}. */
interface SdkOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  /** From 0 to 2; not sent when absent. */
  readonly temperature?: number | undefined;
  readonly fetch: typeof fetch;
}

/** A question to the model. */
interface Question {
  /** The name of the reply's schema. */
  readonly name: string;
  readonly system: string;
  readonly user: string;
  /** The JSON Schema of the reply. */
  readonly schema: object;
}

/** The form of a request, as the provider takes it. */
interface RequestForm {
  /** `max_tokens` in place of `max_completion_tokens`. */
  readonly usesMaxTokens: boolean;
  /** JSON mode, with the schema among the instructions, in place of a strict schema. */
  readonly usesJsonMode: boolean;
}

/** A complete reply of the model. */
interface RawReply {
  readonly text: string;
  /** Undefined when the reply is whole. */
  readonly failure: ModelFailure | undefined;
  /** As the provider says it; undefined where it says none. */
  readonly finishReason: string | undefined;
  readonly model: string;
  readonly tokens: Tokens;
}

/** Makes one request. Rejects with a {@link ProviderError}, or with any error once the signal is aborted. */
type RequestReply = (question: Question, form: RequestForm, signal: AbortSignal) => Promise<RawReply>;

type Sdk = typeof import('ai');

/** Loads the AI SDK, which is slow, and connects it to the provider. */
export async function loadSdk(options: SdkOptions): Promise<RequestReply> {
  const sdk = await import('ai');
  const model = await loadModel(sdk, options);

  return async (question, form, signal) => {
    try {
      const { text, finishReason, rawFinishReason, response, usage } = await sdk.generateText({
        model,
        instructions: form.usesJsonMode ? withSchema(question) : question.system,
        prompt: question.user,
        output: jsonText(sdk, question, form),
        ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
        ...tokenLimit(form),
        maxRetries: 0,
        abortSignal: signal,
      });
      return {
        text,
        failure: failureOfFinish(finishReason, rawFinishReason),
        finishReason: rawFinishReason,
        model: response.modelId,
        tokens: tokensOf(usage),
      };
    } catch (error) {
      if (error instanceof ProviderError || signal.aborted) throw error;
      // The SDK found no completion in the reply.
      throw new ProviderError('bad_reply');
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
      fetch: async (input, init) => new Response(withJoinedParts(await (await fetch(input, init)).text())),
    }),
    middleware: withoutWarnings,
  });
}

/** Removes warnings, such as about settings that a model ignores, because the SDK prints them to the console. */
const withoutWarnings: LanguageModelMiddleware = {
  wrapGenerate: async ({ doGenerate }) => ({ ...(await doGenerate()), warnings: [] }),
};

/** The reply as text, whatever it is, where JSON is asked for: the SDK would drop a text that is none. */
function jsonText(sdk: Sdk, { name, schema }: Question, { usesJsonMode }: RequestForm) {
  const format = usesJsonMode ? { type: 'json' as const } : { type: 'json' as const, name, schema };
  return { ...sdk.Output.text(), responseFormat: Promise.resolve(format) };
}

function withSchema({ system, schema }: Question): string {
  return `${system}\nThe object matches this JSON Schema: ${JSON.stringify(schema)}`;
}

/**
 * The SDK sends `max_tokens` to models whose names it does not know as those of reasoning models, and
 * `max_completion_tokens` to the others, unless it is told otherwise.
 */
function tokenLimit({ usesMaxTokens }: RequestForm) {
  return usesMaxTokens
    ? { maxOutputTokens: MAX_OUTPUT_TOKENS, providerOptions: { openai: { forceReasoning: false } } }
    : { providerOptions: { openai: { maxCompletionTokens: MAX_OUTPUT_TOKENS } } };
}

/** Names of providers for the end at the limit of tokens, beside `length`, which the SDK knows. */
const lengthReasons: ReadonlySet<string | undefined> = new Set(['model_length', 'max_tokens']);

/** The failure for a finish reason; undefined when the reply is complete or the reason unknown. */
function failureOfFinish(reason: string, raw: string | undefined): ModelFailure | undefined {
  if (reason === 'length' || lengthReasons.has(raw)) return 'truncated';
  return reason === 'content-filter' ? 'refused' : undefined;
}

interface Usage {
  readonly inputTokens?: number | undefined;
  readonly inputTokenDetails: { readonly cacheReadTokens?: number | undefined };
  readonly outputTokens?: number | undefined;
}

function tokensOf({ inputTokens, inputTokenDetails, outputTokens }: Usage): Tokens {
  const input = validCount(inputTokens);
  const cachedInput = Math.min(input, validCount(inputTokenDetails.cacheReadTokens));
  return { input, cachedInput, output: validCount(outputTokens) };
}

/** The provider's count if it is a positive integer, otherwise 0. */
function validCount(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

// Forms of requests

/** Asks the provider once, and counts that in the call. Rejects as {@link RequestReply} does. */
export type Ask = (question: Question, signal: AbortSignal, call: Call) => Promise<RawReply>;

/**
 * Asks in the newest form of a request first. Where the provider says that it does not take a part of it, it is asked
 * again without that part, and the form that it took is kept for all further questions.
 */
export function createAskInForm(request: RequestReply, logger: Logger): Ask {
  let known: RequestForm = { usesMaxTokens: false, usesJsonMode: false };

  const remember = (taken: RequestForm): void => {
    const usesMaxTokens = known.usesMaxTokens || taken.usesMaxTokens;
    const usesJsonMode = known.usesJsonMode || taken.usesJsonMode;
    if (usesMaxTokens === known.usesMaxTokens && usesJsonMode === known.usesJsonMode) return;
    known = { usesMaxTokens, usesJsonMode };
    logger.info('the provider of the language model takes an older form of requests', {
      max_tokens: usesMaxTokens,
      json_mode: usesJsonMode,
    });
  };

  return async (question, signal, call) => {
    let form = known;
    for (;;) {
      try {
        const reply = await countRequest(call, () => request(question, form, signal));
        remember(form);
        return reply;
      } catch (error) {
        const older = olderForm(form, error);
        if (older === undefined) throw error;
        form = older;
      }
    }
  };
}

async function countRequest(call: Call, request: () => Promise<RawReply>): Promise<RawReply> {
  call.requests += 1;
  call.reached += 1;
  try {
    const reply = await request();
    const { input, cachedInput, output } = call.tokens;
    call.tokens = {
      input: input + reply.tokens.input,
      cachedInput: cachedInput + reply.tokens.cachedInput,
      output: output + reply.tokens.output,
    };
    call.replyModel = reply.model;
    call.finishReason = reply.finishReason;
    return reply;
  } catch (error) {
    if (error instanceof ProviderError && !error.isReached) call.reached -= 1;
    throw error;
  }
}

/** The form without what the provider complains about; undefined where that is not in it. */
function olderForm(form: RequestForm, error: unknown): RequestForm | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  if (error.complaint === 'token_limit' && !form.usesMaxTokens) return { ...form, usesMaxTokens: true };
  if (error.complaint === 'schema' && !form.usesJsonMode) return { ...form, usesJsonMode: true };
  return undefined;
}
