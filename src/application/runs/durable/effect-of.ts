import type { Step } from '../../../domain/workflow/definition.ts';
import type { ToolEffect } from '../../../ports/tool.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { ToolRegistry } from '../../tools/registry.ts';

/** The registries that know the effects of steps. */
export interface EffectSources {
  readonly tools: Pick<ToolRegistry, 'get'>;
  readonly agents: Pick<AgentRegistry, 'get'>;
}

/** Creates the function that tells the effect of a step: `write` for one whose tool or agent is unknown. */
export function createEffectOf({ tools, agents }: EffectSources): (step: Step) => ToolEffect {
  return (step) => {
    if (step.kind === 'agent') return agents.get(step.agentName)?.effect ?? 'write';
    // The other kinds act by the events of the run alone, of which none is repeated.
    if (step.kind !== 'tool') return 'idempotent';
    const tool = tools.get(step.toolName);
    return tool === undefined ? 'write' : (tool.effect ?? 'read');
  };
}
