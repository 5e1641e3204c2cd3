import type { Decision } from '../../../domain/message/message.ts';
import type { Awaitable } from '../../../lib/async/awaitable.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { GenerationRequest, LanguageModel, LlmObserver } from '../../../ports/language-model.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import type { Assessor } from '../assessor.ts';
import { PROMPT_VERSION } from './prompts.ts';

/** A stage that can use the model. */
export type ModelStage = 'classifier' | 'planner' | 'verifier' | 'responder';

/** The decision that a stage makes from a model's reply, or the reason why it rejects the reply. */
export type ReviewedReply<T> =
  | { readonly value: T; readonly summary: string; readonly data: JsonObject }
  | { readonly rejected: 'bad_plan' | 'bad_reply' | 'unsafe_reply' };

/** A request to the model, and what to do with the reply. */
export interface ModelQuestion<R, T> {
  readonly request: Omit<GenerationRequest<R>, 'purpose'>;
  /** Makes a decision from the reply, which matches its schema but is otherwise untrusted. */
  review(reply: R): ReviewedReply<T>;
  /** The decision of the rules, for when the model makes none. */
  fallback(): Awaitable<Decision<T>>;
}

/** Asks the model for a decision, and falls back to the rules where the model fails or its reply is rejected. */
export type AskModel = <R, T>(stage: ModelStage, question: ModelQuestion<R, T>) => Promise<Decision<T>>;

/** What a stage with the model is made from. */
export interface LlmStageParts {
  readonly askModel: AskModel;
  readonly assessor: Assessor;
  readonly rules: Stages;
  /** The registered tools, read for each plan. */
  readonly tools: () => readonly Tool[];
}

/** Creates an {@link AskModel}. Tokens and fallbacks are reported to the observer and recorded with the decision. */
export function createAskModel(ports: {
  readonly model: LanguageModel;
  readonly logger: Logger;
  readonly observer: LlmObserver;
}): AskModel {
  const { model, logger, observer } = ports;
  return async (stage, { request, review, fallback }) => {
    const generation = await model({ purpose: stage, ...request });
    const { tokens } = generation;
    if (tokens.input + tokens.output > 0) observer.tokens(stage, tokens.input, tokens.output);
    const reviewed =
      generation.status === 'success' ? review(generation.value) : { rejected: generation.reason };
    if (generation.status === 'success' && 'rejected' in reviewed) {
      logger.warn('a reply of the language model was rejected', { stage, reason: reviewed.rejected });
    }
    const cost = { prompt_version: PROMPT_VERSION, tokens: { input: tokens.input, output: tokens.output } };
    if ('value' in reviewed) {
      return { ...reviewed, source: 'llm', data: { ...reviewed.data, ...cost } };
    }
    if (reviewed.rejected !== 'interrupted') observer.fallback(stage, reviewed.rejected);
    const decision = await fallback();
    return {
      value: decision.value,
      source: 'fallback',
      summary: `Decided by rules, because the language model failed (${reviewed.rejected}): ${decision.summary}`,
      data: { ...decision.data, ...cost, reason: reviewed.rejected },
    };
  };
}
