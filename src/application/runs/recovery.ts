import type { RecoveryPolicy } from '../../domain/run/recover.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import type { ToolEffect } from '../../ports/tool.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Durability } from './claims.ts';

/** Creates the function that tells the effect of a step: `write` for one whose tool or agent is unknown. */
export function createEffectOf({
  tools,
  agents,
}: {
  readonly tools: Pick<ToolRegistry, 'get'>;
  readonly agents: Pick<AgentRegistry, 'get'>;
}): (step: Step) => ToolEffect {
  return (step) => {
    if (step.kind === 'agent') return agents.get(step.agentName)?.effect ?? 'write';
    // The other kinds act by the events of the run alone, of which none is repeated.
    if (step.kind !== 'tool') return 'idempotent';
    const tool = tools.get(step.toolName);
    return tool === undefined ? 'write' : (tool.effect ?? 'read');
  };
}

/** Creates {@link Durability}. Throws a `TypeError` for the policy `ask` without an inbox. */
export function createDurability(
  policy: RecoveryPolicy,
  {
    hasInbox,
    effectOf,
    ready,
  }: Pick<Durability, 'ready'> & {
    readonly hasInbox: boolean;
    readonly effectOf: (step: Step) => ToolEffect;
  },
): Durability {
  if (policy.unknownOutcome === 'ask' && !hasInbox) {
    throw new TypeError('recovery: the policy ask needs the inbox');
  }
  return { policy, mayRepeat: (step) => effectOf(step) !== 'write', ready };
}
