import type { LanguageModel, LlmObserver } from '../../../ports/language-model.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import { createLlmClassify } from './classifier.ts';
import { createAskModel, type ModelStage } from './decide.ts';
import { createLlmPlan } from './planner.ts';
import { createLlmRespond } from './responder.ts';
import { createLlmVerify } from './verifier.ts';

/** Options of {@link createLlmStages}. */
export interface LlmStagesOptions {
  readonly model: LanguageModel;
  /** The deterministic stages: they decide where the model is not used or fails, and limit what it may do. */
  readonly rules: Stages;
  /** The stages that use the model. */
  readonly enabled: { has(stage: ModelStage): boolean };
  /** The registered tools, read for each plan. */
  readonly tools: () => readonly Tool[];
  readonly logger: Logger;
  readonly observer: LlmObserver;
}

/**
 * Creates the four stages with a language model. The rules limit the model: it plans only tools that read, adds
 * escalations but removes none, and its reply is checked. When it fails, the rules decide, with the source `fallback`
 * and the reason.
 */
export function createLlmStages(options: LlmStagesOptions): Stages {
  const { rules, enabled, tools } = options;
  const askModel = createAskModel(options);
  return {
    classify: enabled.has('classifier') ? createLlmClassify(askModel, rules) : rules.classify,
    plan: enabled.has('planner') ? createLlmPlan(askModel, rules, tools) : rules.plan,
    verify: enabled.has('verifier') ? createLlmVerify(askModel, rules) : rules.verify,
    respond: enabled.has('responder') ? createLlmRespond(askModel, rules) : rules.respond,
  };
}
