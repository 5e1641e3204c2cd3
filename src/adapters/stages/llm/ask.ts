import { createHash } from 'node:crypto';
import { costOf, type ModelPrice } from '../../../domain/model-price.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { GenerationRequest, LanguageModel, LlmObserver, Tokens } from '../../../ports/language-model.ts';
import type { Logger } from '../../../ports/logger.ts';

/** The use of calls of the model. */
export interface Usage {
  readonly calls: number;
  readonly tokens: Tokens;
}

/** The outcome of a question: the reply, or why there is none. */
export type Asked<R> = (
  | { readonly reply: R; readonly failure?: undefined }
  | { readonly reply?: undefined; readonly failure: string }
) & { readonly usage: Usage };

/** Asks the model. Never rejects: a failure is reported to the observer and is a part of the outcome. */
export type Ask = <R>(request: GenerationRequest<R>) => Promise<Asked<R>>;

/** No call at all. */
export const noUsage: Usage = { calls: 0, tokens: { input: 0, cachedInput: 0, output: 0 } };

/** Creates an {@link Ask}. */
export function createAsk({
  model,
  observer,
}: {
  readonly model: LanguageModel;
  readonly observer: LlmObserver;
}): Ask {
  return async (request) => {
    const generation = await model(request);
    const { tokens } = generation;
    if (tokens.input + tokens.output > 0)
      observer.tokens(request.purpose, tokens.input, tokens.output, tokens.cachedInput);
    const usage: Usage = { calls: generation.calls, tokens };
    return generation.status === 'success'
      ? { reply: generation.value, usage }
      : { failure: generation.reason, usage };
  };
}

/** Reports that the rules decide in place of the model. A shutdown is no failure of the model. */
export function reportFallback(
  { observer, logger }: { readonly observer: LlmObserver; readonly logger: Logger },
  stage: string,
  reason: string,
): void {
  if (reason === 'interrupted') return;
  observer.fallback(stage, reason);
  if (reason === 'bad_plan' || reason === 'unsafe_reply')
    logger.warn('a reply of the language model was rejected', { stage, reason });
}

/** The use of several calls together. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    calls: one.calls + other.calls,
    tokens: {
      input: one.tokens.input + other.tokens.input,
      cachedInput: one.tokens.cachedInput + other.tokens.cachedInput,
      output: one.tokens.output + other.tokens.output,
    },
  };
}

/** The use of calls, for the data of a decision. Empty where there was no call. */
export function describeUsage({ calls, tokens }: Usage, price: ModelPrice | undefined): JsonObject {
  if (calls === 0) return {};
  const { input, cachedInput, output } = tokens;
  return {
    calls,
    tokens: { input, cached_input: cachedInput, output },
    ...(price === undefined ? {} : { cost: costOf(tokens, price), currency: price.currency ?? null }),
  };
}

/** The version of a prompt: another text has another one. */
export function promptVersion(instructions: string): string {
  return createHash('sha256').update(instructions).digest('hex').slice(0, 12);
}
