import { describe, expect, test } from 'vitest';
import { computeLayers, dependencyGraph, findCycles, indexSteps } from '../../src/domain/workflow/graph.ts';
import { toolStep } from '../support/workflow/graphs.ts';

const steps = [
  toolStep('a'),
  toolStep('b', ['a', 'a', 'missing', 'b']),
  toolStep('c', ['b', 'a', 'b']),
  toolStep('d', ['e']),
  toolStep('e', ['d', 'c']),
];
const graph = dependencyGraph(steps, indexSteps(steps));

describe('the dependency graph', () => {
  test('holds each dependency once, without unknown steps and the step itself', () => {
    expect(graph).toEqual([[], [0], [1, 0], [4], [3, 2]]);
  });

  test('has layers for all steps that depend on no cycle', () => {
    expect(computeLayers(graph)).toEqual({ layers: [[0], [1], [2]], unplaced: [3, 4] });
    expect(findCycles(graph, [3, 4])).toEqual([[3, 4]]);
  });

  test('of no steps has no layers', () => {
    expect(computeLayers([])).toEqual({ layers: [], unplaced: [] });
    expect(findCycles([], [])).toEqual([]);
  });
});
