import { trace } from '@opentelemetry/api';
import { afterEach, describe, expect, test } from 'vitest';
import { settle } from '../../support/fake-clock.ts';
import { endTelemetry, request, startTelemetry } from './telemetry-under-test.ts';

afterEach(endTelemetry);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

describe('spans', () => {
  test('reach the collector with their parents, across awaited and concurrent work', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.serverSpan(request('POST', '/messages'), async (server) => {
      await Promise.all(
        ['one', 'two'].map((name) =>
          telemetry.span(`agent ${name}`, { agent_name: name }, async () => {
            await settle();
            await telemetry.span('stage planner', { stage: 'planner' }, async () => {});
            await settle();
            await telemetry.span('execute_tool', { tool_name: name }, settle);
          }),
        ),
      );
      server.answered('/messages', 200);
    });
    await telemetry.shutdown();
    expect(collector.tree()).toEqual([
      'POST /messages',
      '  invoke_agent one',
      '    execute_tool one',
      '    stage planner',
      '  invoke_agent two',
      '    execute_tool two',
      '    stage planner',
    ]);
    expect(new Set(collector.spans.map((span) => span.traceId)).size).toBe(1);
    expect(collector.span('POST /messages')).toMatchObject({
      kind: 'SERVER',
      parentSpanId: '',
      hasFailed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/messages',
        'http.response.status_code': 200,
        'url.path': '/messages',
      },
    });
  });

  test('of work that outlasts its request are still its children', async () => {
    const { telemetry, collector } = await startTelemetry();
    let background: Promise<void> = Promise.resolve();
    await telemetry.serverSpan(request('POST', '/workflows/w/run'), async (server) => {
      background = settle().then(() => telemetry.span('workflow.run', {}, settle));
      server.answered('/workflows/{id}/run', 202);
    });
    await background;
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['POST /workflows/{id}/run', '  invoke_workflow']);
  });

  test('continue the trace of the caller, and propagate it', async () => {
    const { telemetry, collector } = await startTelemetry();
    const headers = {
      traceparent: `00-${TRACE}-${CALLER}-01`,
      tracestate: 'vendor=value',
      baggage: 'user=somebody',
    };
    const seen = await telemetry.serverSpan(request('POST', '/messages', headers), () =>
      telemetry.span('model_call', { model: 'm' }, async () => {
        await settle();
        return { sent: telemetry.inject(), id: telemetry.traceId() };
      }),
    );
    await telemetry.shutdown();
    const model = collector.span('chat m');
    expect(model.traceId).toBe(TRACE);
    expect(collector.span('POST').parentSpanId).toBe(CALLER);
    expect(seen.id).toBe(TRACE);
    expect(seen.sent).toEqual({ traceparent: `00-${TRACE}-${model.spanId}-01`, tracestate: 'vendor=value' });
  });

  test.each([
    ['none', undefined],
    ['an invalid one', 'abc'],
    ['one with a trace id of zeros', `00-${'0'.repeat(32)}-${CALLER}-01`],
    ['two in one', `00-${TRACE}-${CALLER}-01, 00-${TRACE}-${CALLER}-01`],
  ])('start a new trace when the caller sends %s', async (_name, traceparent) => {
    const { telemetry, collector } = await startTelemetry();
    const headers = traceparent === undefined ? {} : { traceparent };
    const id = await telemetry.serverSpan(request('GET', '/health', headers), async () =>
      telemetry.traceId(),
    );
    await telemetry.shutdown();
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(id).not.toBe(TRACE);
    expect(collector.span('GET')).toMatchObject({ traceId: id, parentSpanId: '' });
  });

  test('carry attributes that are set later, and retries as events', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.span('execute_tool', { tool_name: 'lookup' }, async (span) => {
      span.event('retry', { attempt: 1, reason: 'card 4111 was refused' });
      span.set({ attempts: 2 });
    });
    await telemetry.shutdown();
    const span = collector.span('execute_tool lookup');
    expect(span.events).toEqual([{ name: 'retry', attributes: { 'orchestration.attempt': 1 } }]);
    expect(span.attributes).toMatchObject({ 'gen_ai.tool.name': 'lookup', 'orchestration.attempts': 2 });
  });

  test('of tools that use the OpenTelemetry API themselves join the trace', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.span('execute_tool', { tool_name: 'lookup' }, async () => {
      trace.getTracer('tool').startActiveSpan('own', (span) => span.end());
    });
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['execute_tool lookup', '  own']);
  });

  test('return what the work returns, and throw what it throws', async () => {
    const { telemetry } = await startTelemetry();
    const failure = new Error('x');
    expect(await telemetry.span('a', {}, async () => 8)).toBe(8);
    await expect(telemetry.span('a', {}, () => Promise.reject(failure))).rejects.toBe(failure);
    const throwAtOnce = (): never => {
      throw failure;
    };
    await expect(telemetry.span('a', {}, throwAtOnce)).rejects.toBe(failure);
  });

  test('outside of any span there is no trace to propagate', async () => {
    const { telemetry } = await startTelemetry();
    expect(telemetry.traceId()).toBeNull();
    expect(telemetry.inject()).toEqual({});
  });
});

describe('a failure', () => {
  test('that is thrown marks the innermost span that it happened in and no other', async () => {
    const { telemetry, collector } = await startTelemetry();
    const work = telemetry.span('route', {}, () =>
      telemetry.span('workflow.run', {}, () =>
        telemetry.span('workflow.step', {}, async () => {
          await settle();
          throw new RangeError('my card is 4111');
        }),
      ),
    );
    await expect(work).rejects.toThrow(RangeError);
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['route', '  invoke_workflow', '    !workflow step']);
    expect(collector.span('workflow step').attributes).toMatchObject({ 'error.type': 'RangeError' });
    expect(collector.span('route').attributes).toEqual({ 'orchestration.failure': 'RangeError' });
    expect(
      JSON.stringify(collector.spans, (_key, value) => String(value) && value?.toString()),
    ).not.toContain('4111');
  });

  test('that is reported by several spans marks the innermost one', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.span('process_message', {}, async (message) => {
      await telemetry.span('execute_tool', { tool_name: 'lookup' }, async (tool) => tool.fail('tool_error'));
      message.fail('tool_error: lookup: no such order');
    });
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['invoke_workflow message_pipeline', '  !execute_tool lookup']);
    expect(collector.span('invoke_workflow message_pipeline').attributes).toMatchObject({
      'orchestration.failure': 'tool_error',
    });
  });

  test('that was handled does not hide a later one', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.span('process_message', {}, async (message) => {
      await telemetry.span('stage classifier', { stage: 'classifier' }, () =>
        telemetry.span('model_call', { model: 'm' }, async (call) => call.fail('timeout')),
      );
      message.fail('internal_error: an illegal transition');
    });
    await telemetry.shutdown();
    expect(collector.tree()).toEqual([
      '!invoke_workflow message_pipeline',
      '  stage classifier',
      '    !chat m',
    ]);
    expect(collector.span('invoke_workflow message_pipeline').attributes).toMatchObject({
      'error.type': 'internal_error',
    });
  });

  test('of a step is marked on the step, not on its run', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.span('workflow.run', {}, async (run) => {
      await telemetry.span('workflow.layer', { layer: 0 }, () =>
        telemetry.span('workflow.step', {}, async (step) => step.fail('step_failed')),
      );
      run.fail('workflow_failed');
    });
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['invoke_workflow', '  workflow layer', '    !workflow step']);
  });

  test('of the service (5xx) marks its request, a rejected request (4xx) does not', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.serverSpan(request('GET', '/a'), async (server) => server.answered('/a', 503));
    await telemetry.serverSpan(request('GET', '/b'), async (server) => server.answered('/b', 422));
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['!GET /a', 'GET /b']);
    expect(collector.span('GET /a').attributes).toMatchObject({ 'error.type': '503' });
  });
});
