import type { Stages } from '../../ports/stages.ts';
import { decideIntent } from './classifier.ts';
import { decidePlan } from './planner.ts';
import { decideReply } from './responder.ts';
import { decideVerdict } from './verifier.ts';

/** What the deterministic stages can be told. */
export interface RuleBasedOptions {
  /** The classifier's confidence, from 0 to 1, below which a message goes to a person; 0.45 when absent. */
  readonly escalationThreshold?: number;
}

/** Below this confidence a message goes to a person (decisions, section 2). */
const ESCALATION_THRESHOLD = 0.45;

/**
 * The deterministic stages (specification, section 1): no network, no clock, no randomness; each returns at once
 * and the same for the same message.
 */
export function createRuleBasedStages(options: RuleBasedOptions = {}): Stages {
  const { escalationThreshold = ESCALATION_THRESHOLD } = options;
  return {
    classify: (message) => decideIntent(message),
    plan: (input) => decidePlan(input),
    verify: (input) => decideVerdict(input, escalationThreshold),
    respond: (input) => decideReply(input),
  };
}
