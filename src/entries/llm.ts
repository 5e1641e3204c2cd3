/** Stages and decomposition that ask a language model. */

import { decomposeByKeywords } from '../adapters/decomposer/keyword.ts';
import { createLlmDecomposer } from '../adapters/decomposer/llm.ts';
import { createLanguageModel } from '../adapters/llm/language-model.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { createLlmStages } from '../adapters/stages/llm/stages.ts';
import { createRuleBasedStages } from '../adapters/stages/rule-based.ts';
import { noTelemetry } from '../adapters/telemetry/none.ts';
import type { HealthProbe } from '../ports/health-probe.ts';
import type { LlmObserver } from '../ports/language-model.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { Ports } from '../ports/ports.ts';
import type { Stages } from '../ports/stages.ts';
import type { ServiceTelemetry } from '../ports/telemetry.ts';
import type { Tool } from '../ports/tool.ts';

export type { LlmObserver } from '../ports/language-model.ts';

/** Who decides by asking the model. */
export type LlmDecider = 'classifier' | 'planner' | 'verifier' | 'responder' | 'decomposer';

/** Which model is asked, by whom, and what stands in where it fails. */
export interface LanguageModelOptions {
  readonly apiKey: string;
  /** Address of an OpenAI-compatible server, up to and including `/v1`; the provider's own when absent. */
  readonly baseUrl?: string;
  /** `gpt-4o-mini` when absent. */
  readonly model?: string;
  /** Milliseconds for one call in all; 15,000 when absent. */
  readonly timeoutMs?: number;
  /** Tries after the first, for failures that another try can mend; 2 when absent. */
  readonly maxRetries?: number;
  /** Who asks the model; all when absent. The others go by the rules. */
  readonly deciders?: readonly LlmDecider[];
  /** The tools that the planner may choose from, asked at every plan: `() => orchestrator.tools.list()`. */
  readonly tools: () => readonly Tool[];
  /** The stages that bound what the model may do and stand in where it fails; the rule-based ones when absent. */
  readonly rules?: Stages;
  /** Absent, nothing is logged. */
  readonly logger?: Logger;
  /** Absent, calls have no spans. */
  readonly telemetry?: ServiceTelemetry;
  /** Told of fallbacks and tokens, such as the `llm` of `createMetrics`. */
  readonly observer?: LlmObserver;
}

/** A language model that decides. */
export interface ConnectedLanguageModel {
  /** The ports that ask the model, for `defaultPorts`. */
  readonly ports: Pick<Ports, 'stages' | 'decompose'>;
  /** Whether the provider can serve, for `createHealth`. */
  readonly probe: HealthProbe;
}

const everybody: readonly LlmDecider[] = ['classifier', 'planner', 'verifier', 'responder', 'decomposer'];

/**
 * Lets an OpenAI-compatible model decide, never with more say than the rules allow; where it fails, they decide in its
 * place. Loads the provider's SDK; nothing is sent before the first decision.
 */
export async function connectLanguageModel(options: LanguageModelOptions): Promise<ConnectedLanguageModel> {
  const { apiKey, baseUrl, tools, logger = silentLogger, telemetry = noTelemetry } = options;
  const { observer = { fallback: () => undefined, tokens: () => undefined } } = options;
  const { model, probe } = await createLanguageModel({
    apiKey,
    baseUrl,
    model: options.model ?? 'gpt-4o-mini',
    timeoutMs: options.timeoutMs ?? 15_000,
    maxRetries: options.maxRetries ?? 2,
    clock: systemClock,
    random: Math.random,
    logger,
    telemetry,
    injectHeaders: telemetry.inject,
  });
  const rules = options.rules ?? createRuleBasedStages();
  const enabled = new Set(options.deciders ?? everybody);
  const stages = createLlmStages({ model, rules, enabled, tools, logger, observer });
  const keyword = decomposeByKeywords;
  const decompose = enabled.has('decomposer')
    ? createLlmDecomposer({ model, keyword, logger, observer })
    : keyword;
  return { ports: { stages, decompose }, probe };
}
