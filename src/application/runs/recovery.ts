import type { RecoveryPolicy } from '../../domain/run/recover.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import type { RunListener, RunLog } from '../../ports/storage/run-log.ts';
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
  { hasInbox, effectOf }: { readonly hasInbox: boolean; readonly effectOf: (step: Step) => ToolEffect },
): Durability {
  if (policy.unknownOutcome === 'ask' && !hasInbox) {
    throw new TypeError('recovery: the policy ask needs the inbox');
  }
  return { policy, mayRepeat: (step) => effectOf(step) !== 'write' };
}

/**
 * A log whose listener is told of abandoned runs only after `start`, of those that were held back until then as well.
 * A log tells of them as soon as it has a listener, which may be before the tools of their steps are registered. Signals
 * come at once.
 */
export function holdRecovery(runs: RunLog): { readonly runs: RunLog; start(): void } {
  const started = Promise.withResolvers<void>();
  const held = (listener: RunListener): RunListener => ({
    onSignal: (runId, signal) => listener.onSignal(runId, signal),
    async onAbandoned(runId, signal) {
      await started.promise;
      await listener.onAbandoned(runId, signal);
    },
    onLost: (runId) => listener.onLost(runId),
  });
  return {
    runs: { ...runs, listen: (listener) => runs.listen(held(listener)) },
    start: started.resolve,
  };
}
