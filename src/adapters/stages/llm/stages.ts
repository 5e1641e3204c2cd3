import type { LanguageModel, LlmObserver } from '../../../ports/language-model.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import { createLlmClassify } from './classifier.ts';
import { createDecide, type ModelStage } from './decide.ts';
import { createLlmPlan } from './planner.ts';
import { createLlmRespond } from './responder.ts';
import { createLlmVerify } from './verifier.ts';

export interface LlmStagesOptions {
  readonly model: LanguageModel;
  /** The deterministic stages: they decide where the model is not asked or fails, and bound what it may do. */
  readonly rules: Stages;
  /** The stages that the model backs; the rules keep the others to themselves. */
  readonly enabled: { has(stage: ModelStage): boolean };
  /** The tools registered by the time of a plan. */
  readonly tools: () => readonly Tool[];
  readonly logger: Logger;
  readonly observer: LlmObserver;
}

/**
 * The four stages backed by a language model, under the same contract as the deterministic ones. The model never
 * has more say than the rules allow: it plans only reading tools, adds escalations but removes none, and its reply
 * holds nothing that cannot be sent. Whenever it fails, the rules decide, with source `fallback` and the reason.
 */
export function createLlmStages(options: LlmStagesOptions): Stages {
  const { rules, enabled, tools } = options;
  const decide = createDecide(options);
  return {
    classify: enabled.has('classifier') ? createLlmClassify(decide, rules) : rules.classify,
    plan: enabled.has('planner') ? createLlmPlan(decide, rules, tools) : rules.plan,
    verify: enabled.has('verifier') ? createLlmVerify(decide, rules) : rules.verify,
    respond: enabled.has('responder') ? createLlmRespond(decide, rules) : rules.respond,
  };
}
