import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

/** Every path of the specification, with its methods. */
const paths: readonly (readonly [string, string])[] = [
  ['/', 'GET, HEAD'],
  ['/messages', 'POST'],
  ['/messages/batch', 'POST'],
  ['/workflows', 'GET, HEAD, POST'],
  ['/workflows/{id}', 'DELETE, GET, HEAD, PUT'],
  ['/workflows/{id}/versions', 'GET, HEAD'],
  ['/workflows/{id}/versions/{n}', 'GET, HEAD'],
  ['/workflows/{id}/run', 'POST'],
  ['/workflows/{id}/runs', 'GET, HEAD'],
  ['/workflows/{id}/simulate', 'POST'],
  ['/workflows/{id}/runs/{execution_id}', 'GET, HEAD'],
  ['/workflows/{id}/runs/{execution_id}/events', 'GET, HEAD'],
  ['/runs', 'GET, HEAD'],
  ['/runs/{execution_id}', 'DELETE, GET, HEAD'],
  ['/runs/{execution_id}/cancel', 'POST'],
  ['/runs/{execution_id}/retry', 'POST'],
  ['/runs/{execution_id}/rerun', 'POST'],
  ['/runs/{execution_id}/steps/{step_id}/resolve', 'POST'],
  ['/schedules', 'GET, HEAD, POST'],
  ['/schedules/{id}', 'DELETE, GET, HEAD, PUT'],
  ['/schedules/{id}/trigger', 'POST'],
  ['/schedules/{id}/preview', 'GET, HEAD'],
  ['/agents', 'GET, HEAD'],
  ['/agents/route', 'POST'],
  ['/agents/routes', 'GET, HEAD'],
  ['/agents/routes/{routing_id}', 'DELETE, GET, HEAD'],
  ['/trace/', 'GET, HEAD'],
  ['/trace', 'GET, HEAD'],
  ['/trace/{trace_id}', 'DELETE, GET, HEAD'],
  ['/metrics', 'GET, HEAD'],
  ['/health', 'GET, HEAD'],
  ['/stats', 'GET, HEAD'],
  ['/system', 'GET, HEAD'],
  ['/system/reload', 'POST'],
  ['/tools', 'GET, HEAD'],
  ['/tools/{name}/call', 'POST'],
  ['/inbox', 'GET, HEAD'],
  ['/inbox/next', 'POST'],
  ['/inbox/{id}', 'GET, HEAD'],
  ['/inbox/{id}/claim', 'POST'],
  ['/inbox/{id}/release', 'POST'],
  ['/inbox/{id}/assign', 'POST'],
  ['/inbox/{id}/notes', 'POST'],
  ['/inbox/{id}/resolve', 'POST'],
  ['/conversations/{id}', 'DELETE, GET, HEAD'],
  ['/datasets', 'GET, HEAD'],
  ['/datasets/{id}/examples', 'GET, HEAD'],
  ['/datasets/{id}/examples/{example_id}/accept', 'POST'],
  ['/datasets/{id}/examples/{example_id}/reject', 'POST'],
  ['/erase', 'POST'],
  ['/evaluation', 'POST'],
  ['/events', 'GET, HEAD'],
  ['/trace/{trace_id}/events', 'GET, HEAD'],
  ['/agents/routes/{routing_id}/events', 'GET, HEAD'],
];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE', 'PROPFIND'];

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'some-id');

const wrong = paths.flatMap(([path, allow]) =>
  methods
    .filter((method) => !allow.split(', ').includes(method))
    .map((method) => [method, path, allow] as const),
);

let shared: ReturnType<typeof createTestApp> | undefined;

/** One app for the requests that change nothing. */
function sharedApp(): ReturnType<typeof createTestApp> {
  shared ??= createTestApp();
  return shared;
}

test('these tests cover every path of the app except its documentation', () => {
  const { app } = createTestApp();
  const served = app.routes
    .map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'))
    .filter((path) => !path.includes('*') && !/^\/(?:docs|redoc|openapi\.json)/.test(path));
  // Served by the path of an item.
  const others = ['/trace', '/inbox/next'];
  expect([...new Set([...served, ...others])].sort()).toEqual(paths.map(([path]) => path).sort());
});

test('all requests are routed by the fast router of Hono, which allows no ambiguous paths', async () => {
  const { app, request } = createTestApp();
  await request('/agents');
  expect(app.router.name).toBe('SmartRouter + RegExpRouter');
});

describe('a method that a path does not support', () => {
  test.each(wrong)('%s %s returns 405 with the allowed methods', async (method, path, allow) => {
    const { request } = sharedApp();
    for (const spelling of [filled(path), `${filled(path).replace(/\/$/, '')}/`]) {
      const response = await request(spelling, { method });
      expect(response.headers.get('allow')).toBe(allow);
      if (method === 'HEAD') expect([response.status, await response.text()]).toEqual([405, '']);
      else await expectError(response, 405, `this path supports ${allow}`);
    }
  });

  test('returns 405 before its body is read', async () => {
    const { request } = sharedApp();
    const response = await request('/trace/', {
      method: 'PUT',
      body: '{',
      headers: { 'Content-Encoding': 'x' },
    });
    await expectError(response, 405);
  });

  test.each(['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'])(
    'is not changed by the header %s',
    async (header) => {
      const { request } = sharedApp();
      const response = await request('/messages', { headers: { [header]: 'POST' } });
      await expectError(response, 405);
    },
  );
});

describe('HEAD', () => {
  test.each(['/workflows', '/agents', '/agents/routes', '/trace/', '/metrics', '/health', '/tools'])(
    'returns the headers of GET, without a body: %s',
    async (path) => {
      const { request } = sharedApp();
      const [head, get] = [await request(path, { method: 'HEAD' }), await request(path)];
      const headers = (response: Response) =>
        [...response.headers].filter(([name]) => !['x-request-id', 'ratelimit'].includes(name)).sort();
      expect(head.status).toBe(get.status);
      expect(headers(head)).toEqual(headers(get));
      expect(await head.text()).toBe('');
    },
  );

  test('has the status of GET and no body for an error', async () => {
    const { request } = sharedApp();
    for (const path of ['/trace/nobody', '/nobody', '/trace/?limit=0']) {
      const [head, get] = [await request(path, { method: 'HEAD' }), await request(path)];
      expect([head.status, await head.text()]).toEqual([get.status, '']);
    }
  });
});

describe('an unknown path', () => {
  test.each([
    '/nobody',
    '/message',
    '/messages/batch/more',
    '/Messages',
    '/HEALTH',
    '/health/live',
    '/metrics/x',
    '/trace/a/b',
    '/workflows/a/b',
    '/workflows/a/runs/b/c',
    '/agents/some-id',
    '/agents/routes/a/b',
    '//health',
    '/health//',
    '/trace//',
    '/tools;x=1',
    '/tools%20',
    '/tools.json',
    '/__proto__',
    '/constructor',
    '/*',
    '/:id',
    '/favicon.ico',
    '/.env',
    '/%F0%9F%91%8B',
    '/%ZZ',
    '/%00',
    `/${'x'.repeat(15_000)}`,
    '/<script>alert(1)</script>',
  ])('returns 404: %s', async (path) => {
    const { request } = sharedApp();
    for (const method of ['GET', 'POST', 'PURGE']) {
      const detail = await expectError(await request(path, { method }), 404, /^nothing is served at "/);
      expect(detail.length).toBeLessThan(400);
    }
  });
});

describe('a trailing slash', () => {
  test.each(paths.filter(([, allow]) => allow.includes('GET')).map(([path]) => filled(path)))(
    'is ignored: %s',
    async (path) => {
      const { request } = sharedApp();
      const bare = path.replace(/\/$/, '');
      const [plain, slashed] = [await request(bare), await request(`${bare}/`)];
      expect(slashed.status).toBe(plain.status);
      expect(await slashed.text()).toBe(await plain.text());
    },
  );

  test('is ignored in a POST and before a query', async () => {
    const { post, request } = createTestApp();
    const message = { customer_id: 'c', message: 'm' };
    expect((await post('/messages/', message)).status).toBe(200);
    expect((await post('/messages/batch/', { messages: [message] })).status).toBe(200);
    expect(await jsonOf(await request('/trace?limit=2'))).toMatchObject({ total: 2, limit: 2 });
    expect(await jsonOf(await request('/agents/?x=1'))).toMatchObject({ count: 3 });
  });
});
