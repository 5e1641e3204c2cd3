import { describe, expect, test } from 'vitest';
import { cyclesAmong } from '../../src/domain/workflow/cycles.ts';
import { dependants, dependencyGraph, numberSteps } from '../../src/domain/workflow/graph.ts';
import { layersOf } from '../../src/domain/workflow/layers.ts';
import { toolStep } from '../support/workflow/graphs.ts';

const steps = [
  toolStep('a'),
  toolStep('b', ['a', 'a', 'missing', 'b']),
  toolStep('c', ['b', 'a', 'b']),
  toolStep('d', ['e']),
  toolStep('e', ['d', 'c']),
];
const graph = dependencyGraph(steps, numberSteps(steps));

describe('the graph of dependencies', () => {
  test('holds each dependency once, and neither the unknown nor the step itself', () => {
    expect([...graph.offsets]).toEqual([0, 0, 1, 3, 4, 6]);
    expect([...graph.targets]).toEqual([0, 1, 0, 4, 3, 2]);
  });

  test('is itself again when it is turned round twice, but for the order', () => {
    const { offsets, targets } = dependants(dependants(graph));
    expect([...offsets]).toEqual([...graph.offsets]);
    expect([...targets]).toEqual([0, 0, 1, 4, 2, 3]);
  });

  test('is layered as far as it has no cycle', () => {
    expect(layersOf(graph)).toEqual({ layers: [[0], [1], [2]], left: [3, 4] });
    expect(cyclesAmong(graph, [3, 4])).toEqual([[3, 4]]);
  });

  test('of nothing has no layers', () => {
    const empty = dependencyGraph([], new Map());
    expect(layersOf(empty)).toEqual({ layers: [], left: [] });
    expect(cyclesAmong(empty, [])).toEqual([]);
  });
});
