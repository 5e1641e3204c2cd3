import { isObject } from './steps.ts';

/** The effect of a step on the world, as far as the service says. */
export interface StepEffect {
  readonly id: string;
  /** Its target: `tool book_refund`. */
  readonly calls: string;
  /**
   * `write`, `idempotent`, `read`; `asks`, `waits` and `runs` for steps that call nothing; `unknown` where nobody says.
   */
  readonly effect: string;
}

/** Effects by the names of tools and agents. */
export interface KnownEffects {
  readonly tools: ReadonlyMap<string, string>;
  readonly agents: ReadonlyMap<string, string>;
}

/** The effect of each step of a definition, in its order. */
export function effectsOf(
  steps: readonly Readonly<Record<string, unknown>>[],
  { tools, agents }: KnownEffects,
): readonly StepEffect[] {
  return steps.filter(isObject).map((step) => {
    const { id, kind, tool_name: tool, agent_name: agent, workflow_id: workflow } = step;
    const name = { tool, agent, workflow }[String(kind)];
    const calls = typeof name === 'string' ? `${kind} ${name}` : String(kind);
    return { id: String(id), calls, effect: effectOf(String(kind), String(name), tools, agents) };
  });
}

function effectOf(
  kind: string,
  name: string,
  tools: ReadonlyMap<string, string>,
  agents: ReadonlyMap<string, string>,
): string {
  switch (kind) {
    case 'tool':
      return tools.get(name) ?? 'unknown';
    case 'agent':
      return agents.get(name) ?? 'unknown';
    case 'workflow':
      return 'runs';
    default:
      return kind === 'approval' ? 'asks' : 'waits';
  }
}

/**
 * True for an effect that changes something outside the service. A tool that is idempotent recognises a repeat within
 * its run; a new run makes it act again.
 */
export const acts = (effect: string): boolean => effect === 'write' || effect === 'idempotent';
