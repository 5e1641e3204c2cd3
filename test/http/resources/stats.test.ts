import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import { createTestApp, expectError, jsonOf, lookup } from '../../support/http/app.ts';

interface Point {
  readonly at: string;
  readonly messages: Readonly<Record<string, number>>;
  readonly latency_ms: Readonly<Record<string, number | null>>;
  readonly runs: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  readonly routes: Readonly<Record<string, number>>;
}

interface Stats {
  readonly window_seconds: number;
  readonly step_seconds: number;
  readonly from: string;
  readonly to: string;
  readonly series: readonly Point[];
  readonly totals: Point & { readonly escalated_share: number | null };
  readonly now: { readonly runs: object };
  readonly needs: { readonly failed_runs: { readonly groups: readonly object[] } };
}

const failing = {
  ...lookup,
  name: 'failing',
  execute: () => {
    throw new ToolError('out of stock', { permanent: true });
  },
};

describe('GET /stats', () => {
  test('has the last hour by minutes, the last one under way', async () => {
    const { request, clock } = createTestApp();
    await clock.advance(30_500);
    const response = await request('/stats');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const stats = await jsonOf<Stats>(response);
    expect(stats).toMatchObject({
      window_seconds: 3_600,
      step_seconds: 60,
      from: '2025-12-31T23:01:00.000Z',
      to: '2026-01-01T00:01:00.000Z',
      now: { at: '2026-01-01T00:00:30.500Z', runs: { running: 0, waiting: 0 } },
    });
    expect(stats.series).toHaveLength(60);
    expect(stats.series.at(-1)?.at).toBe('2026-01-01T00:00:00.000Z');
    expect(stats.totals.escalated_share).toBeNull();
    expect(stats.totals.latency_ms).toEqual({ p50: null, p95: null, p99: null });
  });

  test('counts messages, tool calls, runs and goals, and groups what failed', async () => {
    const { request, post } = createTestApp({ tools: [lookup, failing] });
    await post('/messages', { customer_id: 'c', message: 'Where is my order A-1234?' });
    await post('/tools/lookup/call', { input: {} });
    await post('/tools/failing/call', { input: {} });
    await post('/agents/route', { goal: 'echo hello' });
    const { id } = await jsonOf(
      await post('/workflows', { name: 'Refund', steps: [{ id: 'a', tool_name: 'failing' }] }),
    );
    for (let run = 0; run < 3; run++) await post(`/workflows/${id}/run`, {});
    const { totals, series, needs } = await jsonOf<Stats>(await request('/stats?window=2m'));
    const { escalated_share: share, ...tally } = totals;
    expect(series).toHaveLength(2);
    expect(series.at(-1)).toMatchObject(tally);
    expect(Object.values(totals.messages).reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(share).not.toBeNull();
    expect(totals.latency_ms['p50']).toBeGreaterThan(0);
    expect(totals.runs).toEqual({ started: 3, completed: 0, failed: 3, cancelled: 0 });
    expect(totals.tools['errors']).toBe(4);
    expect(Object.values(totals.routes).reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(needs.failed_runs).toMatchObject({
      count: 3,
      truncated: false,
      groups: [{ workflow_id: id, workflow_name: 'Refund', count: 3, error: expect.stringContaining('a') }],
    });
  });

  test.each([
    ['window=24h', 1_440],
    ['window=24h&step=24h', 1],
    ['window=86400s&step=1h', 24],
    ['window=1m', 1],
    ['window=60s&step=60s', 1],
    ['step=15m', 4],
    ['window=21m&step=7m', 3],
    ['window=030m&step=0300s', 6],
    ['unknown=1', 60],
  ])('takes %s', async (query, points) => {
    const { request } = createTestApp();
    const stats = await jsonOf<Stats>(await request(`/stats?${query}`));
    expect(stats.series).toHaveLength(points);
    const step = stats.step_seconds * 1_000;
    expect(stats.series.every(({ at }) => Date.parse(at) % step === 0)).toBe(true);
    expect(Date.parse(stats.to) - Date.parse(stats.from)).toBe(stats.window_seconds * 1_000);
  });

  const noDuration = 'must be a number with the unit s, m or h, such as 1h';

  test.each([
    '',
    '1',
    'h',
    '1d',
    '-1h',
    '1.5h',
    '1e2m',
    '+1h',
    ' 1h',
    '1h ',
    '1H',
    '1h1m',
    '１h',
    '9999999m',
    'NaN',
  ])('rejects %j as a duration', async (value) => {
    const { request } = createTestApp();
    const response = await request(`/stats?window=${encodeURIComponent(value)}`);
    await expectError(response, 422, `window: ${noDuration}`);
  });

  test.each([
    ['step=soon', `step: ${noDuration}`],
    ['window=x&step=y', `window: ${noDuration}; step: ${noDuration}`],
    ['window=59s', 'window: must be from 1m to 24h; step: must divide the window'],
    ['window=0m', 'window: must be from 1m to 24h'],
    ['window=25h', 'window: must be from 1m to 24h'],
    ['window=999999h&step=2m', 'window: must be from 1m to 24h'],
    ['step=59s', 'step: must be 1m or more'],
    ['step=0h', 'step: must be 1m or more'],
    ['step=90s', 'step: must be whole minutes'],
    ['step=7m', 'step: must divide the window'],
    ['step=2h', 'step: must divide the window'],
    ['window=1h&window=2h', 'window: must be given once'],
  ])('rejects %s', async (query, detail) => {
    const { request } = createTestApp();
    await expectError(await request(`/stats?${query}`), 422, detail);
  });

  test('is unavailable while a store is', async () => {
    const read = () => Promise.reject(unavailable('the store cannot be reached', 1));
    const { request } = createTestApp({ useCases: ({ stats }) => ({ stats: { ...stats, read } }) });
    const response = await request('/stats');
    expect(response.headers.get('retry-after')).toBe('1');
    await expectError(response, 503, 'the store cannot be reached');
  });
});
