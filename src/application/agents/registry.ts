import { checkRegistration, registrationError } from '../../domain/registration.ts';
import { isPlainObject } from '../../lib/json/json.ts';
import type { Agent } from '../../ports/agent.ts';
import { toolEffects } from '../../ports/tool.ts';

/** The registered agents, by name. */
export interface AgentRegistry {
  /**
   * Adds an agent. Throws `registration` for a name that is already registered or not 1 to 64 letters, digits, `_`,
   * `-`, `.`, and for an incomplete agent.
   */
  register(agent: Agent): void;
  /** True for the name of a registered agent. */
  has(name: string): boolean;
  /** The agent of that name, or undefined. */
  get(name: string): Agent | undefined;
  /** All agents, in the order of their registration. */
  list(): readonly Agent[];
}

/** Creates an empty agent registry. */
export function createAgentRegistry(): AgentRegistry {
  const agents = new Map<string, Agent>();
  return {
    register(agent) {
      checkRegistration('agent', agent.name, (name) => agents.has(name));
      checkAgent(agent);
      agents.set(agent.name, agent);
    },
    has: (name) => agents.has(name),
    get: (name) => agents.get(name),
    list: () => [...agents.values()],
  };
}

/** Checks the members that the bus uses: agents may come from modules that were not type-checked. */
function checkAgent(agent: Agent): void {
  const error = (text: string) => registrationError('agent', agent.name, text);
  if (typeof agent.description !== 'string') throw error('has no description');
  if (typeof agent.handle !== 'function') throw error('has no handle function');
  const keywords: unknown = agent.keywords ?? [];
  if (!Array.isArray(keywords) || !keywords.every((keyword) => typeof keyword === 'string')) {
    throw error('has keywords that are not a list of words');
  }
  const inputSchema: unknown = agent.inputSchema ?? null;
  if (inputSchema !== null && !isPlainObject(inputSchema)) {
    throw error('has an input schema that is not an object');
  }
  if (agent.effect !== undefined && !toolEffects.includes(agent.effect)) {
    throw error(`has an unknown effect: expected one of ${toolEffects.join(', ')}`);
  }
}
