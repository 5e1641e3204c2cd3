import { effectWord } from '../ui/effect-words.ts';
import type { GraphEdge, GraphNode } from './types.ts';

/** The members of a step of a workflow that its node shows, as `GET /workflows/{id}` names them. */
export interface DefinitionStep {
  readonly id: string;
  readonly kind: string;
  readonly tool_name?: string | undefined;
  readonly agent_name?: string | undefined;
  readonly workflow_id?: string | undefined;
  readonly definition?: { readonly steps: unknown } | undefined;
  readonly duration_ms?: number | undefined;
  readonly title?: string | undefined;
  readonly depends_on: readonly string[];
  readonly foreach?: { readonly items?: unknown } | undefined;
}

/** The members of a workflow that its graph shows. */
export interface GraphDefinition {
  readonly steps: readonly DefinitionStep[];
  readonly layers: readonly (readonly string[])[];
}

/** The members of a run that its graph shows. */
export interface RunStatuses {
  readonly step_results: Readonly<Record<string, { readonly status: string }>>;
}

/** The values that the graph shows beside the definition. */
export interface GraphOptions {
  /** The effects of tools and agents by their names: `read`, `idempotent` or `write`. */
  readonly effects?:
    | { readonly tools: ReadonlyMap<string, string>; readonly agents: ReadonlyMap<string, string> }
    | undefined;
}

/** The nodes and edges of a workflow, in the order of its steps. */
export function toGraph(
  { steps, layers }: GraphDefinition,
  { effects }: GraphOptions = {},
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
  const layerOf = new Map(layers.flatMap((ids, layer) => ids.map((id): [string, number] => [id, layer])));
  return {
    nodes: steps.map((step) => ({
      id: step.id,
      layer: layerOf.get(step.id) ?? 0,
      kind: step.kind,
      detail: detailOf(step),
      badge: badgeOf(step, effects),
    })),
    edges: steps.flatMap(({ id, depends_on }) => depends_on.map((from) => ({ from, to: id }))),
  };
}

/** The nodes with the statuses of a run. Steps that the run does not have keep none. */
export function withStatuses(
  nodes: readonly GraphNode[],
  { step_results }: RunStatuses,
): readonly GraphNode[] {
  return nodes.map((node) =>
    Object.hasOwn(step_results, node.id) ? { ...node, status: step_results[node.id]?.status } : node,
  );
}

/** The call or the wait of a step, in a few words. */
function detailOf({
  kind,
  tool_name,
  agent_name,
  workflow_id,
  definition,
  duration_ms,
  title,
}: DefinitionStep): string {
  // A title with references is written for a run: without their values it says nothing.
  const target = tool_name ?? agent_name ?? workflow_id ?? (title?.includes('${{') ? undefined : title);
  if (target !== undefined) return `${kind} ${target}`;
  const chained = definition?.steps;
  if (Array.isArray(chained)) return `${kind} of ${chained.length} steps`;
  return duration_ms === undefined ? kind : `${kind} ${duration_ms / 1_000} s`;
}

/** `each` for a step with many items, and an effect that is not a read. */
function badgeOf(
  { foreach, tool_name, agent_name }: DefinitionStep,
  effects: GraphOptions['effects'],
): string | undefined {
  const effect = effects?.tools.get(tool_name ?? '') ?? effects?.agents.get(agent_name ?? '');
  const parts = [
    ...(foreach === undefined ? [] : ['each']),
    ...(effect === undefined || effect === 'read' ? [] : [effectWord(effect)]),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}
