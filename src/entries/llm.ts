/** Stages and a decomposer that use a language model. */

import { decomposeByKeywords } from '../adapters/decomposer/keyword.ts';
import { createLlmDecomposer } from '../adapters/decomposer/llm.ts';
import { createLanguageModel } from '../adapters/llm/language-model.ts';
import type { PlaybookSetup } from '../adapters/playbook-setup.ts';
import { createAssessorFor, type RuleBasedOptions } from '../adapters/rule-based.ts';
import { type LlmStage, llmStages } from '../adapters/settings/llm-stages.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { createLlmStages } from '../adapters/stages/llm/stages.ts';
import { createStagesOf, DEFAULT_ESCALATION_THRESHOLD } from '../adapters/stages/rule-based.ts';
import { noTelemetry } from '../adapters/telemetry/none.ts';
import { createArticleFinder } from '../adapters/tools/help-center/search.ts';
import { priceOf } from '../domain/model-price.ts';
import type { IntentClassifier } from '../domain/playbook/intent-classifier.ts';
import type { Playbook } from '../domain/playbook/playbook.ts';
import type { HealthProbe } from '../ports/health-probe.ts';
import type { LlmObserver } from '../ports/language-model.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { Ports } from '../ports/ports.ts';
import type { Stages } from '../ports/stages.ts';
import type { ServiceTelemetry } from '../ports/telemetry.ts';
import type { Tool } from '../ports/tool.ts';

export type { LlmStage } from '../adapters/settings/llm-stages.ts';
export type { LlmObserver } from '../ports/language-model.ts';

/** Options of {@link connectLanguageModel}. */
export interface LanguageModelOptions {
  readonly apiKey: string;
  /** Address of an OpenAI-compatible server, up to and including `/v1`; the provider's own when absent. */
  readonly baseUrl?: string;
  /** `gpt-4o-mini` when absent. */
  readonly model?: string;
  /** From 0 to 2; not sent when absent, as not all models take one. */
  readonly temperature?: number;
  /** Timeout of one call with all its tries, in milliseconds; 15,000 when absent. */
  readonly timeoutMs?: number;
  /** Tries after the first, for failures that may be temporary; 2 when absent. */
  readonly maxRetries?: number;
  /** The stages that use the model; all when absent. The other ones use the rules. */
  readonly stages?: readonly LlmStage[];
  /** Returns the tools that the planner can choose from, called for every plan: `() => orchestrator.tools.list()`. */
  readonly tools: () => readonly Tool[];
  /** The intents and replies of the company; the built-in playbook when absent. Give it to `defaultPorts` too. */
  readonly playbook?: Playbook;
  /** Tells the intents of the playbook apart, such as a trained one. */
  readonly classifier?: IntentClassifier;
  /** False for a service without an inbox, as for the rule-based stages; true when absent. */
  readonly hasInbox?: boolean;
  /** The stages that limit what the model may decide and replace it when it fails; the rule-based ones when absent. */
  readonly rules?: Stages;
  /** Nothing is logged when absent. */
  readonly logger?: Logger;
  /** Calls have no spans when absent. */
  readonly telemetry?: ServiceTelemetry;
  /** Counts fallbacks and tokens, such as the `llm` of `createMetrics`. */
  readonly observer?: LlmObserver;
}

/** A connected language model. */
export interface ConnectedLanguageModel {
  /** The ports that use the model, for `defaultPorts`. */
  readonly ports: Pick<Ports, 'stages' | 'decompose'>;
  /**
   * Creates stages that use the model for another playbook, such as one that was reloaded, with the tools as its
   * messages see them.
   */
  stagesFor(setup: Pick<PlaybookSetup, 'playbook' | 'classifier'>, tools: () => readonly Tool[]): Stages;
  /** Checks the provider, for `createHealth`. */
  readonly probe: HealthProbe;
}

/** The model where none is named. */
const DEFAULT_MODEL = 'gpt-4o-mini';

/**
 * Connects stages and the decomposer to an OpenAI-compatible model. The model decides only what the rules allow, and
 * the rules decide when it fails. Loads the provider's SDK; sends nothing before the first decision.
 */
export async function connectLanguageModel(options: LanguageModelOptions): Promise<ConnectedLanguageModel> {
  const { apiKey, baseUrl, hasInbox, logger = silentLogger, telemetry = noTelemetry } = options;
  const { observer = { fallback: () => undefined, tokens: () => undefined } } = options;
  const { model, probe } = await createLanguageModel({
    apiKey,
    baseUrl,
    model: options.model ?? DEFAULT_MODEL,
    temperature: options.temperature,
    timeoutMs: options.timeoutMs ?? 15_000,
    maxRetries: options.maxRetries ?? 2,
    clock: systemClock,
    random: Math.random,
    logger,
    telemetry,
    injectHeaders: telemetry.inject,
  });
  const enabled = new Set(options.stages ?? llmStages);
  const createStages = (
    { playbook, classifier }: Pick<RuleBasedOptions, 'playbook' | 'classifier'>,
    tools: () => readonly Tool[],
    given?: Stages,
  ): Stages => {
    const assessor = createAssessorFor({ playbook, classifier, hasInbox });
    const rules = given ?? createStagesOf(assessor, DEFAULT_ESCALATION_THRESHOLD);
    return createLlmStages({
      model,
      assessor,
      rules,
      enabled,
      tools,
      logger,
      observer,
      clock: systemClock,
      findArticles: createArticleFinder(assessor.playbook.articles),
      price: priceOf(assessor.playbook.models, options.model ?? DEFAULT_MODEL),
    });
  };
  const stages = createStages(options, options.tools, options.rules);
  const keyword = decomposeByKeywords;
  const decompose = enabled.has('decomposer')
    ? createLlmDecomposer({ model, keyword, logger, observer })
    : keyword;
  return {
    ports: { stages, decompose },
    stagesFor: (setup, tools) => createStages(setup, tools),
    probe,
  };
}
