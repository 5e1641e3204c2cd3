import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { endTelemetry, request, startTelemetry } from './telemetry-under-test.ts';

afterEach(endTelemetry);

describe('the OTEL_* variables', () => {
  test('set the name of the service and its resource attributes', async () => {
    const { telemetry, collector } = await startTelemetry({
      OTEL_SERVICE_NAME: 'support',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%20b',
    });
    await telemetry.span('work', {}, async () => {});
    await telemetry.shutdown();
    expect(collector.span('work').resource).toMatchObject({
      'service.name': 'support',
      'service.version': '1.2.3',
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'deployment.environment.name': 'test',
      team: 'a b',
    });
  });

  test('need not set the name of the service', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.span('work', {}, async () => {});
    await telemetry.shutdown();
    expect(collector.span('work').resource).toMatchObject({ 'service.name': 'orchestration-service' });
  });

  test('set the endpoint and its headers', async () => {
    const { telemetry, collector } = await startTelemetry({
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a,x-key=b',
    });
    await telemetry.span('work', {}, async () => {});
    await telemetry.shutdown();
    expect(collector.requests).toMatchObject([
      { path: '/v1/traces', headers: { 'content-type': 'application/json', 'x-tenant': 'a', 'x-key': 'b' } },
    ]);
  });

  test('can set an endpoint for traces alone', async () => {
    const other = await startTelemetry({ OTEL_SDK_DISABLED: 'true' });
    const { telemetry, collector } = await startTelemetry({
      OTEL_SDK_DISABLED: 'false',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${other.collector.endpoint}/elsewhere`,
    });
    await telemetry.span('work', {}, async () => {});
    await telemetry.shutdown();
    expect(collector.requests).toEqual([]);
    expect(other.collector.requests).toMatchObject([{ path: '/elsewhere' }]);
  });

  test.each([
    [{ OTEL_TRACES_SAMPLER: 'always_off' }],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }],
  ])('can turn sampling off: %j', async (variables) => {
    const { telemetry, collector } = await startTelemetry(variables);
    const seen = await telemetry.serverSpan(request('GET', '/'), async (server) => {
      server.answered('/', 200);
      return telemetry.span('stage planner', { stage: 'planner' }, async (span) => {
        span.event('retry');
        span.fail('timeout');
        return { id: telemetry.traceId(), sent: telemetry.inject() };
      });
    });
    await telemetry.shutdown();
    expect(collector.requests).toEqual([]);
    expect(seen.id).toMatch(/^[0-9a-f]{32}$/);
    expect(seen.sent['traceparent']).toMatch(new RegExp(`^00-${seen.id}-[0-9a-f]{16}-00$`));
  });

  test('set how often spans are sent', async () => {
    const { telemetry, collector } = await startTelemetry({ OTEL_BSP_SCHEDULE_DELAY: '10' });
    await telemetry.span('work', {}, async () => {});
    while (collector.spans.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(collector.tree()).toEqual(['work']);
  });

  test.each([
    [{ OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_SDK_DISABLED: 'TRUE' }],
    [{ OTEL_TRACES_EXPORTER: 'none' }],
  ])('turn telemetry off: %j', async (variables) => {
    const { telemetry, collector } = await startTelemetry(variables);
    expect(await telemetry.serverSpan(request('GET', '/'), async () => telemetry.traceId())).toBeNull();
    expect(await telemetry.span('work', {}, async () => 7)).toBe(7);
    expect(telemetry.inject()).toEqual({});
    await telemetry.shutdown();
    expect(collector.requests).toEqual([]);
  });

  test('are named in a warning where they ask for something unsupported', async () => {
    const variables = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_EXPORTER: 'zipkin' };
    const { telemetry, collector, logger } = await startTelemetry(variables);
    await telemetry.span('work', {}, async () => {});
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['work']);
    expect(logger.lines).toMatchObject([
      { level: 'warn', exporter: 'zipkin' },
      { level: 'warn', protocol: 'grpc' },
    ]);
  });
});

describe('a collector', () => {
  test('that cannot be reached costs at most one log line a minute, and no work fails', async () => {
    const { telemetry, logger } = await startTelemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await closedPort()}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '1',
    });
    for (let round = 0; round < 5; round++) {
      expect(await telemetry.span('work', {}, async () => 7)).toBe(7);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await telemetry.span('work', {}, async () => {});
    await expect(telemetry.shutdown()).resolves.toBeUndefined();
    expect(logger.lines).toMatchObject([{ level: 'warn', message: 'OpenTelemetry reported a problem' }]);
  });

  test('that never responds delays neither work nor shutdown, and fills no memory', async () => {
    const { telemetry, collector } = await startTelemetry(
      { OTEL_EXPORTER_OTLP_TIMEOUT: '120000', OTEL_BSP_EXPORT_TIMEOUT: '120000' },
      { answer: false },
    );
    for (let count = 0; count < 20_000; count++) await telemetry.span('work', {}, async () => {});
    await expect(telemetry.shutdown()).resolves.toBeUndefined();
    expect(collector.requests.length).toBeLessThan(6);
  });
});

test('while telemetry is off, its packages are not loaded', async () => {
  const load = new URL('../../../src/adapters/telemetry/load.ts', import.meta.url).href;
  const loaded = (enabled: boolean) => `
    import { createRequire } from 'node:module';
    const { loadTelemetry } = await import(${JSON.stringify(load)});
    const logger = { warn() {} };
    const telemetry = await loadTelemetry({ enabled: ${enabled}, version: '1', logger });
    await telemetry.shutdown();
    const names = Object.keys(createRequire(import.meta.url).cache);
    console.log(names.filter((name) => name.includes('@opentelemetry')).length > 0);`;
  expect(await output(loaded(false))).toBe('false\n');
  expect(await output(loaded(true))).toBe('true\n');
});

/** The standard output of a program, until it exits. */
async function output(program: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  return text;
}

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
