import { describe, expect, test } from 'vitest';
import {
  hasEnded,
  pendingResult,
  pendingResults,
  runningResult,
  runStatuses,
  skippedResult,
} from '../../src/domain/run/run.ts';
import { toolStep } from '../support/workflow/graphs.ts';

const at = '2026-01-01T00:00:00.000Z';

describe('a run', () => {
  test('has a pending result for every step, with its layer', () => {
    const results = pendingResults([toolStep('b', ['a']), toolStep('a')], [[1], [0]]);
    expect(results).toEqual([
      {
        stepId: 'b',
        kind: 'tool',
        status: 'PENDING',
        layer: 1,
        attempts: 0,
        output: null,
        error: null,
        startedAt: null,
        completedAt: null,
        durationMs: null,
      },
      {
        stepId: 'a',
        kind: 'tool',
        status: 'PENDING',
        layer: 0,
        attempts: 0,
        output: null,
        error: null,
        startedAt: null,
        completedAt: null,
        durationMs: null,
      },
    ]);
  });

  test('keeps the number of calls of a step that runs again, and nothing else of its result', () => {
    const [pending] = pendingResults([toolStep('a')], [[0]]);
    if (pending === undefined) return expect.fail();
    const failed = { ...pending, status: 'FAILED', attempts: 3, error: 'no', startedAt: at } as const;
    expect(pendingResult(failed)).toEqual({ ...pending, attempts: 3 });
    expect(runningResult(failed, at)).toEqual({
      ...pending,
      attempts: 3,
      status: 'RUNNING',
      startedAt: at,
    });
    expect(skippedResult(failed)).toEqual({ ...pending, attempts: 3, status: 'SKIPPED' });
  });

  test('has ended when it is COMPLETED, FAILED or CANCELLED', () => {
    expect(runStatuses.filter(hasEnded)).toEqual(['COMPLETED', 'FAILED', 'CANCELLED']);
  });
});
