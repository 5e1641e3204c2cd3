import type { LanguageModel, LlmObserver } from '../../../ports/language-model.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import type { Assessor } from '../assessor.ts';
import { createLlmClassify } from './classifier.ts';
import { createAskModel, type LlmStageParts, type ModelStage } from './decide.ts';
import { createLlmPlan } from './planner.ts';
import { createLlmRespond } from './responder.ts';
import { createLlmVerify } from './verifier.ts';

/** Options of {@link createLlmStages}. */
export interface LlmStagesOptions {
  readonly model: LanguageModel;
  /** Reads messages by the playbook of the deterministic stages. */
  readonly assessor: Assessor;
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
  const { enabled } = options;
  const parts: LlmStageParts = { ...options, askModel: createAskModel(options) };
  const { rules } = parts;
  return {
    classify: enabled.has('classifier') ? createLlmClassify(parts) : rules.classify,
    plan: enabled.has('planner') ? createLlmPlan(parts) : rules.plan,
    verify: enabled.has('verifier') ? createLlmVerify(parts) : rules.verify,
    respond: enabled.has('responder') ? createLlmRespond(parts) : rules.respond,
  };
}
