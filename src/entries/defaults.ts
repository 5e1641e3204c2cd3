/** Ports that need no network, together and separately. */

export {
  checkFits,
  type IntentFigures,
  loadTrainedClassifier,
  type ModelFigures,
  ModelFileError,
  type TrainedClassifier,
} from '../adapters/classifier/intent-model.ts';
export { defaultPorts } from '../adapters/defaults.ts';
export {
  createMemoryRateLimiter,
  type MemoryRateLimiterOptions,
} from '../adapters/memory/rate-limiter.ts';
export { memoryStorage } from '../adapters/memory-storage.ts';
export { createRuleBasedStages, type RuleBasedOptions } from '../adapters/rule-based.ts';
export type {
  IntentClassifier,
  RankedIntent,
  TextVector,
  UsableVectors,
  VectorSpace,
} from '../domain/playbook/intent-classifier.ts';
export type { StoragePorts } from '../ports/ports.ts';
