import type { Stages } from '../../ports/stages.ts';
import type { Assessor } from './assessor.ts';
import { classifyMessage } from './classifier.ts';
import { planToolCalls } from './planner.ts';
import { createResponder } from './responder.ts';
import { verifyAnswer } from './verifier.ts';

/** The default of `escalationThreshold` (decisions, section 2). */
export const DEFAULT_ESCALATION_THRESHOLD = 0.45;

/**
 * Creates the deterministic stages (specification, section 1): they use no clock or randomness, and no network but
 * for the vectors of an embedding model where there is one, and decide the same for the same message and vector.
 * Messages with a lower confidence than `escalationThreshold` are escalated.
 */
export function createStagesOf(assessor: Assessor, escalationThreshold: number): Stages {
  return {
    classify(message) {
      const pending = assessor.findVector(message);
      if (pending === undefined) return classifyMessage(message, assessor);
      return pending.then((hasVector) => classifyMessage(message, assessor, hasVector));
    },
    plan: (input) => planToolCalls(input, assessor),
    verify: (input) => verifyAnswer(input, { assessor, escalationThreshold }),
    respond: createResponder(assessor),
  };
}
