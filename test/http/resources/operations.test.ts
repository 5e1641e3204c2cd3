import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { unavailable } from '../../../src/domain/errors.ts';
import { createTestApp, expectError, jsonOf, lookup } from '../../support/http/app.ts';

describe('GET /health', () => {
  test('returns the state and the version of the service', async () => {
    const { request, clock } = createTestApp({ probes: { kvstore: async () => 'ok' } });
    await clock.advance(61_500);
    const response = await request('/health');
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual({
      status: 'ok',
      version: '1.2.3',
      uptime_seconds: 61,
      checks: { kvstore: 'ok', sqlite: 'not_configured', postgres: 'not_configured', llm: 'not_configured' },
    });
  });

  test.each(['/health', '/health?probe=live', '/health/', '/health?surplus=1'])(
    'returns 200 for %s while the process runs, whatever fails',
    async (path) => {
      const { request, health } = createTestApp({
        probes: { kvstore: async () => 'error', llm: async () => 'error' },
      });
      const response = await request(path);
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toMatchObject({
        status: 'degraded',
        checks: { kvstore: 'error', llm: 'error' },
      });
      health.drain();
      const later = await request(path);
      expect(later.status).toBe(200);
      expect(await jsonOf(later)).toMatchObject({ status: 'draining' });
    },
  );

  test('is ready without configured stores, and with reachable ones', async () => {
    for (const probes of [{}, { kvstore: async () => 'ok' as const }]) {
      const response = await createTestApp({ probes }).request('/health?probe=ready');
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toMatchObject({ status: 'ok' });
    }
  });

  test('is ready without the language model, because rules replace it', async () => {
    const { request } = createTestApp({ probes: { llm: async () => 'error' } });
    expect((await request('/health?probe=ready')).status).toBe(200);
  });

  test('is not ready while the store is unreachable', async () => {
    const { request } = createTestApp({ probes: { kvstore: async () => 'error' } });
    const response = await request('/health?probe=ready');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await expectError(response, 503, 'the key-value store cannot be reached');
  });

  test.each([
    ['sqlite', 'the SQLite file cannot be used'],
    ['postgres', 'the database cannot be reached'],
  ])('is not ready while %s fails', async (name, error) => {
    const { request } = createTestApp({ probes: { [name]: async () => 'error' } });
    await expectError(await request('/health?probe=ready'), 503, error);
  });

  test('is not ready as soon as the store is known to be unreachable', async () => {
    const storage = {
      assertAvailable() {
        throw unavailable('the store is unavailable');
      },
    };
    const { request } = createTestApp({ ports: { storage }, probes: { kvstore: async () => 'ok' } });
    await expectError(await request('/health?probe=ready'), 503);
  });

  test('is not ready while the service shuts down', async () => {
    const { request, health } = createTestApp();
    health.drain();
    await expectError(await request('/health?probe=ready'), 503, 'the service is shutting down');
  });

  test.each(['probe=', 'probe=READY', 'probe=dead', 'probe', 'probe=ready&probe=live', 'probe=constructor'])(
    'rejects %s',
    async (query) => {
      const { request } = createTestApp();
      await expectError(await request(`/health?${query}`), 422, 'probe: must be live or ready');
    },
  );

  test('probes at most once in ten seconds', async () => {
    let calls = 0;
    const kvstore = async () => {
      calls += 1;
      return 'ok' as const;
    };
    const { request } = createTestApp({ probes: { kvstore } });
    await Promise.all(Array.from({ length: 200 }, () => request('/health')));
    expect(calls).toBe(1);
  });
});

describe('GET /metrics', () => {
  test('returns the exposition unchanged, with its content type', async () => {
    const { request } = createTestApp();
    const response = await request('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toBe('up 1\n');
  });
});

describe('GET /tools', () => {
  test('returns an empty list without registered tools', async () => {
    const { request } = createTestApp({ tools: [] });
    const response = await request('/tools');
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual({ count: 0, tools: [] });
  });

  test('lists tools in the order of their registration, with the JSON Schema of their input', async () => {
    const input = z.object({
      order_id: z.string().min(1).describe('Whose order it is'),
      limit: z.number().int().default(5),
    });
    const { request } = createTestApp({ tools: [lookup, { ...lookup, name: 'a_second', input }] });
    const { count, tools } = await jsonOf(await request('/tools'));
    expect(count).toBe(2);
    expect(tools).toMatchObject([
      { name: 'lookup', description: 'Returns its input', input_schema: { type: 'object' } },
      {
        name: 'a_second',
        description: 'Returns its input',
        input_schema: {
          type: 'object',
          properties: {
            order_id: { type: 'string', minLength: 1, description: 'Whose order it is' },
            limit: { type: 'integer', default: 5 },
          },
          required: ['order_id'],
        },
      },
    ]);
  });
});
