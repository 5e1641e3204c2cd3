import type { Decision } from '../../../domain/message/message.ts';
import type { Awaitable } from '../../../lib/async/awaitable.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { GenerationRequest, LanguageModel, LlmObserver } from '../../../ports/language-model.ts';
import type { Logger } from '../../../ports/logger.ts';
import { PROMPT_VERSION } from './prompts.ts';

/** A stage that the model can back. */
export type ModelStage = 'classifier' | 'planner' | 'verifier' | 'responder';

/** What a stage makes of a model's reply: a decision, or the safe word for why it takes none from it. */
export type Judged<T> =
  | { readonly value: T; readonly summary: string; readonly data: JsonObject }
  | { readonly refused: 'bad_plan' | 'bad_reply' | 'unsafe_reply' };

/** A decision to be put to the model. */
export interface Question<R, T> {
  readonly request: Omit<GenerationRequest<R>, 'purpose'>;
  /** Turns the model's reply into the stage's decision. The reply fits its schema, and is to be trusted no further. */
  judge(reply: R): Judged<T>;
  /** The decision by rules, for when the model has none. */
  byRules(): Awaitable<Decision<T>>;
}

/** Puts a decision to the model, and leaves it to the rules where the model fails or is refused. */
export type Decide = <R, T>(stage: ModelStage, question: Question<R, T>) => Promise<Decision<T>>;

/** See {@link Decide}. Tokens and fallbacks are told to the observer and recorded with the decision. */
export function createDecide(ports: {
  readonly model: LanguageModel;
  readonly logger: Logger;
  readonly observer: LlmObserver;
}): Decide {
  const { model, logger, observer } = ports;
  return async (stage, { request, judge, byRules }) => {
    const generation = await model({ purpose: stage, ...request });
    const { tokens } = generation;
    if (tokens.input + tokens.output > 0) observer.tokens(stage, tokens.input, tokens.output);
    const judged = generation.status === 'success' ? judge(generation.value) : { refused: generation.reason };
    if (generation.status === 'success' && 'refused' in judged) {
      logger.warn('a reply of the language model was refused', { stage, reason: judged.refused });
    }
    const cost = { prompt_version: PROMPT_VERSION, tokens: { input: tokens.input, output: tokens.output } };
    if ('value' in judged) {
      return { ...judged, source: 'llm', data: { ...judged.data, ...cost } };
    }
    if (judged.refused !== 'interrupted') observer.fallback(stage, judged.refused);
    const decided = await byRules();
    return {
      value: decided.value,
      source: 'fallback',
      summary: `By rules, as the language model failed (${judged.refused}): ${decided.summary}`,
      data: { ...decided.data, ...cost, reason: judged.refused },
    };
  };
}
