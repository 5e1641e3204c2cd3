import { SpanKind } from '@opentelemetry/api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  describeRequest,
  describeResponse,
  describeSpan,
  errorTypeOfException,
  errorTypeOfReason,
  toOtelAttributes,
} from '../../../src/adapters/telemetry/conventions.ts';

describe('the conventions for spans', () => {
  test.each([
    ['process_message', { 'message.trace_id': 'id' }, 'invoke_workflow message_pipeline', SpanKind.INTERNAL],
    ['stage planner', { stage: 'planner' }, 'stage planner', SpanKind.INTERNAL],
    ['execute_tool', { tool_name: 'refund_policy' }, 'execute_tool refund_policy', SpanKind.INTERNAL],
    ['agent echo', { agent_name: 'echo' }, 'invoke_agent echo', SpanKind.INTERNAL],
    ['workflow.run', { execution_id: 'e' }, 'invoke_workflow', SpanKind.INTERNAL],
    ['workflow.layer', { layer: 0 }, 'workflow layer', SpanKind.INTERNAL],
    ['workflow.step', { step_id: 'a' }, 'workflow step', SpanKind.INTERNAL],
    ['model_call', { model: 'gpt-4o-mini' }, 'chat gpt-4o-mini', SpanKind.CLIENT],
    ['store_command', { operation: 'GET' }, 'GET', SpanKind.CLIENT],
    ['store_command', { operation: 'EVALSHA', script: 'put_record' }, 'EVALSHA put_record', SpanKind.CLIENT],
    ['store_command', {}, 'store_command', SpanKind.CLIENT],
    ['route', { routing_id: 'r' }, 'route', SpanKind.INTERNAL],
    ['something new', {}, 'something new', SpanKind.INTERNAL],
  ])('name the span %s with %j %s', (coreName, attributes, name, kind) => {
    expect(describeSpan(coreName, attributes)).toMatchObject({ name, kind });
  });

  test('name the attributes that they define, and prefix the others', () => {
    expect(
      describeSpan('model_call', {
        purpose: 'classifier',
        model: 'gpt-4o-mini',
        input_tokens: 12,
        cached_input_tokens: 8,
        output_tokens: 3,
        reply_model: 'gpt-4o-mini-2024-07-18',
        finish_reasons: ['stop', 'ended, as the customer wished'],
      }).attributes,
    ).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.output.type': 'json',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.cache_read.input_tokens': 8,
      'gen_ai.usage.output_tokens': 3,
      'orchestration.purpose': 'classifier',
    });
    expect(describeSpan('execute_tool', { tool_name: 'lookup' }).attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.name': 'lookup',
    });
    expect(
      describeSpan('store_command', {
        system: 'redis',
        operation: 'GET',
        address: '10.0.0.1',
        port: 6379,
      }).attributes,
    ).toEqual({
      'db.system.name': 'redis',
      'db.operation.name': 'GET',
      'server.address': '10.0.0.1',
      'server.port': 6379,
    });
    expect(describeSpan('process_message', { 'message.trace_id': 'id' }).attributes).toMatchObject({
      'orchestration.trace_id': 'id',
    });
  });

  test('leave out texts that are no identifiers', () => {
    expect(
      toOtelAttributes({ reason: 'card 4111 was refused', goal: 'refund me', attempt: 2, ok: true }),
    ).toEqual({
      'orchestration.attempt': 2,
      'orchestration.ok': true,
    });
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const text = `${one} ${other}`;
        expect(JSON.stringify(describeSpan('route', { text }).attributes)).toBe('{}');
        expect(errorTypeOfReason(`tool_error: ${text}`)).toBe('tool_error');
        expect(errorTypeOfReason(text)).not.toContain(' ');
      }),
    );
  });

  test('name a request by its method, and by its route once it is routed', () => {
    const request = { method: 'GET', path: '/trace/abc', header: () => undefined };
    const descriptor = describeRequest(request);
    expect(descriptor).toMatchObject({ name: 'GET', kind: SpanKind.SERVER });
    expect(descriptor.attributes).toEqual({
      'http.request.method': 'GET',
      'url.path': '/trace/abc',
      'url.scheme': 'http',
    });
    expect(describeResponse(descriptor, '/trace/{trace_id}', 404)).toEqual({
      name: 'GET /trace/{trace_id}',
      attributes: { 'http.route': '/trace/{trace_id}', 'http.response.status_code': 404 },
    });
    expect(describeResponse(descriptor, 'unmatched', 404)).toEqual({
      name: 'GET',
      attributes: { 'http.response.status_code': 404 },
    });
  });

  test('treat all but the standard methods as one', () => {
    const descriptor = describeRequest({ method: 'BREW', path: '/', header: () => undefined });
    expect(descriptor).toMatchObject({ name: 'HTTP', attributes: { 'http.request.method': '_OTHER' } });
  });

  test('describe an exception by its code or class, never by its message', () => {
    expect(errorTypeOfException(new RangeError('secret'))).toBe('RangeError');
    expect(errorTypeOfException(Object.assign(new Error('secret'), { code: 'ECONNREFUSED' }))).toBe(
      'ECONNREFUSED',
    );
    expect(errorTypeOfException('secret text')).toBe('string');
    expect(errorTypeOfException(null)).toBe('object');
  });
});
