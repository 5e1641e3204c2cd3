import type { Stages } from '../../ports/stages.ts';
import { decideIntent } from './classifier.ts';
import { decidePlan } from './planner.ts';
import { decideReply } from './responder.ts';
import { decideVerdict } from './verifier.ts';

/** What the deterministic stages can be told. */
export interface RuleBasedOptions {
  /** The classifier's confidence, from 0 to 1, below which a message goes to a person. */
  readonly escalationThreshold: number;
}

/**
 * The deterministic stages (specification, section 1): no network, no clock, no randomness; each returns at once
 * and the same for the same message.
 */
export function createRuleBasedStages({ escalationThreshold }: RuleBasedOptions): Stages {
  return {
    classify: (message) => decideIntent(message),
    plan: (input) => decidePlan(input),
    verify: (input) => decideVerdict(input, escalationThreshold),
    respond: (input) => decideReply(input),
  };
}
