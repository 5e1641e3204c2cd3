/** Ports that need no network, together and separately. */

export { checkFits } from '../adapters/classifier/fits.ts';
export type { IntentFigures, ModelFigures } from '../adapters/classifier/model.ts';
export { ModelFileError } from '../adapters/classifier/model-file.ts';
export type { RankByRules } from '../adapters/classifier/rule-features.ts';
export { loadTrainedClassifier, type TrainedClassifier } from '../adapters/classifier/trained.ts';
export { defaultPorts } from '../adapters/defaults.ts';
export {
  createMemoryRateLimiter,
  type MemoryRateLimiterOptions,
} from '../adapters/memory/rate-limiter.ts';
export { memoryStorage } from '../adapters/memory/storage.ts';
export { createRuleBasedStages, type RuleBasedOptions } from '../adapters/rule-based.ts';
export { createRuleRanking } from '../adapters/stages/rule-ranking.ts';
export type { IntentClassifier, RankedIntent } from '../domain/playbook/intent-classifier.ts';
export type { StoragePorts } from '../ports/ports.ts';
