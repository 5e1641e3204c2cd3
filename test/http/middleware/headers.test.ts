import { describe, expect, test } from 'vitest';
import { securityHeaders } from '../../../src/adapters/http/response.ts';
import { createTestApp, jsonOf } from '../../support/http/app.ts';

const message = { customer_id: 'customer-1', message: 'hello' };

/** Requests with every kind of response. */
const requests: readonly (readonly [string, string, RequestInit, number])[] = [
  ['a health check', '/health', {}, 200],
  ['metrics', '/metrics', {}, 200],
  ['a listing', '/trace/', {}, 200],
  [
    'a message',
    '/messages',
    { method: 'POST', body: JSON.stringify(message), headers: { 'Content-Type': 'application/json' } },
    200,
  ],
  ['an unknown path', '/nobody', {}, 404],
  ['an unknown record', '/trace/nobody', {}, 404],
  ['a wrong method', '/tools', { method: 'PUT' }, 405],
  ['a body of another type', '/messages', { method: 'POST', body: 'hello' }, 415],
  ['a query that is not valid', '/trace/?limit=0', {}, 422],
];

describe('the id of a request', () => {
  test.each(requests)('is in the response to %s', async (_name, path, init, status) => {
    const { request } = createTestApp();
    const response = await request(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  test('is in responses of the access control', async () => {
    const { request } = createTestApp({ requestLimit: 1, http: { apiKeys: ['key'] } });
    for (const status of [401, 429]) {
      const response = await request('/tools', { headers: { 'X-Request-Id': `mine-${status}` } });
      expect([response.status, response.headers.get('x-request-id')]).toEqual([status, `mine-${status}`]);
    }
  });

  test.each(['1', 'x'.repeat(128), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', '00-4bf92f35-01'])(
    'is that of the client: %s',
    async (id) => {
      const { request } = createTestApp();
      const response = await request('/tools', { headers: { 'X-Request-Id': id } });
      expect(response.headers.get('x-request-id')).toBe(id);
    },
  );

  test.each(['', 'x'.repeat(129), 'two words', 'tab\tbed', 'umläut', '\u0080', 'a, b'])(
    'is a new one if that of the client is not 1 to 128 visible ASCII characters: %j',
    async (id) => {
      const { request } = createTestApp();
      const response = await request('/tools', { headers: { 'X-Request-Id': id } });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    },
  );

  test('is a new one if the client sends two', async () => {
    const { request } = createTestApp();
    const headers = new Headers({ 'X-Request-Id': 'one' });
    headers.append('X-Request-Id', 'two');
    const response = await request('/tools', { headers });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  test('differs for each request', async () => {
    const { request } = createTestApp();
    const responses = await Promise.all(Array.from({ length: 100 }, () => request('/tools')));
    expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(100);
  });
});

describe('the security headers', () => {
  test.each(requests)('are in the response to %s', async (_name, path, init) => {
    const { request } = createTestApp();
    const { headers } = await request(path, init);
    for (const [name, value] of Object.entries(securityHeaders)) expect(headers.get(name)).toBe(value);
  });

  test('are the defaults of Hono', async () => {
    const { Hono } = await import('hono');
    const { secureHeaders } = await import('hono/secure-headers');
    const response = await new Hono()
      .use(secureHeaders())
      .get('/', (c) => c.body(null))
      .request('/');
    expect(new Headers(securityHeaders)).toEqual(response.headers);
  });
});

describe('Cache-Control', () => {
  test('keeps replies to GET and HEAD out of caches where the route has no rule', async () => {
    const { request } = createTestApp();
    for (const path of ['/trace/', '/workflows', '/health', '/openapi.json', '/', '/nowhere']) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await request(path, { method });
        expect([path, method, headers.get('cache-control')]).toEqual([path, method, 'no-store']);
      }
    }
  });

  test('stays that of the route: records that can be checked, files of the pages', async () => {
    const { request, post } = createTestApp();
    const { trace_id } = await jsonOf(await post('/messages', { customer_id: 'c', message: 'Hello' }));
    const kept = await request(`/trace/${trace_id}`);
    expect(kept.headers.get('cache-control')).toBe('private, no-cache');
    const file = await request('/docs/start.js');
    expect(file.headers.get('cache-control')).toBe('private, max-age=3600');
  });
});

describe('X-Trace-Id', () => {
  test('is only in the response to a message', async () => {
    const { request } = createTestApp();
    for (const [name, path, init] of requests) {
      const { headers } = await request(path, init);
      expect([name, headers.has('x-trace-id')]).toEqual([name, name === 'a message']);
    }
  });
});

describe('the text of a client', () => {
  test('never becomes a response header', async () => {
    const { request, post } = createTestApp();
    const injected = 'x\r\nX-Injected: 1';
    const path = encodeURIComponent(injected);
    const responses = [
      await request(`/trace/${path}`),
      await request(`/workflows/${path}/runs`),
      await request(`/${path}`),
      await request(`/trace/?limit=${path}`),
      await post('/messages', { ...message, customer_id: injected, source: injected, message: injected }),
      await post('/agents/route', { goal: injected, subtasks: [{ agent_name: injected }] }),
      await post('/workflows', { name: injected, steps: [{ id: injected, tool_name: injected }] }),
    ];
    for (const { headers } of responses) {
      expect(headers.has('x-injected')).toBe(false);
      expect([...headers.values()].join(' ')).not.toContain('X-Injected');
    }
  });
});
