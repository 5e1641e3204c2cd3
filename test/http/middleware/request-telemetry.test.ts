import { describe, expect, test } from 'vitest';
import { createLogger } from '../../../src/adapters/logging/logger.ts';
import { createTestApp, jsonOf } from '../../support/http/app.ts';

const message = { customer_id: 'customer-1', message: 'hello' };
const json = { 'Content-Type': 'application/json' };

/** Requests, and the route and status that each is counted with. */
const requests: readonly (readonly [string, RequestInit, string, number])[] = [
  ['/messages', { method: 'POST', headers: json, body: JSON.stringify(message) }, '/messages', 200],
  ['/messages', { method: 'POST', headers: json, body: '{' }, '/messages', 422],
  ['/messages', { method: 'POST', body: 'text' }, '/messages', 415],
  ['/messages', { method: 'POST', headers: { ...json, 'Content-Length': '9999999' } }, '/messages', 413],
  ['/messages', { method: 'PUT' }, '/messages', 405],
  ['/messages/batch', { method: 'POST', headers: json, body: '{}' }, '/messages/batch', 422],
  ['/trace', {}, '/trace/', 200],
  ['/trace/', {}, '/trace/', 200],
  ['/trace/?limit=0', {}, '/trace/', 422],
  ['/trace/some-id', {}, '/trace/{trace_id}', 404],
  ['/trace/some-id/', { method: 'HEAD' }, '/trace/{trace_id}', 404],
  ['/trace/a%2fb', {}, '/trace/{trace_id}', 404],
  ['/workflows', {}, '/workflows', 200],
  ['/workflows/some-id', { method: 'DELETE' }, '/workflows/{id}', 404],
  ['/workflows/some-id/run', { method: 'POST' }, '/workflows/{id}/run', 404],
  ['/workflows/some-id/runs', {}, '/workflows/{id}/runs', 404],
  ['/workflows/some-id/runs/other-id', {}, '/workflows/{id}/runs/{execution_id}', 404],
  ['/runs?limit=0', {}, '/runs', 422],
  ['/runs/some-id', {}, '/runs/{execution_id}', 404],
  ['/runs/some-id', { method: 'PUT' }, '/runs/{execution_id}', 405],
  ['/agents', {}, '/agents', 200],
  ['/agents/routes', {}, '/agents/routes', 200],
  ['/agents/routes/some-id', {}, '/agents/routes/{routing_id}', 404],
  ['/tools', {}, '/tools', 200],
  ['/tools/', { method: 'HEAD' }, '/tools', 200],
  ['/health', {}, '/health', 200],
  ['/health?probe=x', {}, '/health', 422],
  ['/health', { method: 'PURGE' }, '/health', 405],
  ['/metrics', {}, '/metrics', 200],
  ['/metrics', { method: 'POST' }, '/metrics', 405],
  ['/', {}, '/', 200],
  ['/', { method: 'POST' }, '/', 405],
  ['/inbox', {}, '/inbox', 200],
  ['/inbox/some-id', {}, '/inbox/{id}', 404],
  ['/inbox/some-id', { method: 'POST' }, '/inbox/{id}', 405],
  ['/inbox/next', {}, '/inbox/next', 405],
  ['/inbox/next', { method: 'POST' }, '/inbox/next', 422],
  ['/conversations/a%2fb', {}, '/conversations/{id}', 404],
  ['/nobody', {}, 'unmatched', 404],
  ['/trace/a/b', {}, 'unmatched', 404],
  ['//health', {}, 'unmatched', 404],
  ['/*', {}, 'unmatched', 404],
  ['/unmatched', {}, 'unmatched', 404],
];

describe('a finished request', () => {
  test.each(requests)(
    '%s %o is counted once, with the route template %s',
    async (path, init, route, status) => {
      const { request, finished } = createTestApp();
      expect((await request(path, init)).status).toBe(status);
      expect(finished).toEqual([{ route, status, seconds: expect.any(Number) }]);
      expect(finished[0]?.seconds).toBeGreaterThanOrEqual(0);
    },
  );

  test.each([
    ['/tools', '/tools'],
    ['/trace/some-id', '/trace/{trace_id}'],
    ['/nobody', 'unmatched'],
  ])(
    'is counted once, with its route template, if the access control rejects it: %s',
    async (path, route) => {
      const { request, finished } = createTestApp({ requestLimit: 1, http: { apiKeys: ['key'] } });
      await request(path);
      await request(path);
      expect(finished).toMatchObject([
        { route, status: 401 },
        { route, status: 429 },
      ]);
    },
  );

  test('is counted and logged once per request', async () => {
    const { request, finished, logger } = createTestApp();
    await Promise.all(requests.map(([path, init]) => request(path, init)));
    expect(finished).toHaveLength(requests.length);
    expect(logger.lines.filter((line) => line.message === 'request')).toHaveLength(requests.length);
  });

  test('is logged with its method, route, path, status and duration', async () => {
    const { post, logger } = createTestApp();
    const response = await post('/messages/?x=1', message);
    expect(logger.lines).toEqual([
      {
        level: 'info',
        message: 'request',
        method: 'POST',
        route: '/messages',
        path: '/messages',
        status: 200,
        duration_ms: expect.any(Number),
        trace_id: response.headers.get('x-trace-id'),
      },
    ]);
  });
});

describe('the labels of the metrics', () => {
  test('have a bounded number of values, whatever paths, ids and methods clients send', async () => {
    const silent = {
      debug() {},
      info() {},
      warn() {},
      error() {},
      bind: <T>(_: object, work: () => T) => work(),
    };
    const series = new Set<string>();
    const { app } = createTestApp({
      ports: { logger: silent },
      http: {
        metrics: {
          requestFinished: (route, status) => void series.add(`${route} ${status}`),
          idempotentRequest: () => undefined,
          eventStreams: () => undefined,
          eventsSent: () => undefined,
          eventStreamRejected: () => undefined,
          exposition: async () => ({ contentType: 'text/plain', body: '' }),
        },
      },
    });
    const roots = ['', '/trace', '/workflows', '/agents/routes', '/health', '/metrics', '/messages'];
    const methods = ['GET', 'POST', 'DELETE', 'PURGE', 'X-MADE-UP'];
    const COUNT = 20_000;
    for (let number = 0; number < COUNT; number++) {
      const path = `${roots[number % roots.length]}/${(number * 2_654_435_761) % 2 ** 32}`;
      await app.request(`http://localhost${path}`, { method: methods[number % methods.length] ?? 'GET' });
    }
    expect([...series].sort()).toEqual([
      '/agents/routes/{routing_id} 404',
      '/agents/routes/{routing_id} 405',
      '/trace/{trace_id} 404',
      '/trace/{trace_id} 405',
      '/workflows/{id} 404',
      '/workflows/{id} 405',
      'unmatched 404',
    ]);
  }, 120_000);
});

describe('the log of a request', () => {
  /** An app with the service's logger, whose lines are recorded. */
  function logged() {
    const written: string[] = [];
    const destination = { write: (line: string) => void written.push(line), flush: () => Promise.resolve() };
    const logger = createLogger({ level: 'debug', destination });
    return { written, ...createTestApp({ ports: { logger }, http: { trustProxyHeaders: true } }) };
  }

  test('has the ids of the request and of its trace in every line', async () => {
    const { post, written } = logged();
    const ids = Array.from({ length: 50 }, (_, index) => `mine-${index}`);
    const responses = await Promise.all(ids.map((id) => post('/messages', message, { 'X-Request-Id': id })));
    const lines = written.map((line): Record<string, unknown> => JSON.parse(line));
    for (const response of responses) {
      const id = response.headers.get('x-request-id');
      const own = lines.filter((line) => line['request_id'] === id);
      const { trace_id } = await jsonOf(response);
      expect(own.map((line) => line['trace_id'])).toEqual(own.map(() => trace_id));
    }
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(ids.length);
  });

  const hostile = [
    '\r\nforged: line',
    '\n{"level":"info","msg":"forged"}',
    '\u001b[31mred\u001b[0m',
    '\u2028\u2029',
    '\u0000',
    '","level":"fatal","x":"',
    `\${jndi:ldap://x}`,
    '\u202e\ud800',
    '__proto__',
    '%s %d %j',
  ];

  test('is one JSON object per line, whatever clients send', async () => {
    const { request, post, written } = logged();
    let count = 0;
    for (const text of hostile) {
      const encoded = encodeURIComponent(text.toWellFormed());
      const headers = { 'X-Forwarded-For': text.replaceAll(/[^\x20-\x7e]/g, '.') };
      await request(`/trace/${encoded}`, { headers });
      await request(`/${encoded}?${encoded}`, { headers });
      await post('/messages', { customer_id: text, source: text, message: text });
      await post('/agents/route', {
        goal: text,
        subtasks: [{ agent_name: text, payload: { [text]: text } }],
      });
      count += 4;
    }
    const lines = written.map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(count);
    expect(lines.some(({ msg, level }) => msg === 'forged' || level === 'fatal')).toBe(false);
    for (const line of written) expect(hasUnsafe(line.slice(0, -1))).toBe(false);
  });
});

/** True for a text with control characters or line separators. */
function hasUnsafe(text: string): boolean {
  return /[\p{Cc}\u2028\u2029]/u.test(text);
}
