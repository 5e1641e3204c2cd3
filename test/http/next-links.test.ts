import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { createHttpApp } from '../../src/adapters/http/app.ts';
import { createTestApp, jsonOf, type TestApp } from '../support/http/app.ts';

const steps = [{ id: 'a', tool_name: 'lookup' }];

async function createWorkflow({ post }: TestApp): Promise<string> {
  return String((await jsonOf(await post('/workflows', { name: 'n', steps })))['id']);
}

/** Each listing with what fills it: creates one record, and returns the path. */
const listings: readonly (readonly [string, string, (app: TestApp, count: number) => Promise<string>])[] = [
  [
    'traces',
    'traces',
    async ({ post }, count) => {
      for (let n = 0; n < count; n++) await post('/messages', { customer_id: 'c', message: 'Hello' });
      return '/trace/';
    },
  ],
  [
    'workflows',
    'workflows',
    async (app, count) => {
      for (let n = 0; n < count; n++) await createWorkflow(app);
      return '/workflows';
    },
  ],
  [
    'schedules',
    'schedules',
    async (app, count) => {
      const workflow_id = await createWorkflow(app);
      for (let n = 0; n < count; n++) await app.post('/schedules', { workflow_id, cron: '0 9 * * *' });
      return '/schedules';
    },
  ],
  [
    'the runs of a workflow',
    'executions',
    async (app, count) => {
      const id = await createWorkflow(app);
      for (let n = 0; n < count; n++) await app.post(`/workflows/${id}/run`, {});
      return `/workflows/${id}/runs`;
    },
  ],
  [
    'routes',
    'routes',
    async ({ post }, count) => {
      for (let n = 0; n < count; n++) await post('/agents/route', { goal: 'g', subtasks: [] });
      return '/agents/routes';
    },
  ],
];

/** The target of a Link header. */
function targetOf(response: Response): string | undefined {
  return /^<([^<>]*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
}

describe.each(listings)('the listing of %s', (_, name, fill) => {
  test('links every page to the next one, until the last', async () => {
    const app = createTestApp();
    const path = await fill(app, 5);
    const seen: unknown[] = [];
    let next: string | undefined = `${path}?limit=2`;
    for (const expected of [`${path}?limit=2&offset=2`, `${path}?limit=2&offset=4`, undefined]) {
      const response: Response = await app.request(next ?? expect.fail());
      next = targetOf(response);
      expect(next).toBe(expected);
      seen.push(...((await jsonOf(response))[name] as unknown[]));
    }
    expect(new Set(seen.map((item) => JSON.stringify(item))).size).toBe(5);
  });

  test.each(['', '?limit=5', '?limit=2&offset=3', '?limit=1&offset=99', '?offset=4'])(
    'has no link on its last page: %s',
    async (query) => {
      const app = createTestApp();
      const path = await fill(app, 5);
      const response = await app.request(`${path}${query}`);
      expect([response.status, response.headers.has('link')]).toEqual([200, false]);
    },
  );
});

test('a link keeps all parameters, in characters that a header may have', async () => {
  const app = createTestApp();
  await createWorkflow(app);
  await createWorkflow(app);
  const sent = new URLSearchParams({ x: 'a b&c=<d>;"é\r\nX: 1', limit: '1', y: '', offset: '0', z: '1' });
  sent.append('x', 'again');
  const target = targetOf(await app.request(`/workflows?${sent}`)) ?? '';
  expect(target).toMatch(/^[\x21-\x7e]+$/);
  sent.set('offset', '1');
  expect([...new URL(target, 'http://localhost').searchParams]).toEqual([...sent]);
});

test('the link of a path with a trailing slash works', async () => {
  const app = createTestApp();
  await createWorkflow(app);
  await createWorkflow(app);
  expect(targetOf(await app.request('/workflows/?limit=1'))).toBe('/workflows?limit=1&offset=1');
});

test.each([
  [
    'a base path',
    '/shop',
    (app: TestApp) => createHttpApp({ orchestrator: app.orchestrator, basePath: 'shop' }),
    '',
  ],
  [
    'a route',
    '/shop',
    (app: TestApp) => new Hono().route('/shop', createHttpApp({ orchestrator: app.orchestrator })),
    '/shop',
  ],
] as const)('a link has the path of the mount: %s', async (_, mount, mounted, prefix) => {
  const app = createTestApp();
  const id = await createWorkflow(app);
  for (let n = 0; n < 2; n++) {
    await createWorkflow(app);
    await app.post(`/workflows/${id}/run`, {});
    await app.post('/messages', { customer_id: 'c', message: 'Hello' });
    await app.post('/agents/route', { goal: 'g', subtasks: [] });
  }
  const shop = mounted(app);
  for (const path of ['/trace/', '/workflows', `/workflows/${id}/runs`, '/agents/routes']) {
    const response = await shop.request(`${prefix}${path}?limit=1`);
    expect(targetOf(response)).toBe(`${mount}${path}?limit=1&offset=1`);
  }
});
