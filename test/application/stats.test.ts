import { describe, expect, test } from 'vitest';
import { createStats } from '../../src/application/stats/stats.ts';
import type { InboxItem } from '../../src/domain/inbox/item.ts';
import type { RunSummary } from '../../src/domain/run/run.ts';
import { MINUTE_MS } from '../../src/domain/stats/counters.ts';
import type { Ports } from '../../src/ports/ports.ts';
import type { RunListFilter } from '../../src/ports/storage/run-log.ts';
import { sampleItem } from '../support/inbox.ts';
import { testPorts } from '../support/ports.ts';
import { messageFinished } from '../support/stats-events.ts';
import { numbered } from '../support/workflow/run-events.ts';

const HOUR = { windowMs: 60 * MINUTE_MS, stepMs: MINUTE_MS };

function createTestStats(overrides: Partial<Ports> = {}) {
  const { ports, clock } = testPorts(overrides);
  return { ports, clock, stats: createStats(ports) };
}

/** A log of runs whose failed ones are these, newest first, and the filters that it was asked with. */
function failedRuns(runs: readonly Partial<RunSummary>[]) {
  const asked: RunListFilter[] = [];
  const summaries = runs.map((run, index) => ({
    runId: `run-${index}`,
    workflowId: 'w',
    workflowName: 'Refund',
    version: 1,
    status: 'FAILED',
    background: false,
    input: {},
    error: 'timed out',
    createdAt: '2026-01-01T00:00:00.000Z',
    startedAt: null,
    completedAt: null,
    durationMs: null,
    attempt: 1,
    recoveries: 0,
    rerunOf: null,
    ...run,
  })) as RunSummary[];
  const listAll: Ports['runs']['listAll'] = async (filter, { limit, cursor = 0 }) => {
    asked.push(filter);
    const end = cursor + limit;
    return { items: summaries.slice(cursor, end), nextCursor: end < summaries.length ? end : null };
  };
  return { runs: { ...testPorts().ports.runs, listAll }, asked };
}

describe('the statistics', () => {
  test('have what was counted in the minute in which it was counted', async () => {
    const { stats, clock } = createTestStats();
    stats.sink(messageFinished());
    await clock.advance(MINUTE_MS);
    stats.sink(messageFinished({ disposition: 'escalated' }));
    stats.sink(messageFinished({ disposition: 'escalated' }));
    const report = await stats.read({ windowMs: 3 * MINUTE_MS, stepMs: MINUTE_MS });
    expect(report.points.map(({ messages }) => [messages.answered, messages.escalated])).toEqual([
      [0, 0],
      [1, 0],
      [0, 2],
    ]);
    expect(report.escalatedShare).toBeCloseTo(2 / 3);
    expect(report.now.at).toBe(clock.now());
  });

  test('have the runs that run now, and those that wait', async () => {
    const { ports } = testPorts();
    const { stats } = createTestStats({ runQueue: { ...ports.runQueue, depth: async () => 4 } });
    const append = (runId: string, ...drafts: Parameters<typeof numbered>[1]) =>
      stats.sink({ type: 'run.appended', runId, workflowId: 'w', events: numbered(1, drafts) });
    const end = { error: 'no', durationMs: 1 };
    const resumed = { stepId: 'book', itemId: 'item-1', outcome: 'completed', note: null } as const;
    append('a', { type: 'execution.started', attempt: 1 });
    append('b', { type: 'execution.started', attempt: 1 });
    append('c', { type: 'execution.started', attempt: 1 }, { type: 'execution.failed', ...end });
    append('unknown', { type: 'execution.cancelled', ...end });
    stats.sink({ type: 'run.released', runId: 'b', workflowId: 'w', reason: 'lost' });
    expect((await stats.read(HOUR)).now.runs).toEqual({ running: 1, waiting: 4 });
    append('a', { type: 'execution.waiting', for: ['recovery'] });
    expect((await stats.read(HOUR)).now.runs.running).toBe(0);
    append('a', { type: 'execution.resumed', by: 'ann', ...resumed });
    expect((await stats.read(HOUR)).now.runs.running).toBe(1);
  });

  test('need nobody where nothing has gone wrong', async () => {
    const { stats } = createTestStats();
    expect((await stats.read(HOUR)).needs).toEqual({
      overdue: { count: 0, oldestOpenedAt: null },
      failures: { count: 0, groups: [], isTruncated: false, parked: { count: 0, runIds: [] } },
    });
  });

  test('group the failed runs of the window, and name those that gave up, whatever their error says', async () => {
    const { runs, asked } = failedRuns([
      { error: 'crashed too often', gaveUp: true },
      { error: 'parked after 3 recoveries' },
      { error: 'timed out' },
      { error: 'timed out' },
    ]);
    const { stats, clock } = createTestStats({ runs });
    const { needs } = await stats.read(HOUR);
    expect(needs.failures).toMatchObject({
      count: 4,
      isTruncated: false,
      groups: [
        { error: 'timed out', count: 2 },
        { error: 'crashed too often', count: 1 },
        { error: 'parked after 3 recoveries', count: 1 },
      ],
      parked: { count: 1, runIds: ['run-0'] },
    });
    expect(asked).toEqual([{ statuses: ['FAILED'], since: clock.now() - 59 * MINUTE_MS }]);
  });

  test('read the newest thousand failed runs and say that there are more', async () => {
    const { runs, asked } = failedRuns(Array.from({ length: 5_000 }, () => ({})));
    const { stats } = createTestStats({ runs });
    const { failures } = (await stats.read(HOUR)).needs;
    expect(failures).toMatchObject({ count: 1_000, isTruncated: true });
    expect(failures.groups).toHaveLength(1);
    expect(asked).toHaveLength(5);
  });

  test('read no more pages than ten, however few runs they have', async () => {
    let pages = 0;
    const listAll: Ports['runs']['listAll'] = async () => ({ items: [], nextCursor: ++pages });
    const { stats } = createTestStats({ runs: { ...testPorts().ports.runs, listAll } });
    expect((await stats.read(HOUR)).needs.failures).toMatchObject({ count: 0, isTruncated: true });
    expect(pages).toBe(10);
  });

  test('have at most twenty groups', async () => {
    const { runs } = failedRuns(Array.from({ length: 30 }, (_, index) => ({ error: `cause ${index}` })));
    const { stats } = createTestStats({ runs });
    const { failures } = (await stats.read(HOUR)).needs;
    expect(failures).toMatchObject({ count: 30, isTruncated: true });
    expect(failures.groups).toHaveLength(20);
  });

  test('read failed runs once for readers that ask at about the same time, and again after a failure', async () => {
    const { runs, asked } = failedRuns([{}]);
    let isAway = true;
    const listAll: Ports['runs']['listAll'] = (filter, page) =>
      isAway ? Promise.reject(new Error('away')) : runs.listAll(filter, page);
    const { stats, clock } = createTestStats({ runs: { ...runs, listAll } });
    await expect(stats.read(HOUR)).rejects.toThrow('away');
    isAway = false;
    await Promise.all([stats.read(HOUR), stats.read(HOUR), stats.read(HOUR)]);
    await clock.advance(1_000);
    await stats.read(HOUR);
    expect(asked).toHaveLength(1);
    await stats.read({ windowMs: MINUTE_MS, stepMs: MINUTE_MS });
    await stats.read(HOUR);
    await clock.advance(5_000);
    await stats.read(HOUR);
    expect(asked).toHaveLength(4);
  });

  test('have the oldest of all overdue items', async () => {
    const { stats, ports } = createTestStats();
    const item = (itemId: string, changes: Partial<InboxItem>): InboxItem =>
      sampleItem({
        itemId,
        kind: 'approval',
        subject: { kind: 'execution', id: 'r', stepId: 's' },
        openedAt: '2025-12-31T10:00:00.000Z',
        dueAt: null,
        isOverdue: true,
        expiresAt: null,
        ...changes,
      });
    await ports.inbox.create(item('urgent', { priority: 1, openedAt: '2025-12-31T23:00:00.000Z' }));
    await ports.inbox.create(item('old', { priority: 4, openedAt: '2025-12-31T20:00:00.000Z' }));
    await ports.inbox.create(item('younger', { priority: 4, openedAt: '2025-12-31T22:00:00.000Z' }));
    await ports.inbox.create(item('not overdue', { priority: 2, isOverdue: false, kind: 'recovery' }));
    const { needs, now } = await stats.read(HOUR);
    expect(needs.overdue).toEqual({ count: 3, oldestOpenedAt: Date.UTC(2025, 11, 31, 20) });
    expect(now.inbox.waiting.recovery).toEqual({ open: 1, claimed: 0 });
  });
});
