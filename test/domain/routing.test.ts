import { describe, expect, test } from 'vitest';
import { aggregate, routingIssues, type SubTaskResult } from '../../src/domain/routing/routing.ts';

function results(outcomes: readonly boolean[]): SubTaskResult[] {
  return outcomes.map((ok, index) => ({
    taskId: `t${index}`,
    agentName: 'echo',
    payload: {},
    status: ok ? 'completed' : 'failed',
    matched: [],
    output: ok ? {} : null,
    error: ok ? null : 'failed',
    completedAt: null,
    durationMs: 1,
  }));
}

function routed(outcomes: readonly boolean[]) {
  return aggregate({
    routingId: 'r',
    goal: 'g',
    customerId: null,
    decomposition: 'explicit',
    unassigned: [],
    results: results(outcomes),
    forwarded: [],
    error: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    completedAt: '2026-01-01T00:00:00.001Z',
    durationMs: 1,
  });
}

const combinations = Array.from({ length: 7 }, (_, count) => count).flatMap((count) =>
  Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (_, index) => ((bits >> index) & 1) === 1),
  ),
);

describe('the status of a routed goal', () => {
  test('is derived from every combination of outcomes of up to six subtasks', () => {
    expect(combinations).toHaveLength(127);
    for (const outcomes of combinations) {
      const { status, subtaskCounts } = routed(outcomes);
      const every = outcomes.length > 0 && outcomes.every((ok) => ok);
      const some = outcomes.some((ok) => ok);
      expect([outcomes, status]).toEqual([outcomes, every ? 'completed' : some ? 'partial' : 'failed']);
      const completed = outcomes.filter((ok) => ok).length;
      expect(subtaskCounts).toEqual({
        total: outcomes.length,
        completed,
        failed: outcomes.length - completed,
      });
    }
  });

  test.each([
    [[], 'failed'],
    [[true], 'completed'],
    [[false], 'failed'],
    [[true, false], 'partial'],
    [[true, true], 'completed'],
    [[false, false], 'failed'],
  ])('of %j is %s', (outcomes, status) => {
    expect(routed(outcomes).status).toBe(status);
  });
});

test('a routing request gets all its issues together', () => {
  expect(routingIssues('', 101, 100)).toEqual(['goal: must not be empty', 'subtasks: must be at most 100']);
  expect(routingIssues('x'.repeat(32_769), 0, 100)).toEqual(['goal: must be at most 32768 characters']);
  expect(routingIssues('x'.repeat(32_768), 100, 100)).toEqual([]);
});

test('a goal is measured in Unicode code points', () => {
  expect(routingIssues('😀'.repeat(32_768), 0, 100)).toEqual([]);
  expect(routingIssues('😀'.repeat(32_769), 0, 100)).toEqual(['goal: must be at most 32768 characters']);
});
