import { useMemo, useRef } from 'preact/hooks';
import { type Fold, findFolds, type Shown, showGraph } from './layout/fold.ts';
import { type Layout, layOut, type NodeSize } from './layout/layout.ts';
import type { Link } from './layout/links.ts';
import type { GraphEdge, GraphNode } from './types.ts';

/** The nodes of a graph that are shown, and their places. */
export interface Shape {
  readonly shown: readonly Shown[];
  /** The index of the shown node of each step. */
  readonly shownOf: readonly number[];
  /** The index of each step by its id. */
  readonly indexOf: ReadonlyMap<string, number>;
  readonly layout: Layout;
  /** True where something that could be folded is not. */
  readonly isUnfolded: boolean;
}

/** Lays a graph out anew when its steps, its edges or what is unfolded change; not when statuses do. */
export function useShape(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  { unfolded, foldFrom, size }: { unfolded: ReadonlySet<string>; foldFrom: number; size: NodeSize },
): Shape {
  const kept = useRef({ nodes, edges });
  if (!isSameGraph(kept.current, { nodes, edges })) kept.current = { nodes, edges };
  const graph = kept.current;
  const { indexOf, links, folds } = useMemo(() => readGraph(graph, foldFrom), [graph, foldFrom]);
  return useMemo(() => {
    const { shown, links: shownLinks, shownOf } = showGraph(graph.nodes, links, folds, unfolded);
    const layers = shown.map(({ layer }) => layer);
    const isUnfolded = folds.some(({ id }) => unfolded.has(id));
    return { shown, shownOf, indexOf, layout: layOut(layers, shownLinks, size), isUnfolded };
  }, [graph, links, folds, unfolded, size.height]);
}

interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

function readGraph({ nodes, edges }: Graph, foldFrom: number) {
  const indexOf = new Map(nodes.map(({ id }, index) => [id, index]));
  const links = edges.flatMap(({ from, to }): Link[] => {
    const [start, end] = [indexOf.get(from), indexOf.get(to)];
    return start === undefined || end === undefined ? [] : [[start, end]];
  });
  const folds: readonly Fold[] = nodes.length > foldFrom ? findFolds(nodes, links) : [];
  return { indexOf, links, folds };
}

function isSameGraph(a: Graph, b: Graph): boolean {
  if (a.nodes.length !== b.nodes.length || a.edges.length !== b.edges.length) return false;
  const hasSameNodes =
    a.nodes === b.nodes ||
    a.nodes.every(({ id, layer, kind, detail }, index) => {
      const other = b.nodes[index];
      return id === other?.id && layer === other.layer && kind === other.kind && detail === other.detail;
    });
  if (!hasSameNodes || a.edges === b.edges) return hasSameNodes;
  return a.edges.every(({ from, to }, index) => from === b.edges[index]?.from && to === b.edges[index]?.to);
}
