import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fits } from './support/llm/fake-model.ts';
import { purposeOf, startFakeProvider } from './support/llm/fake-provider.ts';
import { byPurpose } from './support/llm/provider-replies.ts';
import { startOtlpCollector } from './support/process/otlp-collector.ts';
import { readAll, writeRecords } from './support/process/records.ts';
import { bodyOf, postJson, runToEnd, type Service, startService } from './support/process/service.ts';
import {
  type SharedStore,
  type SharedStoreKind,
  sharedStores,
  startSharedStore,
} from './support/process/shared-store.ts';
import { until } from './support/until.ts';

const password = 'canary-password';
let servers: Readonly<Record<SharedStoreKind, SharedStore>>;

beforeAll(async () => {
  const [redis, postgres] = await Promise.all([
    startSharedStore('redis', { password }),
    startSharedStore('postgres', { password }),
  ]);
  servers = { redis, postgres };
});
afterAll(() => Promise.all(Object.values(servers).map((server) => server.stop())));

/** Starts a service that ends with the test. */
async function start(settings: Readonly<Record<string, string>>): Promise<Service> {
  const service = await startService(settings);
  onTestFinished(() => service.stop());
  return service;
}

const message = { customer_id: 'c-1', message: 'I want a refund for my broken blender.' };
const workflowOf = (...toolNames: readonly string[]) => ({
  name: 'w',
  steps: toolNames.map((tool_name) => ({ id: tool_name, tool_name })),
});
const statusOf = async (url: string) => (await fetch(url)).status;
const textOf = async (url: string) => (await fetch(url)).text();
const untilReady = (baseUrl: string) =>
  until('it is ready', async () => (await statusOf(`${baseUrl}/health?probe=ready`)) === 200, 30_000);

async function fallbacksOf({ baseUrl }: Service): Promise<number> {
  const metrics = await textOf(`${baseUrl}/metrics`);
  return Number(/^service_rate_limit_fallback_total (\d+)$/m.exec(metrics)?.[1] ?? Number.NaN);
}

/** The spans of a message with its limit: the commands of the store, in the place of `limit` and `record`. */
const spansWith = (limit: string, record: string): readonly string[] => [
  'POST /messages',
  `  ${limit}`,
  '  invoke_workflow message_pipeline',
  `    ${record}`,
  '    execute_tool refund_policy',
  '    stage classifier',
  '    stage planner',
  '    stage responder',
  '    stage verifier',
];

const commands = {
  redis: { system: 'redis', spans: spansWith('count_request', 'commit') },
  postgres: { system: 'postgresql', spans: spansWith('count_request', 'commit') },
} as const;

/** More than a statement, the check of a server and a busy machine take together. */
const REPLY_MS = 8_000;

describe.each(sharedStores)('the service on $name', ({ kind }) => {
  let server: SharedStore;
  let settings: Readonly<Record<string, string>>;
  let one: Service;
  let two: Service;
  /** Awaited before the model answers whether a reply fits, which it never does. */
  let beforeVerdict: () => Promise<void> = async () => undefined;
  let closeProvider = async (): Promise<void> => undefined;

  beforeAll(async () => {
    server = servers[kind];
    const verdict = byPurpose({ verifier: { ...fits, fits: false } });
    const provider = await startFakeProvider(async (request) => {
      if (purposeOf(request) === 'verifier') await beforeVerdict();
      return verdict(request);
    });
    closeProvider = provider.close;
    settings = {
      ...server.settings(),
      RATE_LIMIT_BACKEND: server.backend,
      RATE_LIMIT_REQUESTS: '1000000',
      LLM_API_KEY: 'key',
      LLM_BASE_URL: provider.baseUrl,
      LLM_STAGES: 'verifier',
      LLM_TIMEOUT_MS: '60000',
      LOG_LEVEL: 'trace',
      RUN_RECOVERY: 'resume',
    };
    [one, two] = await Promise.all([startService(settings), startService(settings)]);
    await Promise.all([one, two].map(({ baseUrl }) => untilReady(baseUrl)));
  });
  afterEach(() => {
    beforeVerdict = async () => undefined;
  });
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await closeProvider();
  });

  test('shares messages, workflows, runs and routes with its replicas', async () => {
    const { paths, runId } = await writeRecords(one.baseUrl, randomUUID());
    const shown = await readAll(one.baseUrl, paths);
    expect(shown.filter(({ status }) => status !== 200)).toEqual([]);
    expect(shown.find(({ path }) => path === `/runs/${runId}`)).toMatchObject({
      body: { status: 'COMPLETED' },
    });
    expect(shown.find(({ path }) => path.includes('customer_id'))).toMatchObject({ body: { total: 1 } });
    expect(await readAll(two.baseUrl, paths)).toEqual(shown);
    const others = { kvstore: 'not_configured', postgres: 'not_configured', sqlite: 'not_configured' };
    for (const { baseUrl } of [one, two]) {
      expect(await bodyOf(await fetch(`${baseUrl}/health`))).toMatchObject({
        status: 'ok',
        checks: { ...others, [server.backend]: 'ok' },
      });
      expect(await bodyOf(await fetch(`${baseUrl}/system`))).toMatchObject({
        storage: { backend: server.backend },
      });
    }
  });

  test('counts requests of all replicas together', async () => {
    const limits = {
      ...server.settings(),
      RATE_LIMIT_BACKEND: server.backend,
      RATE_LIMIT_REQUESTS: '10',
      TRUST_PROXY_HEADERS: 'true',
    };
    const pair = await Promise.all([start(limits), start(limits)]);
    await Promise.all(pair.map(({ baseUrl }) => untilReady(baseUrl)));
    const countFallbacks = async () => Promise.all(pair.map(fallbacksOf));
    // On a busy machine a replica may decide without the store for a second: then the next client is looked at.
    for (let client = 1; client <= 20; client++) {
      const before = await countFallbacks();
      const headers = { 'X-Forwarded-For': `10.0.0.${client}` };
      const bases = Array.from({ length: 10 }, () => pair.map(({ baseUrl }) => baseUrl)).flat();
      const replies = await Promise.all(bases.map((base) => fetch(`${base}/agents`, { headers })));
      const statuses = replies.map(({ status }) => status);
      const after = await countFallbacks();
      if (after.join() !== before.join()) {
        await sleep(1_100);
        continue;
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(10);
      return;
    }
    expect.fail('the store was too slow for the limiter each time');
  });

  test('starts without it, is not ready, limits locally, recovers, and never shows its password', async () => {
    const ofStore = server.settings();
    await server.kill();
    const service = await start({
      ...ofStore,
      RATE_LIMIT_BACKEND: server.backend,
      RUN_RECOVERY: 'resume',
      LOG_LEVEL: 'trace',
    });
    const { baseUrl } = service;
    const rejected = await postJson(`${baseUrl}/messages`, message);
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get('retry-after')).toMatch(/^\d+$/);
    const body = await rejected.text();
    expect(JSON.parse(body)).toMatchObject({ error: 'Service Unavailable' });
    expect(await statusOf(`${baseUrl}/health?probe=ready`)).toBe(503);
    const health = await textOf(`${baseUrl}/health`);
    expect(JSON.parse(health)).toMatchObject({ status: 'degraded', checks: { [server.backend]: 'error' } });
    expect(await statusOf(`${baseUrl}/agents`)).toBe(200);
    const metrics = await textOf(`${baseUrl}/metrics`);
    expect(metrics).toMatch(/^service_rate_limit_fallback_total [1-9]/m);
    const system = await textOf(`${baseUrl}/system`);
    expect(JSON.parse(system)).toMatchObject({ storage: { backend: server.backend } });
    await server.restart();
    await untilReady(baseUrl);
    expect((await postJson(`${baseUrl}/messages`, message)).status).toBe(200);
    expect([body, health, metrics, system, service.output()].join('\n')).not.toContain('canary');
  });

  test('keeps its records over a restart of the service and a crash of the server', async () => {
    await untilReady(one.baseUrl);
    const { paths } = await writeRecords(one.baseUrl, randomUUID());
    const before = await readAll(one.baseUrl, paths);
    await server.kill();
    await server.restart();
    const next = await start(settings);
    await untilReady(next.baseUrl);
    expect(await readAll(next.baseUrl, paths)).toEqual(before);
    await Promise.all([one, two].map(({ baseUrl }) => untilReady(baseUrl)));
  });

  test('answers a message whose tools had run when the server crashed, and stores it when that is back', async () => {
    beforeVerdict = () => server.kill();
    const sent = await postJson(`${one.baseUrl}/messages`, message);
    expect(sent.status).toBe(200);
    const { trace_id, item_id } = await bodyOf<{ trace_id: string; item_id: string | null }>(sent);
    expect(item_id).not.toBeNull();
    const refusal = async () => {
      const refused = await postJson(`${one.baseUrl}/workflows`, workflowOf('refund_policy'));
      await refused.arrayBuffer();
      return [refused.status, /^\d+$/.test(refused.headers.get('retry-after') ?? '')];
    };
    expect(await refusal()).toEqual([503, true]);
    await expect.poll(() => statusOf(`${one.baseUrl}/health?probe=ready`)).toBe(503);
    expect(await bodyOf(await fetch(`${one.baseUrl}/health`))).toMatchObject({
      status: 'degraded',
      checks: { [server.backend]: 'error' },
    });
    await server.restart();
    // The other replica knows what is stored alone.
    await expect.poll(() => statusOf(`${two.baseUrl}/trace/${trace_id}`), { timeout: 30_000 }).toBe(200);
    expect(await bodyOf(await fetch(`${two.baseUrl}/trace/${trace_id}`))).toMatchObject({
      tool_calls: [{ tool_name: 'refund_policy' }],
    });
    await expect.poll(() => statusOf(`${two.baseUrl}/inbox/${item_id}`)).toBe(200);
    await untilReady(one.baseUrl);
    for (const service of [one, two]) expect(service.output()).not.toContain('canary');
  });

  test('answers every request within seconds while the server hangs, and serves again afterwards', async () => {
    const { baseUrl } = one;
    const { id } = await bodyOf<{ id: string }>(
      await postJson(`${baseUrl}/workflows`, workflowOf('refund_policy')),
    );
    const { paths } = await writeRecords(baseUrl, randomUUID());
    onTestFinished(() => server.thaw());
    await server.freeze();
    const send = (): readonly Promise<Response>[] => [
      ...paths.map((path) => fetch(baseUrl + path)),
      ...['/health', '/health?probe=ready', '/metrics', '/inbox'].map((path) => fetch(baseUrl + path)),
      postJson(`${baseUrl}/messages`, message),
      postJson(`${baseUrl}/messages`, message, { 'Idempotency-Key': randomUUID() }),
      postJson(`${baseUrl}/workflows`, workflowOf('refund_policy')),
      postJson(`${baseUrl}/workflows/${id}/run`, {}),
      postJson(`${baseUrl}/workflows/${id}/run`, { background: true }),
      postJson(`${baseUrl}/agents/route`, {
        goal: 'echo',
        subtasks: [{ agent_name: 'echo', payload: {} }],
      }),
    ];
    // The first ones meet a server that nobody knows to hang yet.
    for (const _ of Array(2)) {
      const replies = await Promise.all(
        send().map(async (pending) => {
          const since = performance.now();
          const reply = await pending;
          await reply.arrayBuffer();
          return { url: reply.url, status: reply.status, ms: performance.now() - since };
        }),
      );
      expect(replies.filter(({ ms }) => ms > REPLY_MS)).toEqual([]);
      expect(replies.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    }
    server.thaw();
    await Promise.all([one, two].map((service) => untilReady(service.baseUrl)));
    expect(await statusOf(`${baseUrl}/workflows/${id}`)).toBe(200);
  });

  test('creates a span for each store command of a request', async () => {
    const collector = await startOtlpCollector();
    onTestFinished(() => collector.close());
    const service = await start({
      ...server.settings(),
      RATE_LIMIT_BACKEND: server.backend,
      OTEL_ENABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    });
    // The first use of a script sends its text too.
    await postJson(`${service.baseUrl}/messages`, message);
    // On a busy machine the limiter may decide without the store for a second: then another request is looked at.
    let traceId = '';
    for (let attempt = 1; attempt <= 10; attempt++) {
      const before = await fallbacksOf(service);
      expect(before).not.toBeNaN();
      traceId = String(attempt).padStart(32, '0');
      const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
      const reply = await postJson(`${service.baseUrl}/messages`, message, { traceparent });
      expect(reply.status).toBe(200);
      if ((await fallbacksOf(service)) === before) break;
      await sleep(1_100);
    }
    service.process.kill('SIGTERM');
    await service.exited;
    expect(collector.tree(traceId)).toEqual(commands[kind].spans);
    const systems = collector.spans.flatMap(({ attributes }) => attributes['db.system.name'] ?? []);
    expect(new Set(systems)).toEqual(new Set([commands[kind].system]));
  });
});

describe('a start with PostgreSQL', () => {
  test('ends with one line where the schema is newer than the program', async () => {
    const { DATABASE_SCHEMA: schema = '', ...settings } = servers.postgres.settings();
    const { postgres } = servers.postgres;
    await postgres?.query(`CREATE SCHEMA ${schema}`);
    await postgres?.query(
      `CREATE TABLE ${schema}.migrations AS SELECT 999 AS number, 'later' AS name, now() AS at`,
    );
    const { code, stderr } = await runToEnd({ ...settings, DATABASE_SCHEMA: schema, PORT: '0' });
    expect(stderr).toMatch(/^DATABASE_SCHEMA: .* version 999.*\n$/);
    expect(code).toBe(1);
  });

  test.each([
    `postgres://ann:${password}@[x/y`,
    `http://ann:${password}@127.0.0.1/y`,
    `postgres://ann:${password}@127.0.0.1/y?sslmode=verify-full&sslrootcert=/none/${password}`,
  ])(
    'ends with one line that names DATABASE_URL where that is malformed, without its password (%#)',
    async (url) => {
      const { code, stdout, stderr } = await runToEnd({
        TRACE_BACKEND: 'postgres',
        DATABASE_URL: url,
        PORT: '0',
      });
      expect(stderr).toMatch(/^DATABASE_URL: .*\n$/);
      expect(stdout + stderr).not.toContain('canary');
      expect(code).toBe(1);
    },
  );
});
