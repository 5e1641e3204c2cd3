import { describe, expect, test } from 'vitest';
import {
  finishedResult,
  hasEnded,
  interruptRun,
  pendingResults,
  type Run,
  runningResult,
  skippedResult,
  summarizeRun,
} from '../../src/domain/run/run.ts';
import { toolStep } from '../support/workflow/graphs.ts';

const at = '2026-01-01T00:00:00.000Z';
const later = '2026-01-01T00:00:01.000Z';

function sampleRun(): Run {
  const [done, running, waiting] = pendingResults(
    [toolStep('done'), toolStep('running', ['done']), toolStep('waiting', ['running'])],
    [[0], [1], [2]],
  );
  if (done === undefined || running === undefined || waiting === undefined) return expect.fail();
  const end = { attempts: 2, output: { x: 1 }, error: null, durationMs: 5 };
  return {
    ...{
      runId: 'e',
      workflowId: 'w',
      workflowName: 'name',
      status: 'RUNNING',
      background: true,
      input: {},
    },
    ...{ error: null, createdAt: at, startedAt: at, completedAt: null, durationMs: null },
    stepResults: [finishedResult(done, end, at, at), runningResult(running, at), waiting],
  };
}

describe('a run', () => {
  test('has a pending result for every step, with its layer', () => {
    const results = pendingResults([toolStep('b', ['a']), toolStep('a')], [[1], [0]]);
    expect(results).toEqual([
      {
        ...{ stepId: 'b', kind: 'tool', status: 'PENDING', layer: 1, attempts: 0, output: null, error: null },
        ...{ startedAt: null, completedAt: null, durationMs: null },
      },
      {
        ...{ stepId: 'a', kind: 'tool', status: 'PENDING', layer: 0, attempts: 0, output: null, error: null },
        ...{ startedAt: null, completedAt: null, durationMs: null },
      },
    ]);
  });

  test('has completed steps with an output and failed steps without', () => {
    const [done, running] = sampleRun().stepResults;
    expect(done).toMatchObject({ status: 'COMPLETED', attempts: 2, output: { x: 1 }, durationMs: 5 });
    if (running === undefined) return expect.fail();
    const end = { attempts: 3, output: null, error: 'why', durationMs: 7 };
    expect(finishedResult(running, end, at, later)).toEqual({
      ...{
        stepId: 'running',
        kind: 'tool',
        status: 'FAILED',
        layer: 1,
        attempts: 3,
        output: null,
        error: 'why',
      },
      ...{ startedAt: at, completedAt: later, durationMs: 7 },
    });
    expect(skippedResult(running)).toMatchObject({ status: 'SKIPPED', startedAt: null });
  });

  test('is interrupted when its process is gone: running steps fail, pending steps are skipped, finished steps stay', () => {
    const change = interruptRun(sampleRun(), later);
    expect(change).toMatchObject({
      ...{ status: 'FAILED', error: 'interrupted', startedAt: at, completedAt: later, durationMs: null },
      stepResults: [
        {
          index: 1,
          result: {
            status: 'FAILED',
            error: 'interrupted',
            startedAt: at,
            completedAt: later,
            durationMs: null,
          },
        },
        { index: 2, result: { status: 'SKIPPED', error: null, startedAt: null, completedAt: null } },
      ],
    });
  });

  test('has a summary without the results of its steps', () => {
    const { stepResults: _, ...summary } = sampleRun();
    expect(summarizeRun(sampleRun())).toEqual(summary);
  });

  test('has ended when it is COMPLETED or FAILED', () => {
    expect((['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const).map(hasEnded)).toEqual([
      ...[false, false, true, true],
    ]);
  });
});
