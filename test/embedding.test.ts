import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../src/adapters/http/app.ts';
import { startServer } from '../src/adapters/http/listener/server.ts';
import type { HttpAppOptions } from '../src/adapters/http/options.ts';
import { defaultPorts } from '../src/entries/defaults.ts';
import { createOrchestrator } from '../src/entries/index.ts';
import { exampleTools } from '../src/entries/tools.ts';
import { expectError, jsonOf } from './support/http/app.ts';
import { bodyOf } from './support/process/service.ts';

function createTestOrchestrator(): ReturnType<typeof createOrchestrator> {
  const orchestrator = createOrchestrator(defaultPorts());
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  return orchestrator;
}

const workflow = { name: 'Policy', steps: [{ id: 'policy', tool_name: 'refund_policy' }] };

type Send = (path: string, init?: RequestInit) => Response | Promise<Response>;

function post(send: Send, path: string, body: object, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } };
  return send(path, { ...init, body: JSON.stringify(body) });
}

describe('an orchestrator with the default ports', () => {
  test('treats missing parts of a definition as empty', async () => {
    const { workflows } = createTestOrchestrator();
    const { id } = await workflows.create({
      name: 'Policy',
      steps: [{ id: 'policy', kind: 'tool', toolName: 'refund_policy' }],
    });
    expect(await workflows.get(id)).toMatchObject({
      description: '',
      steps: [{ id: 'policy', kind: 'tool', toolName: 'refund_policy', dependsOn: [], staticInput: {} }],
    });
    expect(await workflows.run(id)).toMatchObject({ status: 'COMPLETED', input: {} });
  });

  test('has the built-in agents, or those that it is told', () => {
    const names = (...options: Parameters<typeof createOrchestrator>) =>
      createOrchestrator(...options)
        .agents.list()
        .map(({ name }) => name);
    expect(names(defaultPorts())).toEqual(['echo', 'summary', 'support_pipeline']);
    expect(names(defaultPorts(), {}, { builtInAgents: ['summary', 'echo'] })).toEqual(['echo', 'summary']);
    expect(names(defaultPorts(), {}, { builtInAgents: [] })).toEqual([]);
  });

  test('shares nothing with another orchestrator', async () => {
    const [one, other] = [createTestOrchestrator(), createTestOrchestrator()];
    const message = { source: 'chat', customerId: 'c-1', message: 'I want a refund.' };
    const { traceId } = await one.messages.process(message);
    await expect(other.traces.get(traceId)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('accepts another implementation of one stage', async () => {
    const { stages } = defaultPorts();
    const respond = () => ({ value: 'Yours.', source: 'deterministic', summary: 'Mine.', data: {} }) as const;
    const orchestrator = createOrchestrator(defaultPorts({ stages: { ...stages, respond } }));
    const message = { source: 'chat', customerId: 'c-1', message: 'Where is my order?' };
    expect(await orchestrator.messages.process(message)).toMatchObject({ response: 'Yours.' });
  });

  test('closes at once when nothing is running', async () => {
    await expect(createTestOrchestrator().close()).resolves.toBeUndefined();
  });
});

describe('an HTTP app with only an orchestrator', () => {
  const app = createHttpApp({ orchestrator: createTestOrchestrator() });

  test('is healthy, has no metrics, and does not limit requests', async () => {
    const health = await app.request('/health?probe=ready');
    expect(await jsonOf(health)).toMatchObject({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      checks: {
        kvstore: 'not_configured',
        sqlite: 'not_configured',
        postgres: 'not_configured',
        llm: 'not_configured',
      },
    });
    const metrics = await app.request('/metrics');
    expect([metrics.status, metrics.headers.get('content-type'), await metrics.text()]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      '',
    ]);
    expect((await app.request('/tools')).headers.get('ratelimit')).toBeNull();
  });

  test('responds to errors in the error shape', async () => {
    await expectError(await app.request('/nowhere'), 404, 'nothing is served at "/nowhere"');
    await expectError(await app.request('/messages'), 405);
  });
});

/** The two ways of Hono to mount an app under a path, with an API key. */
const mounts: readonly (readonly [string, (path: string) => Hono])[] = [
  [
    'mount',
    (path) => {
      const shop = new Hono().get('/', (c) => c.text('shop'));
      return shop.mount(path, createAppWithKey({ basePath: path }).fetch);
    },
  ],
  [
    'route',
    (path) => {
      const shop = new Hono().get('/', (c) => c.text('shop'));
      return shop.route(path, createAppWithKey({}));
    },
  ],
];

const key = { 'X-Api-Key': 'key' };

function createAppWithKey(options: Partial<HttpAppOptions>) {
  return createHttpApp({ orchestrator: createTestOrchestrator(), apiKeys: ['key'], ...options });
}

describe.each(mounts)("an HTTP app mounted under a path by Hono's %s", (_, mountAt) => {
  const shop = mountAt('/of/orchestration');
  const send: Send = (path, init = {}) =>
    shop.request(path, { ...init, headers: { ...key, ...init.headers } });

  test('returns Location headers with that path', async () => {
    const created = await post(send, '/of/orchestration/workflows', workflow);
    const { id } = await jsonOf<{ id: string }>(created);
    const location = created.headers.get('location') ?? '';
    expect(location).toBe(`/of/orchestration/workflows/${id}`);
    expect(await jsonOf(await send(location))).toMatchObject({ id });

    const started = await post(send, `${location}/run`, { background: true });
    const { execution_id } = await jsonOf<{ execution_id: string }>(started);
    const run = started.headers.get('location') ?? '';
    expect(run).toBe(`${location}/runs/${execution_id}`);
    expect((await send(run)).status).toBe(200);
  });

  test('has that path in its OpenAPI document, and its pages load their assets', async () => {
    const description = await bodyOf<{ servers: object[] }>(await send('/of/orchestration/openapi.json'));
    expect(description.servers).toMatchObject([{ url: '/of/orchestration' }]);
    for (const page of ['docs', 'redoc']) {
      const base = `http://localhost/of/orchestration/${page}`;
      const html = await (await send(base)).text();
      const links = [...html.matchAll(/(?:href|src|data-document)="([^"]+)"/g)].map(([, link = '']) => link);
      expect(links.length).toBeGreaterThan(2);
      for (const link of links) {
        const { status } = await send(new URL(link, base).href);
        expect({ link, status }).toEqual({ link, status: 200 });
      }
    }
  });

  test('applies its middleware below that path only', async () => {
    expect(await (await shop.request('/')).text()).toBe('shop');
    expect(await (await shop.request('/of/else')).text()).toBe('404 Not Found');
    await expectError(await shop.request('/of/orchestration/tools'), 401);
    expect((await shop.request('/of/orchestration/health')).status).toBe(200);
    expect((await shop.request('/of/orchestration/metrics')).status).toBe(200);
    await expectError(await send('/of/orchestration/nowhere'), 404);
    await expectError(await send('/of/orchestration/messages'), 405);
    await expectError(await send('/of/orchestration/trace/?limit=0'), 422);
    await expectError(await send('/of/orchestration/trace/unknown'), 404);
  });
});

describe('the path of an app that is mounted without a base path', () => {
  /** Starts a server with an app that mounts the service, directly or not. */
  async function serve(shop: Hono): Promise<Send> {
    const { port, close } = await startServer({ fetch: shop.fetch, port: 0 });
    onTestFinished(close);
    return (path, init = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { ...key, ...init.headers } });
  }

  test.each<[string, string, (service: Hono) => Hono]>([
    ['mount', '/shop', (service) => new Hono().mount('/shop', service.fetch)],
    [
      'mount below a path',
      '/a/b%20c',
      (service) => new Hono().mount('/a', new Hono().mount('/b c', service.fetch).fetch),
    ],
    ['mount and route', '/a/b', (service) => new Hono().mount('/a', new Hono().route('/b', service).fetch)],
    ['route', '/shop', (service) => new Hono().route('/shop', service)],
    ['no mount', '', (service) => service],
  ])('is known on Node: %s', async (_name, path, mount) => {
    const send = await serve(mount(createAppWithKey({}) as unknown as Hono));
    const created = await post(send, `${path}/workflows?x=/workflows`, workflow);
    const location = created.headers.get('location') ?? '';
    expect(location).toMatch(new RegExp(`^${path}/workflows/[\\da-f-]{36}$`));
    expect((await send(location)).status).toBe(200);
    const description = await bodyOf<{ servers: object[] }>(await send(`${path}/openapi.json`));
    expect(description.servers).toMatchObject([{ url: path || '/' }]);
  });

  test('is unknown outside of Node, where `basePath` is required', async () => {
    const shop = new Hono().mount('/shop', createAppWithKey({}).fetch);
    const created = await post((path, init) => shop.request(path, init), '/shop/workflows', workflow, key);
    expect(created.headers.get('location')).toMatch(/^\/workflows\//);
  });
});

describe('the configured base path of an app', () => {
  test.each([
    ['/', ''],
    ['', ''],
    ['/a', '/a'],
    ['a/', '/a'],
    ['//a//b/', '/a/b'],
    ['/ü b', '/%C3%BC%20b'],
  ])('%j is normalized to %j', async (basePath, normalized) => {
    const app = createAppWithKey({ basePath });
    const send: Send = (path, init) => app.request(path, init);
    const created = await post(send, '/workflows', workflow, key);
    expect(created.headers.get('location')).toMatch(new RegExp(`^${normalized}/workflows/[\\da-f-]{36}$`));
    const description = await bodyOf<{ servers: object[] }>(
      await app.request('/openapi.json', { headers: key }),
    );
    expect(description.servers).toMatchObject([{ url: normalized || '/' }]);
  });

  test('is detected after a route with parameters, and encoded for headers', async () => {
    const tenants = new Hono().route('/:tenant/of', createAppWithKey({}));
    const send: Send = (path, init) => tenants.request(path, init);
    const created = await post(send, '/a%0d%0ab%20ü/of/workflows', workflow, key);
    expect(created.headers.get('location')).toMatch(/^\/a%0D%0Ab%20%C3%BC\/of\/workflows\/[\da-f-]{36}$/);
  });
});
