import { expect, test } from 'vitest';
import { type RunRecord, toWaterfall } from '../../console/graph/time/to-waterfall.ts';

const at = (second: number): string => new Date(second * 1_000).toISOString();

/** The record of a run whose steps wait, each for a time of its own. */
function waitingRun(steps: number): RunRecord {
  const ids = Array.from({ length: steps }, (_, index) => `wait${index}`);
  const step = { kind: 'wait', status: 'WAITING', layer: 0, attempts: 1, error: null, completed_at: null };
  return {
    created_at: at(0),
    started_at: at(0),
    completed_at: null,
    waiting_for: ids.map((step_id, index) => ({ kind: 'wait' as const, step_id, until: at(1_000 + index) })),
    step_results: Object.fromEntries(ids.map((id) => [id, { ...step, step_id: id, started_at: at(1) }])),
  };
}

test('each of many steps shows what it waits for, the first of several things', () => {
  const run = waitingRun(2_000);
  const more = { kind: 'approval', step_id: 'wait0' } as const;
  const { rows } = toWaterfall({ ...run, waiting_for: [...run.waiting_for, more] }, []);
  const untils = rows.map(({ spans }) => spans.at(-1)?.until);
  expect(untils).toEqual(run.waiting_for.map(({ until }) => until));
  expect(rows[0]?.spans.at(-1)?.waitsFor).toBe('wait');
});
