import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../src/entries/client.ts';
import { defaultPorts } from '../src/entries/defaults.ts';
import { createHttpApp } from '../src/entries/http.ts';
import { createHealth, createOrchestrator, type Orchestrator } from '../src/entries/index.ts';
import { connectLanguageModel } from '../src/entries/llm.ts';
import { createLogger, logEvents } from '../src/entries/logging.ts';
import { createRedisStore } from '../src/entries/redis.ts';
import { createMetrics, loadTelemetry } from '../src/entries/telemetry.ts';
import { exampleTools } from '../src/entries/tools.ts';
import { assessed } from './support/llm/fake-model.ts';
import { type FakeProvider, startFakeProvider } from './support/llm/fake-provider.ts';
import { byPurpose } from './support/llm/provider-replies.ts';
import { bodyOf } from './support/process/service.ts';
import { type RedisServer, startRedisServer } from './support/redis/server.ts';

let server: RedisServer;
let provider: FakeProvider;

beforeAll(async () => {
  server = await startRedisServer();
  provider = await startFakeProvider(
    byPurpose({
      classifier: assessed('refund'),
      decomposer: { subtasks: [{ agent_name: 'echo', text: 'Hello.' }] },
    }),
  );
});

afterAll(async () => {
  await provider?.close();
  await server?.close();
});

const message = { source: 'chat', customer_id: 'c-1', message: 'I want a refund for my blender.' };

describe('the entries together', () => {
  test('build a service with a shared store, a language model, metrics and logs', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line), flush: async () => undefined };
    const logger = createLogger({ level: 'info', destination });
    const metrics = createMetrics();
    const telemetry = await loadTelemetry({ enabled: false });
    const redis = createRedisStore({ url: server.url, prefix: 'entries:', logger });
    const model = await connectLanguageModel({
      apiKey: 'key',
      baseUrl: provider.baseUrl,
      stages: ['classifier', 'decomposer'],
      tools: () => orchestrator.tools.list(),
      observer: metrics.llm,
      logger,
      telemetry,
    });
    const log = logEvents(logger);
    const ports = defaultPorts({
      ...redis.ports,
      ...model.ports,
      logger,
      telemetry,
      events: (event) => {
        metrics.sink(event);
        log(event);
      },
    });
    const orchestrator: Orchestrator = createOrchestrator(ports);
    for (const tool of exampleTools) orchestrator.tools.register(tool);
    const limiter = redis.rateLimiter({ limit: 100, windowSeconds: 60 });
    await redis.start();
    const health = createHealth(ports, { kvstore: redis.probe, llm: model.probe });
    const app = createHttpApp({ orchestrator, health, metrics, limiter, logger, telemetry });
    const client = createClient('http://localhost', { fetch: app.request });

    try {
      const replied = await client.messages.$post({ json: message });
      const { trace_id, intent } = await bodyOf<{ trace_id: string; intent: string }>(replied);
      expect(intent).toBe('refund');
      expect(replied.headers.get('ratelimit')).toMatch(/^"default";r=99;/);
      const routed = await client.agents.route.$post({ json: { goal: 'Say hello.' } });
      expect(await routed.json()).toMatchObject({ status: 'completed', decomposition: 'llm' });

      const report = await client.health.$get({ query: { probe: 'ready' } });
      expect(await report.json()).toMatchObject({ status: 'ok', checks: { kvstore: 'ok', llm: 'ok' } });
      const exposition = await (await client.metrics.$get()).text();
      expect(exposition).toContain(
        'service_tool_execution_total{tool_name="refund_policy",status="success"} 1',
      );
      expect(exposition).toContain('service_llm_tokens_total{stage="classifier",kind="input"} 11');
      expect(lines.some((line) => line.includes('"message finished"') && line.includes(trace_id))).toBe(true);

      const replica = createRedisStore({ url: server.url, prefix: 'entries:' });
      await replica.start();
      const other = createOrchestrator(defaultPorts(replica.ports));
      const { timeline } = await other.traces.get(trace_id);
      const sources = timeline.flatMap((event) => (event.type === 'agent.decided' ? [event.source] : []));
      expect(sources).toEqual(['llm', 'deterministic', 'deterministic', 'deterministic']);
      await replica.close();
    } finally {
      await orchestrator.close();
      await redis.close();
    }
  });

  test('list traces with the client, whose paths and queries are typed', async () => {
    const orchestrator = createOrchestrator(defaultPorts());
    const app = createHttpApp({ orchestrator });
    const client = createClient('http://localhost', { fetch: app.request });
    const listed = await client.trace.index.$get({ query: { limit: '5', offset: '1' } });
    expect(await listed.json()).toEqual({ total: 0, limit: 5, offset: 1, traces: [] });
  });
});
