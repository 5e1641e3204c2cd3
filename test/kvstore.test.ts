import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startOtlpCollector } from './support/process/otlp-collector.ts';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';
import { startRedisServer } from './support/redis/server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

async function redis(password?: string) {
  const server = await startRedisServer(password === undefined ? {} : { password });
  cleanups.push(() => server.close());
  return server;
}

async function start(url: string, settings: Record<string, string> = {}): Promise<Service> {
  const service = await startService({
    KVSTORE_URL: url,
    TRACE_BACKEND: 'kvstore',
    RATE_LIMIT_BACKEND: 'kvstore',
    ...settings,
  });
  cleanups.push(() => service.stop());
  return service;
}

const message = { customer_id: 'c-1', message: 'I want a refund for my broken blender.' };
const statusOf = async (url: string) => (await fetch(url)).status;

describe('the service on a shared store', () => {
  test('shares messages, workflows, runs and routes with its replicas', async () => {
    const { url } = await redis();
    const [one, two] = await Promise.all([start(url), start(url)]);
    const sent = await bodyOf<{ trace_id: string }>(await postJson(`${one.baseUrl}/messages`, message));
    const steps = [{ id: 'policy', tool_name: 'refund_policy' }];
    const workflow = await bodyOf<{ id: string }>(
      await postJson(`${one.baseUrl}/workflows`, { name: 'w', steps }),
    );
    const run = await bodyOf<{ execution_id: string }>(
      await postJson(`${two.baseUrl}/workflows/${workflow.id}/run`, {}),
    );
    const subtasks = [{ agent_name: 'echo', payload: { a: 1 } }];
    const route = await bodyOf<{ routing_id: string }>(
      await postJson(`${one.baseUrl}/agents/route`, { goal: 'echo', subtasks }),
    );
    for (const { baseUrl } of [one, two]) {
      const runs = `${baseUrl}/workflows/${workflow.id}/runs`;
      expect(await statusOf(`${baseUrl}/trace/${sent.trace_id}`)).toBe(200);
      expect(await statusOf(`${baseUrl}/workflows/${workflow.id}`)).toBe(200);
      expect(await bodyOf(await fetch(`${runs}/${run.execution_id}`))).toMatchObject({ status: 'COMPLETED' });
      expect(await statusOf(`${baseUrl}/agents/routes/${route.routing_id}`)).toBe(200);
      expect(await bodyOf(await fetch(`${baseUrl}/trace/`))).toMatchObject({ total: 1 });
      expect(await bodyOf(await fetch(`${baseUrl}/health`))).toMatchObject({
        checks: { kvstore: 'ok', sqlite: 'not_configured' },
      });
    }
  });

  test('counts requests of all replicas together', async () => {
    const { url } = await redis();
    const limits = { RATE_LIMIT_REQUESTS: '10' };
    const [one, two] = await Promise.all([start(url, limits), start(url, limits)]);
    const bases = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : two).baseUrl);
    const statuses = await Promise.all(bases.map((base) => statusOf(`${base}/agents`)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('starts without it, is not ready, limits locally, recovers, and never shows its password', async () => {
    const server = await redis('canary-password');
    await server.kill();
    const service = await start(`redis://:canary-password@127.0.0.1:${server.port}/0`);
    const { baseUrl } = service;
    const rejected = await postJson(`${baseUrl}/messages`, message);
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await bodyOf(rejected)).toMatchObject({ error: 'Service Unavailable' });
    expect(await statusOf(`${baseUrl}/health?probe=ready`)).toBe(503);
    expect(await bodyOf(await fetch(`${baseUrl}/health`))).toMatchObject({
      status: 'degraded',
      checks: { kvstore: 'error' },
    });
    expect(await statusOf(`${baseUrl}/agents`)).toBe(200);
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^service_rate_limit_fallback_total [1-9]/m);
    await server.restart();
    await expect.poll(() => statusOf(`${baseUrl}/health?probe=ready`), { timeout: 5_000 }).toBe(200);
    expect((await postJson(`${baseUrl}/messages`, message)).status).toBe(200);
    expect(service.output() + metrics).not.toContain('canary');
  });

  test('creates a span for each store command of a request', async () => {
    const { url } = await redis();
    const collector = await startOtlpCollector();
    cleanups.push(() => collector.close());
    const service = await start(url, {
      OTEL_ENABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    });
    const fallbacks = async () => {
      const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return /^service_rate_limit_fallback_total \d+$/m.exec(text)?.[0];
    };
    // The first use of a script sends its text too.
    await postJson(`${service.baseUrl}/messages`, message);
    // On a busy machine the limiter may decide without the store for a second: then another request is looked at.
    let traceId = '';
    for (let attempt = 1; attempt <= 10; attempt++) {
      const before = await fallbacks();
      expect(before).toBeDefined();
      traceId = String(attempt).padStart(32, '0');
      const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
      const reply = await postJson(`${service.baseUrl}/messages`, message, { traceparent });
      expect(reply.status).toBe(200);
      if ((await fallbacks()) === before) break;
      await setTimeout(1_100);
    }
    service.process.kill('SIGTERM');
    await service.exited;
    expect(collector.tree(traceId)).toEqual([
      'POST /messages',
      '  EVALSHA',
      '  invoke_workflow message_pipeline',
      '    EVALSHA',
      '    execute_tool refund_policy',
      '    stage classifier',
      '    stage planner',
      '    stage responder',
      '    stage verifier',
    ]);
  });
});
