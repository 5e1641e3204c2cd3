import { afterEach, describe, expect, test } from 'vitest';
import { startFakeProvider } from '../../support/llm/fake-provider.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/process/otlp-collector.ts';
import { postJson, type Service, startService } from '../../support/process/service.ts';

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const message = { source: 'web', customer_id: 'c', message: 'I want a refund for my broken kettle' };

async function startTraced(
  settings: Readonly<Record<string, string>>,
  options: { answer?: boolean } = {},
): Promise<{ service: Service; collector: OtlpCollector }> {
  const collector = await startOtlpCollector(options);
  endings.push(() => collector.close());
  const service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_TIMEOUT: '120000',
    ...settings,
  });
  endings.push(() => service.stop());
  return { service, collector };
}

describe('the service with OTEL_ENABLED', () => {
  test('sends the spans of each request before it exits, and links them to the stored trace', async () => {
    const { service, collector } = await startTraced({ OTEL_ENABLED: 'true' });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const reply = await postJson(`${service.baseUrl}/messages`, message, { traceparent });
    expect(reply.status).toBe(200);
    const traceId = reply.headers.get('x-trace-id');
    const stored = await (await fetch(`${service.baseUrl}/trace/${traceId}`)).json();
    await fetch(`${service.baseUrl}/nothing/here?secret=4111`);
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(collector.tree()).toEqual([
      'GET',
      'GET /trace/{trace_id}',
      'POST /messages',
      '  invoke_workflow message_pipeline',
      '    execute_tool refund_policy',
      '    stage classifier',
      '    stage planner',
      '    stage responder',
      '    stage verifier',
    ]);
    const span = collector.span('invoke_workflow message_pipeline');
    expect(stored).toMatchObject({
      trace_id: span.attributes['orchestration.trace_id'],
      otel_trace_id: '0af7651916cd43dd8448eb211c80319c',
    });
    expect(collector.span('POST /messages').parentSpanId).toBe('b7ad6b7169203331');
    const sent = JSON.stringify(collector.spans);
    expect(sent).not.toContain('kettle');
    expect(sent).not.toContain('4111');
  });

  test('propagates its trace to the provider of the language model with every try', async () => {
    await using provider = await startFakeProvider(() => ({ kind: 'reply', status: 500, body: '' }));
    const { service, collector } = await startTraced({
      OTEL_ENABLED: 'true',
      LLM_API_KEY: 'key-of-the-provider',
      LLM_BASE_URL: provider.baseUrl,
      LLM_STAGES: 'classifier',
      LLM_MODEL: 'some-model',
      LLM_MAX_RETRIES: '1',
    });
    await postJson(`${service.baseUrl}/messages`, message);
    service.process.kill('SIGTERM');
    await service.exited;
    const chat = collector.span('chat some-model');
    const traceparent = `00-${chat.traceId}-${chat.spanId}-01`;
    const sent = provider.requests.filter(({ method }) => method === 'POST');
    expect(sent.map(({ headers }) => headers['traceparent'])).toEqual([traceparent, traceparent]);
    expect(chat).toMatchObject({ kind: 'CLIENT', hasFailed: true });
    expect(chat.parentSpanId).toBe(collector.span('stage classifier').spanId);
    expect(collector.span('stage classifier')).toMatchObject({
      hasFailed: false,
      attributes: { 'orchestration.source': 'fallback' },
    });
  });

  test('responds and shuts down as usual while the collector never responds', async () => {
    const { service, collector } = await startTraced(
      { OTEL_ENABLED: 'true', OTEL_BSP_SCHEDULE_DELAY: '1' },
      { answer: false },
    );
    for (let count = 0; count < 20; count++) {
      expect((await postJson(`${service.baseUrl}/messages`, message)).status).toBe(200);
    }
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(collector.requests.length).toBeGreaterThan(0);
  });

  test('sends nothing when it is off', async () => {
    const { service, collector } = await startTraced({});
    const reply = await postJson(`${service.baseUrl}/messages`, message);
    const stored = await (await fetch(`${service.baseUrl}/trace/${reply.headers.get('x-trace-id')}`)).json();
    service.process.kill('SIGTERM');
    await service.exited;
    expect(stored).toMatchObject({ otel_trace_id: null });
    expect(collector.requests).toEqual([]);
  });
});
