/** Ports that need no network, together and separately. */

export { defaultPorts } from '../adapters/defaults.ts';
export {
  createMemoryRateLimiter,
  type MemoryRateLimiterOptions,
} from '../adapters/memory/rate-limiter.ts';
export { memoryStorage } from '../adapters/memory/storage.ts';
export { createRuleBasedStages, type RuleBasedOptions } from '../adapters/stages/rule-based.ts';
export type { StoragePorts } from '../ports/ports.ts';
