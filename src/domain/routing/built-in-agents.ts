/** The agents that a service has unless they are left out (specification, section 1). */
export const builtInAgentNames = ['echo', 'summary', 'support_pipeline'] as const;

/** One of {@link builtInAgentNames}. */
export type BuiltInAgentName = (typeof builtInAgentNames)[number];

/** True for the name of a built-in agent. */
export function isBuiltInAgentName(name: string): name is BuiltInAgentName {
  const names: readonly string[] = builtInAgentNames;
  return names.includes(name);
}
