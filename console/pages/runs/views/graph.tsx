import { useMemo } from 'preact/hooks';
import { Graph } from '../../../graph/graph.tsx';
import { toGraph, withStatuses } from '../../../graph/to-graph.ts';
import type { GraphEdge, GraphNode } from '../../../graph/types.ts';
import { byLayer, type Effects } from '../logic/plan.ts';
import type { Definition, Run } from '../logic/reads.ts';

/** The properties of all views of the steps. */
export interface ViewProps {
  readonly run: Run;
  readonly definition: Definition | undefined;
  readonly effects: Effects | undefined;
  readonly selected: string | undefined;
  readonly onSelect: (stepId: string) => void;
}

const noEdges: readonly GraphEdge[] = [];

/** The steps of a run as a graph. Without its definition, which may be gone, it has no edges. */
export function GraphView({ run, definition, effects, selected, onSelect }: ViewProps) {
  const graph = useMemo(
    () => (definition === undefined ? undefined : toGraph(definition, { effects })),
    [definition, effects],
  );
  const nodes = useMemo(
    () => (graph === undefined ? bare(run) : withStatuses(graph.nodes, run)),
    [graph, run],
  );
  return (
    <Graph
      label={`Steps of ${run.workflow_name}`}
      nodes={nodes}
      edges={graph?.edges ?? noEdges}
      selected={selected}
      onSelect={onSelect}
    />
  );
}

function bare(run: Run): readonly GraphNode[] {
  return byLayer(run).map(({ step_id, kind, status, layer }) => ({
    id: step_id,
    layer,
    detail: kind,
    status,
  }));
}
