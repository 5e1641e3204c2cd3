import type { RecoveryPolicy } from '../../../domain/run/recover.ts';
import type { Step } from '../../../domain/workflow/definition.ts';
import type { ToolEffect } from '../../../ports/tool.ts';
import type { Durability } from './durable-runs.ts';

/** What {@link createDurability} is made of. */
export interface DurabilityParts {
  readonly hasInbox: boolean;
  readonly effectOf: (step: Step) => ToolEffect;
}

/** Creates {@link Durability}. Throws a `TypeError` for the policy `ask` without an inbox: nobody would be asked. */
export function createDurability(
  policy: RecoveryPolicy,
  { hasInbox, effectOf }: DurabilityParts,
): Durability {
  if (policy.unknownOutcome === 'ask' && !hasInbox) {
    throw new TypeError('recovery: the policy ask needs the inbox');
  }
  return { policy, mayRepeat: (step) => effectOf(step) !== 'write' };
}
