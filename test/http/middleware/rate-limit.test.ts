import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, type TestApp } from '../../support/http/app.ts';

/** Sends `count` requests at once and returns how many were admitted. */
async function burst({ request }: TestApp, count: number, peer?: string): Promise<number> {
  const responses = await Promise.all(Array.from({ length: count }, () => request('/tools', {}, peer)));
  const statuses = responses.map(({ status }) => status);
  expect(new Set([...statuses, 200, 429])).toEqual(new Set([200, 429]));
  return statuses.filter((status) => status === 200).length;
}

describe('a client', () => {
  test('can make exactly the permitted number of requests in a window, also concurrently', async () => {
    expect(await burst(createTestApp({ requestLimit: 7 }), 70)).toBe(7);
  });

  test('has a window of its own', async () => {
    const app = createTestApp({ requestLimit: 5 });
    expect(await burst(app, 50, '192.0.2.1')).toBe(5);
    expect(await burst(app, 50, '192.0.2.2')).toBe(5);
    expect(await burst(app, 50, '::ffff:192.0.2.2')).toBe(0);
  });

  test('gets its remaining requests in the headers of every response', async () => {
    const { request, clock } = createTestApp({ requestLimit: 3 });
    const stand: (string | null)[] = [];
    for (const path of ['/tools', '/nobody', '/metrics', '/tools']) {
      const { headers } = await request(path);
      expect(headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
      stand.push(headers.get('ratelimit'));
      await clock.advance(10_000);
    }
    expect(stand).toEqual([
      '"default";r=2;t=60',
      '"default";r=1;t=50',
      '"default";r=0;t=40',
      '"default";r=0;t=30',
    ]);
  });

  test('gets 429 with Retry-After over the limit, and is admitted after that time', async () => {
    const { request, clock } = createTestApp({ requestLimit: 2 });
    await request('/tools');
    await clock.advance(1_500);
    await request('/tools');
    const rejected = await request('/tools');
    const seconds = Number(rejected.headers.get('retry-after'));
    await expectError(rejected, 429, 'more than 2 requests in 60 seconds');
    expect(seconds).toBe(59);
    await clock.advance((seconds - 1) * 1_000);
    expect((await request('/tools')).status).toBe(429);
    await clock.advance(1_000);
    expect((await request('/tools')).status).toBe(200);
  });

  test('is not affected by a change of the wall clock', async () => {
    const { request, clock } = createTestApp({ requestLimit: 1 });
    await request('/tools');
    clock.jump(3_600_000);
    expect((await request('/tools')).status).toBe(429);
    clock.jump(-7_200_000);
    await clock.advance(60_000);
    expect((await request('/tools')).status).toBe(200);
  });

  test('is also limited while it guesses keys', async () => {
    const { request } = createTestApp({ requestLimit: 5, http: { apiKeys: ['right'] } });
    const statuses: number[] = [];
    for (let guess = 0; guess < 10; guess++) {
      statuses.push((await request('/tools', { headers: { 'X-Api-Key': `guess-${guess}` } })).status);
    }
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(5).fill(429)]);
    expect((await request('/tools', { headers: { 'X-Api-Key': 'right' } })).status).toBe(429);
  });

  test('is logged with its address when it is rejected', async () => {
    const { request, logger } = createTestApp({ requestLimit: 1 });
    await request('/tools', {}, '198.51.100.7');
    await request('/tools', {}, '198.51.100.7');
    expect(logger.lines.at(-1)).toMatchObject({ status: 429, client: '198.51.100.7' });
  });
});

describe('a health check', () => {
  test('is never limited, and never counted', async () => {
    const { request } = createTestApp({ requestLimit: 2, http: { apiKeys: ['right'] } });
    const headers = { 'X-Api-Key': 'right' };
    for (let turn = 0; turn < 100; turn++) {
      const response = await request(turn % 2 === 0 ? '/health' : '/health/?probe=ready');
      expect([response.status, response.headers.has('ratelimit')]).toEqual([200, false]);
    }
    for (const status of [200, 200, 429]) expect((await request('/tools', { headers })).status).toBe(status);
    for (let turn = 0; turn < 100; turn++) expect((await request('/health')).status).toBe(200);
    expect((await request('/health', { method: 'POST' })).status).toBe(405);
  });
});

describe('every other request', () => {
  test.each(['/metrics', '/nobody', '/trace/', '/docs', '/health/more', '//health'])(
    'is counted: %s',
    async (path) => {
      const { request } = createTestApp({ requestLimit: 1 });
      await request(path);
      await expectError(await request(path), 429);
    },
  );

  test('is counted once, also with two middlewares', async () => {
    const { request } = createTestApp({ requestLimit: 4 });
    for (const path of ['/metrics', '/tools', '/nobody', '/trace/?limit=0']) {
      expect((await request(path)).status).not.toBe(429);
    }
    expect((await request('/tools')).status).toBe(429);
  });

  test('is rejected before it is processed', async () => {
    const { request, post, recorded } = createTestApp({ requestLimit: 1 });
    await request('/tools');
    await expectError(await post('/messages', { customer_id: 'c', message: 'm' }), 429);
    expect(recorded.events).toEqual([]);
  });
});

describe('an asynchronous limiter', () => {
  test('is awaited', async () => {
    const decision = { limit: 9, remaining: 3, resetSeconds: 4, windowSeconds: 5 };
    let admitted = true;
    const limiter = { consume: async () => ({ ...decision, admitted }) };
    const { request } = createTestApp({ http: { limiter } });
    const response = await request('/tools');
    expect([response.status, response.headers.get('ratelimit')]).toEqual([200, '"default";r=3;t=4']);
    admitted = false;
    const rejected = await request('/tools');
    expect(rejected.headers.get('retry-after')).toBe('4');
    await expectError(rejected, 429, 'more than 9 requests in 5 seconds');
  });
});
