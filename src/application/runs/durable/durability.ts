import type { Limits } from '../../../domain/limits.ts';
import type { RecoveryPolicy } from '../../../domain/run/recover.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ItemWriter } from '../../inbox/item-writer.ts';
import { createWaitItems } from '../waits/wait-items.ts';
import type { Durability } from './durable-runs.ts';
import { createEffectOf, type EffectSources } from './effect-of.ts';

/** What {@link createDurability} is made of. */
export interface DurabilityParts extends EffectSources {
  readonly ports: Pick<Ports, 'inbox' | 'playbook' | 'runs'>;
  /** Undefined where the inbox is off. */
  readonly items: ItemWriter | undefined;
}

/** Creates {@link Durability}. Throws a `TypeError` for the policy `ask` without an inbox: nobody would be asked. */
export function createDurability(
  policy: RecoveryPolicy,
  { ports, items, tools, agents }: DurabilityParts,
  limits: Pick<Limits, 'maxInputBytes'>,
): Durability {
  if (policy.unknownOutcome === 'ask' && items === undefined) {
    throw new TypeError('recovery: the policy ask needs the inbox');
  }
  const effectOf = createEffectOf({ tools, agents });
  return {
    policy,
    mayRepeat: (step) => effectOf(step) !== 'write',
    items: createWaitItems({ ports, items, effectOf }, limits),
  };
}
