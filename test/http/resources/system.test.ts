import { describe, expect, test } from 'vitest';
import { readExamples } from '../../../src/adapters/http/docs/openapi.ts';
import { createMemoryRunQueue } from '../../../src/adapters/memory/run-queue.ts';
import { createTestApp, expectError, jsonOf, type TestAppOverrides } from '../../support/http/app.ts';

interface System {
  readonly started_at: string;
  readonly uptime_seconds: number;
  readonly limits: Readonly<Record<string, unknown>>;
}

const systemOf = async (overrides: TestAppOverrides = {}, headers: Record<string, string> = {}) => {
  const { request } = createTestApp(overrides);
  const response = await request('/system', { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return jsonOf<System>(response);
};

describe('GET /system', () => {
  test('has what the app knows where the program says nothing', async () => {
    const { started_at, uptime_seconds, limits, ...system } = await systemOf();
    expect(system).toEqual({
      version: '1.2.3',
      node: process.versions.node,
      notice: null,
      storage: null,
      model: { configured: false, name: null, stages: [] },
      playbook: {
        name: 'Example Shop',
        version: expect.stringMatching(/^[0-9a-f]{12}$/),
        mode: 'reply',
        intents: 14,
      },
      authentication: { enabled: false, keys: 0 },
      inbox: true,
      queue: { waiting_runs: 0 },
      settings: [],
    });
    expect(Math.abs(Date.now() - Date.parse(started_at))).toBeLessThan(60_000);
    expect(uptime_seconds).toBeLessThan(60);
    const { getSystem } = await readExamples();
    const documented = getSystem?.['200'] as System | undefined;
    expect(limits).toEqual({ ...documented?.limits, rate_limit: null });
  });

  test('has what the program says', async () => {
    const startedAt = Date.now() - 3_600_500;
    const system = await systemOf({
      limits: { maxBatchSize: 7, maxWaitingRuns: 8 },
      options: { inbox: false },
      http: {
        maxBodyBytes: 4_096,
        maxEventStreams: 3,
        system: {
          startedAt,
          notice: 'Staging <b>',
          storage: { backend: 'sqlite', recovery: { maxRecoveries: 2, unknownOutcome: 'retry' } },
          model: { name: 'small', stages: ['planner'] },
          rateLimit: { requests: 5, windowSeconds: 9 },
          settings: ['PORT', 'API_KEY'],
        },
      },
    });
    expect(system).toMatchObject({
      started_at: new Date(startedAt).toISOString(),
      notice: 'Staging <b>',
      storage: { backend: 'sqlite', run_recovery: 'resume', max_recoveries: 2, unknown_outcome: 'retry' },
      model: { configured: true, name: 'small', stages: ['planner'] },
      inbox: false,
      limits: {
        max_batch_size: 7,
        max_waiting_runs: 8,
        max_body_bytes: 4_096,
        max_event_streams: 3,
        rate_limit: { requests: 5, window_seconds: 9 },
      },
      settings: ['API_KEY', 'PORT'],
    });
    expect(system.uptime_seconds).toBeGreaterThanOrEqual(3_600);
    expect(system.uptime_seconds).toBeLessThan(3_660);
  });

  test('has no recovery of runs that end with their process', async () => {
    const storage = { backend: 'memory', recovery: undefined } as const;
    expect(await systemOf({ http: { system: { storage } } })).toMatchObject({
      storage: { backend: 'memory', run_recovery: 'interrupt', max_recoveries: null, unknown_outcome: null },
    });
  });

  test('needs a key where others do, and has their number', async () => {
    const apiKeys = ['first-canary', 'second-canary', 'first-canary'];
    const { request } = createTestApp({ http: { apiKeys } });
    await expectError(await request('/system'), 401);
    const response = await request('/system', { headers: { 'X-Api-Key': 'second-canary' } });
    const text = await response.text();
    expect(text).not.toContain('canary');
    expect(JSON.parse(text)).toMatchObject({ authentication: { enabled: true, keys: 2 } });
  });

  test('counts the runs that wait', async () => {
    const runQueue = { ...createMemoryRunQueue(), depth: async () => 12 };
    expect(await systemOf({ ports: { runQueue } })).toMatchObject({ queue: { waiting_runs: 12 } });
  });
});
