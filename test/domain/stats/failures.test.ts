import { expect, test } from 'vitest';
import { type FailedRun, groupFailures } from '../../../src/domain/stats/failures.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

function failed(minute: number, error: string | null, changes: Partial<FailedRun> = {}): FailedRun {
  return {
    runId: `run-${minute}`,
    workflowId: 'w',
    workflowName: 'Refund',
    error,
    createdAt: at(minute),
    completedAt: at(minute + 1),
    ...changes,
  };
}

test('failed runs are grouped by workflow and cause, the largest groups first', () => {
  const runs = [
    failed(9, 'no stock'),
    failed(8, 'timed out', { workflowId: 'v', workflowName: 'Order' }),
    failed(7, 'timed out'),
    failed(6, 'timed out'),
  ];
  expect(groupFailures(runs)).toEqual([
    {
      workflowId: 'w',
      workflowName: 'Refund',
      error: 'timed out',
      count: 2,
      firstAt: at(7),
      lastAt: at(8),
      runIds: ['run-7', 'run-6'],
    },
    expect.objectContaining({ error: 'no stock', count: 1 }),
    expect.objectContaining({ workflowId: 'v', count: 1 }),
  ]);
});

test('ids and long numbers in errors make no other cause, status codes do', () => {
  const id = (last: string): string => `01a1fb9e-a8bc-7000-bd31-9056dd2860e${last}`;
  const runs = [
    failed(5, `order ${id('a')} of 2026112101`),
    failed(4, `order ${id('b')} of 2026112102`),
    failed(3, 'HTTP 503'),
    failed(2, 'HTTP 404'),
  ];
  expect(groupFailures(runs).map(({ error, count }) => [error, count])).toEqual([
    [`order ${id('a')} of 2026112101`, 2],
    ['HTTP 503', 1],
    ['HTTP 404', 1],
  ]);
});

test('a group shows a short error and its newest five runs', () => {
  const runs = Array.from({ length: 50 }, (_, index) => failed(59 - index, 'x'.repeat(100_000)));
  const [group, ...others] = groupFailures(runs);
  expect(others).toEqual([]);
  expect(group).toMatchObject({ count: 50, firstAt: at(11), lastAt: at(60) });
  expect(group?.error).toHaveLength(200);
  expect(group?.runIds).toEqual(['run-59', 'run-58', 'run-57', 'run-56', 'run-55']);
});

test('a run without a text or an end has its creation and an empty cause', () => {
  const [group] = groupFailures([failed(1, null, { completedAt: null })]);
  expect(group).toMatchObject({ error: '', firstAt: at(1), lastAt: at(1) });
});
