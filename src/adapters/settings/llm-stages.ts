/** A stage that can use the language model; the decomposer counts as one. */
export type LlmStage = 'classifier' | 'planner' | 'verifier' | 'responder' | 'decomposer';

/** All values of {@link LlmStage}. */
export const llmStages: readonly LlmStage[] = [
  'classifier',
  'planner',
  'verifier',
  'responder',
  'decomposer',
];

/** The stages that use the language model. */
export function getLlmStages(settings: { readonly LLM_STAGES: readonly string[] }): ReadonlySet<LlmStage> {
  const named = settings.LLM_STAGES.filter(isLlmStage);
  return new Set(named.length === 0 ? llmStages : named);
}

/** True when a name is that of a stage. */
export function isLlmStage(name: string): name is LlmStage {
  const known: readonly string[] = llmStages;
  return known.includes(name);
}
