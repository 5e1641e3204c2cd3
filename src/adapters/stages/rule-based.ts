import type { Stages } from '../../ports/stages.ts';
import { classifyMessage } from './classifier.ts';
import { planToolCalls } from './planner.ts';
import { loadBuiltInPlaybook } from './playbook/load.ts';
import { createResponder } from './responder.ts';
import { verifyAnswer } from './verifier.ts';

/** The options of the deterministic stages. */
export interface RuleBasedOptions {
  /** Messages with a lower confidence, from 0 to 1, are escalated; 0.45 when absent. */
  readonly escalationThreshold?: number;
}

/** The default of `escalationThreshold` (decisions, section 2). */
const DEFAULT_ESCALATION_THRESHOLD = 0.45;

/**
 * The deterministic stages (specification, section 1): they use no network, clock or randomness, and
 * decide the same for the same message.
 */
export function createRuleBasedStages(options: RuleBasedOptions = {}): Stages {
  const { escalationThreshold = DEFAULT_ESCALATION_THRESHOLD } = options;
  const playbook = loadBuiltInPlaybook();
  return {
    classify: (message) => classifyMessage(message),
    plan: (input) => planToolCalls(input, playbook),
    verify: (input) => verifyAnswer(input, { playbook, escalationThreshold }),
    respond: createResponder(playbook),
  };
}
