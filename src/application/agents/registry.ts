import { checkRegistration, registrationError } from '../../domain/registration.ts';
import type { Agent } from '../../ports/agent.ts';

/** The agents that there are, by name. */
export interface AgentRegistry {
  /**
   * Adds an agent; throws `registration` for a name that is taken or not 1 to 64 of letters, digits, `_`, `-`, `.`,
   * or an agent that is not whole.
   */
  register(agent: Agent): void;
  has(name: string): boolean;
  /** The agent of that name, or undefined. */
  get(name: string): Agent | undefined;
  /** All agents, in the order of their registration. */
  list(): readonly Agent[];
}

/** An empty agent registry. */
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

/** Agents may come from modules that nobody type-checked, so what is relied on is looked at once. */
function checkAgent(agent: Agent): void {
  const fault = (text: string) => registrationError('agent', agent.name, text);
  if (typeof agent.description !== 'string') throw fault('has no description');
  if (typeof agent.handle !== 'function') throw fault('has no handle function');
  const keywords: unknown = agent.keywords ?? [];
  if (!Array.isArray(keywords) || !keywords.every((keyword) => typeof keyword === 'string')) {
    throw fault('has keywords that are no list of words');
  }
}
