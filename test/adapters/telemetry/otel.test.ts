import { trace } from '@opentelemetry/api';
import { afterEach, describe, expect, test } from 'vitest';
import { settle } from '../../support/fake-clock.ts';
import { endTelemetry, request, startTelemetry } from './telemetry-under-test.ts';

afterEach(endTelemetry);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

describe('spans', () => {
  test('reach the collector with their parents, across whatever is awaited and whatever runs beside', async () => {
    const { telemetry, collector } = await startTelemetry();
    await telemetry.serverSpan(request('POST', '/messages'), async (server) => {
      await Promise.all(
        ['one', 'two'].map((name) =>
          telemetry.span(`agent ${name}`, { agent_name: name }, async () => {
            await settle();
            telemetry.span('stage planner', { stage: 'planner' }, () => {});
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

  test('of work that outlives its request stay below it', async () => {
    const { telemetry, collector } = await startTelemetry();
    let background: Promise<void> = Promise.resolve();
    telemetry.serverSpan(request('POST', '/workflows/w/run'), (server) => {
      background = settle().then(() => telemetry.span('workflow.run', {}, settle));
      server.answered('/workflows/{id}/run', 202);
    });
    await background;
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['POST /workflows/{id}/run', '  invoke_workflow']);
  });

  test('go on with the trace that the caller names, and hand it on', async () => {
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
    ['one that is no traceparent', 'abc'],
    ['one of zeros', `00-${'0'.repeat(32)}-${CALLER}-01`],
    ['two in one', `00-${TRACE}-${CALLER}-01, 00-${TRACE}-${CALLER}-01`],
  ])('begin a trace of their own where the caller names %s', async (_name, traceparent) => {
    const { telemetry, collector } = await startTelemetry();
    const headers = traceparent === undefined ? {} : { traceparent };
    const id = telemetry.serverSpan(request('GET', '/health', headers), () => telemetry.traceId());
    await telemetry.shutdown();
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(id).not.toBe(TRACE);
    expect(collector.span('GET')).toMatchObject({ traceId: id, parentSpanId: '' });
  });

  test('bear what is told of them under way, retries as events', async () => {
    const { telemetry, collector } = await startTelemetry();
    telemetry.span('execute_tool', { tool_name: 'lookup' }, (span) => {
      span.event('retry', { attempt: 1, reason: 'card 4111 was refused' });
      span.set({ attempts: 2 });
    });
    await telemetry.shutdown();
    const span = collector.span('execute_tool lookup');
    expect(span.events).toEqual([{ name: 'retry', attributes: { 'orchestration.attempt': 1 } }]);
    expect(span.attributes).toMatchObject({ 'gen_ai.tool.name': 'lookup', 'orchestration.attempts': 2 });
  });

  test('of tools that speak OpenTelemetry themselves join in', async () => {
    const { telemetry, collector } = await startTelemetry();
    telemetry.span('execute_tool', { tool_name: 'lookup' }, () => {
      trace.getTracer('tool').startActiveSpan('own', (span) => span.end());
    });
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['execute_tool lookup', '  own']);
  });

  test('hand on what the work returns or throws, at once where it is there at once', async () => {
    const { telemetry } = await startTelemetry();
    const failure = new Error('x');
    expect(telemetry.span('a', {}, () => 7)).toBe(7);
    expect(await telemetry.span('a', {}, async () => 8)).toBe(8);
    const thrown = (): never => {
      throw failure;
    };
    expect(() => telemetry.span('a', {}, thrown)).toThrow(failure);
    await expect(telemetry.span('a', {}, async () => thrown())).rejects.toBe(failure);
  });

  test('there are none outside, and then there is nothing to hand on', async () => {
    const { telemetry } = await startTelemetry();
    expect(telemetry.traceId()).toBeNull();
    expect(telemetry.inject()).toEqual({});
  });
});

describe('a failure', () => {
  test('that is thrown marks the innermost span that it went through and no other', async () => {
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

  test('that is told on the way up marks the span that told it first', async () => {
    const { telemetry, collector } = await startTelemetry();
    telemetry.span('process_message', {}, (message) => {
      telemetry.span('execute_tool', { tool_name: 'lookup' }, (tool) => tool.fail('tool_error'));
      message.fail('tool_error: lookup: no such order');
    });
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['invoke_workflow message_pipeline', '  !execute_tool lookup']);
    expect(collector.span('invoke_workflow message_pipeline').attributes).toMatchObject({
      'orchestration.failure': 'tool_error',
    });
  });

  test('that was made good leaves a later one to be marked where it happens', async () => {
    const { telemetry, collector } = await startTelemetry();
    telemetry.span('process_message', {}, (message) => {
      telemetry.span('stage classifier', { stage: 'classifier' }, () => {
        telemetry.span('model_call', { model: 'm' }, (call) => call.fail('timeout'));
      });
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

  test('of a step is not the failure of its run', async () => {
    const { telemetry, collector } = await startTelemetry();
    telemetry.span('workflow.run', {}, (run) => {
      telemetry.span('workflow.layer', { layer: 0 }, () => {
        telemetry.span('workflow.step', {}, (step) => step.fail('step_failed'));
      });
      run.fail('workflow_failed');
    });
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['invoke_workflow', '  workflow layer', '    !workflow step']);
  });

  test('of the service marks its request, a refusal does not', async () => {
    const { telemetry, collector } = await startTelemetry();
    telemetry.serverSpan(request('GET', '/a'), (server) => server.answered('/a', 503));
    telemetry.serverSpan(request('GET', '/b'), (server) => server.answered('/b', 422));
    await telemetry.shutdown();
    expect(collector.tree()).toEqual(['!GET /a', 'GET /b']);
    expect(collector.span('GET /a').attributes).toMatchObject({ 'error.type': '503' });
  });
});
