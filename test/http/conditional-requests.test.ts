import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf, lookup, type TestApp } from '../support/http/app.ts';

/** A tool that never ends. */
const held = { ...lookup, name: 'held', execute: () => new Promise<never>(() => {}) };

function createApp(version = '1.2.3'): TestApp {
  return createTestApp({ tools: [lookup, held], http: { version } });
}

async function workflowPath({ post }: TestApp, tool = 'lookup'): Promise<string> {
  const created = await post('/workflows', { name: 'n', steps: [{ id: 'a', tool_name: tool }] });
  return `/workflows/${(await jsonOf(created))['id']}`;
}

/** The creation of a record that no longer changes, and its path. */
const records: readonly (readonly [string, (app: TestApp) => Promise<string>])[] = [
  [
    'a trace',
    async ({ post }) => {
      const { trace_id } = await jsonOf(await post('/messages', { customer_id: 'c', message: 'Hello' }));
      return `/trace/${trace_id}`;
    },
  ],
  ['a definition', (app) => workflowPath(app)],
  [
    'an execution that has ended',
    async (app) => {
      const path = await workflowPath(app);
      const { execution_id } = await jsonOf(await app.post(`${path}/run`, {}));
      return `${path}/runs/${execution_id}`;
    },
  ],
];

describe.each(records)('the tag of %s', (name, create) => {
  // The tag of a definition is its version, which callers may write in `If-Match` without having read it.
  const isVersion = name === 'a definition';

  test('is strong, and the same in every response', async () => {
    const app = createApp();
    const path = await create(app);
    const tags = [
      await app.request(path),
      await app.request(path),
      await app.request(path, { method: 'HEAD' }),
    ];
    const [first, ...others] = tags.map(({ headers }) => headers.get('etag'));
    expect(first).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(others).toEqual([first, first]);
    expect(tags[0]?.headers.get('cache-control')).toBe('private, no-cache');
  });

  test(`${isVersion ? 'is the same for another record of that version' : 'differs from that of another record'}`, async () => {
    const app = createApp();
    const tags = [await app.request(await create(app)), await app.request(await create(app))];
    expect(tags[0]?.headers.get('etag') === tags[1]?.headers.get('etag')).toBe(isVersion);
  });

  test('saves the body of a record that the client has', async () => {
    const app = createApp();
    const path = await create(app);
    const full = await app.request(path);
    const tag = full.headers.get('etag') ?? '';
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await app.request(path, { method, headers: { 'If-None-Match': header } });
        expect([response.status, await response.text()]).toEqual([304, '']);
        const { headers } = response;
        expect([headers.get('etag'), headers.get('cache-control')]).toEqual([tag, 'private, no-cache']);
        expect([headers.has('content-type'), headers.has('content-length')]).toEqual([false, false]);
        expect(headers.get('x-request-id')).toBeTruthy();
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
    }
    expect(app.finished.at(-1)?.status).toBe(304);
  });

  test.each(['', '"x"', 'x', 'W/"x"', '"x", "y"'])('is not matched by %j', async (header) => {
    const app = createApp();
    const path = await create(app);
    const response = await app.request(path, { headers: { 'If-None-Match': header } });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(await (await app.request(path)).text());
  });

  test(`${isVersion ? 'stays' : 'changes'} with the version of the service`, async () => {
    const ports = createTestApp().ports;
    const [one, other] = ['1', '2'].map((version) => createTestApp({ ports, http: { version } }));
    const created = await create(one ?? expect.fail());
    const tags = [await one?.request(created), await other?.request(created)];
    expect(tags.map((response) => response?.status)).toEqual([200, 200]);
    expect(tags[0]?.headers.get('etag') === tags[1]?.headers.get('etag')).toBe(isVersion);
  });

  test('does not stand in for a record that is gone', async () => {
    const app = createApp();
    const path = (await create(app)).replace(/[^/]+$/, 'unknown');
    const response = await app.request(path, { headers: { 'If-None-Match': '*' } });
    expect(response.headers.has('etag')).toBe(false);
    await expectError(response, 404);
  });
});

describe('an execution that has not ended', () => {
  test('has no tag, and is always sent', async () => {
    const app = createApp();
    const path = await workflowPath(app, 'held');
    const { execution_id } = await jsonOf(await app.post(`${path}/run`, { background: true }));
    const init = { headers: { 'If-None-Match': '*' } };
    const response = await app.request(`${path}/runs/${execution_id}`, init);
    expect([response.status, response.headers.has('etag')]).toEqual([200, false]);
    expect((await jsonOf(response))['status']).toMatch(/^(?:PENDING|RUNNING)$/);
    void app.orchestrator.close(0);
  });
});

test('the tag of a definition needs the key of the service', async () => {
  const app = createTestApp({ http: { apiKeys: ['key'] } });
  await expectError(await app.request('/workflows/x', { headers: { 'If-None-Match': '*' } }), 401);
});
