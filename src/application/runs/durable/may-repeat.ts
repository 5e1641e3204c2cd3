import type { Step } from '../../../domain/workflow/definition.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { ToolRegistry } from '../../tools/registry.ts';

/** The registries that know the effects of steps. */
export interface EffectSources {
  readonly tools: Pick<ToolRegistry, 'get'>;
  readonly agents: Pick<AgentRegistry, 'get'>;
}

/** Creates the function that tells whether a step may act twice. One whose tool or agent is unknown may not. */
export function createMayRepeat({ tools, agents }: EffectSources): (step: Step) => boolean {
  return (step) => {
    if (step.kind === 'agent') {
      const { effect = 'write' } = agents.get(step.agentName) ?? {};
      return effect !== 'write';
    }
    const tool = tools.get(step.toolName);
    return tool !== undefined && tool.effect !== 'write';
  };
}
