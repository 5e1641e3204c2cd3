import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../../src/adapters/telemetry/prometheus.ts';
import type { OrchestrationEvent } from '../../../src/domain/events.ts';
import type { ToolStatus } from '../../../src/domain/message/message.ts';
import { messageFinished } from '../../support/stats-events.ts';
import { type Family, readExposition, scrape, value } from './exposition.ts';

function toolExecuted(
  toolName: string,
  status: ToolStatus,
  durationMs: number,
  registered = true,
  notFound = false,
): OrchestrationEvent {
  const error = status === 'error' ? 'broken' : null;
  const outcome = { toolName, input: {}, status, output: null, attempts: 1, error, notFound, durationMs };
  return { type: 'tool.executed', at: 0, registered, outcome };
}

describe('the metrics of a service', () => {
  test('are those of the specification, by name, type and labels', async () => {
    const metrics = createMetrics();
    metrics.requestFinished('/messages', 200, 0.002);
    metrics.sink(toolExecuted('refund_policy', 'success', 4));
    metrics.sink(toolExecuted('refund_policy', 'not_found', 4));
    const families = await scrape(metrics);
    const shapes = [...families]
      .filter(([name]) => /^service_(requests|request|tool|verifier)/.test(name))
      .map(([name, { type, samples }]) => {
        const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
        return [name, type, ...[...labels].filter((label) => label !== 'le').sort()];
      });
    expect(shapes.sort()).toEqual([
      ['service_request_latency_seconds', 'histogram', 'route'],
      ['service_requests_total', 'counter', 'route', 'status'],
      ['service_tool_execution_latency_seconds', 'histogram', 'tool_name'],
      ['service_tool_execution_total', 'counter', 'status', 'tool_name'],
      ['service_tool_owner_mismatch_total', 'counter', 'tool'],
      ['service_verifier_escalations_total', 'counter'],
    ]);
  });

  test('are served in text exposition format, together with those of the process', async () => {
    const metrics = createMetrics();
    const { contentType, body } = await metrics.exposition();
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    const families = readExposition(body);
    expect(value(families, 'service_verifier_escalations_total')).toBe(0);
    expect(value(families, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    for (const { type, help } of families.values()) {
      expect(['counter', 'gauge', 'histogram']).toContain(type);
      expect(help).not.toBe('');
    }
  });

  test('count requests by route and status, and their duration by route', async () => {
    const metrics = createMetrics();
    for (const seconds of [0.002, 0.002, 7]) metrics.requestFinished('/messages', 200, seconds);
    metrics.requestFinished('/messages', 422, 0.002);
    metrics.requestFinished('/trace/{trace_id}', 404, 0.002);
    const families = await scrape(metrics);
    expect(value(families, 'service_requests_total', { route: '/messages', status: '200' })).toBe(3);
    expect(value(families, 'service_requests_total', { route: '/messages', status: '422' })).toBe(1);
    expect(value(families, 'service_requests_total', { route: '/trace/{trace_id}', status: '404' })).toBe(1);
    const latency = (name: string, labels: Record<string, string>) =>
      value(families, `service_request_latency_seconds_${name}`, { route: '/messages', ...labels });
    expect(latency('count', {})).toBe(4);
    expect(latency('sum', {})).toBeCloseTo(7.006);
    expect(latency('bucket', { le: '0.001' })).toBe(0);
    expect(latency('bucket', { le: '0.0025' })).toBe(3);
    expect(latency('bucket', { le: '60' })).toBe(4);
    expect(latency('bucket', { le: '+Inf' })).toBe(4);
  });

  test('count each tool call once, with its status and duration', async () => {
    const metrics = createMetrics();
    metrics.sink(toolExecuted('lookup', 'success', 20));
    metrics.sink(toolExecuted('lookup', 'error', 40));
    metrics.sink(toolExecuted('lookup', 'error', 40));
    const families = await scrape(metrics);
    const labels = { tool_name: 'lookup' };
    expect(value(families, 'service_tool_execution_total', { ...labels, status: 'success' })).toBe(1);
    expect(value(families, 'service_tool_execution_total', { ...labels, status: 'error' })).toBe(2);
    expect(value(families, 'service_tool_execution_latency_seconds_count', labels)).toBe(3);
    expect(value(families, 'service_tool_execution_latency_seconds_sum', labels)).toBeCloseTo(0.1);
  });

  test('count a tool call that finds nothing by a status of its own', async () => {
    const metrics = createMetrics();
    metrics.sink(toolExecuted('lookup', 'error', 20, true, true));
    const families = await scrape(metrics);
    const counted = (status: string) =>
      value(families, 'service_tool_execution_total', { tool_name: 'lookup', status });
    expect([counted('not_found'), counted('error'), counted('success')]).toEqual([1, undefined, undefined]);
    expect(value(families, 'service_tool_execution_latency_seconds_count', { tool_name: 'lookup' })).toBe(1);
  });

  test('count an output of another customer as nothing found, and by its tool', async () => {
    const metrics = createMetrics();
    for (const name of ['lookup', 'lookup', 'other'])
      metrics.sink(toolExecuted(name, 'not_found', 20, true, true));
    metrics.sink(toolExecuted('lookup', 'error', 20, true, true));
    const families = await scrape(metrics);
    expect(value(families, 'service_tool_owner_mismatch_total', { tool: 'lookup' })).toBe(2);
    expect(value(families, 'service_tool_owner_mismatch_total', { tool: 'other' })).toBe(1);
    const notFound = { tool_name: 'lookup', status: 'not_found' };
    expect(value(families, 'service_tool_execution_total', notFound)).toBe(3);
  });

  test('count a cancelled tool call by a status of its own', async () => {
    const metrics = createMetrics();
    const failed = toolExecuted('lookup', 'error', 20);
    if (failed.type !== 'tool.executed') throw new Error('not a tool call');
    metrics.sink({ ...failed, outcome: { ...failed.outcome, cancelled: true } });
    const families = await scrape(metrics);
    const counted = (status: string) =>
      value(families, 'service_tool_execution_total', { tool_name: 'lookup', status });
    expect([counted('cancelled'), counted('error')]).toEqual([1, undefined]);
  });

  test('count messages by intent, disposition and status', async () => {
    const metrics = createMetrics();
    const finished = messageFinished();
    const failed = {
      intent: 'unknown',
      status: 'FAILED',
      escalated: true,
      disposition: 'escalated',
    } as const;
    for (const event of [
      ...[finished, finished, { ...finished, ...failed }],
      { ...finished, intent: 'spam', disposition: 'no_reply', concerns: ['press'] } as const,
    ]) {
      metrics.sink(event);
    }
    const families = await scrape(metrics);
    const count = (intent: string, disposition: string, status = 'COMPLETED') =>
      value(families, 'service_messages_total', { intent, disposition, status });
    expect(count('refund', 'answered')).toBe(2);
    expect(count('spam', 'no_reply')).toBe(1);
    expect(count('unknown', 'escalated', 'FAILED')).toBe(1);
    expect(families.get('service_messages_total')?.samples).toHaveLength(3);
  });

  test('count escalations, model fallbacks and tokens, dropped records and limiter fallbacks', async () => {
    const metrics = createMetrics();
    metrics.sink({ type: 'message.escalated', traceId: 't', seq: 1, at: 0, reasons: [] });
    metrics.sink({ type: 'message.escalated', traceId: 'u', seq: 1, at: 0, reasons: [] });
    metrics.llm.fallback('classifier', 'timeout');
    metrics.llm.tokens('classifier', 120, 8, 100);
    metrics.llm.tokens('classifier', 30, Number.NaN);
    metrics.llm.tokens('planner', -5, 1);
    metrics.recordDropped();
    metrics.rateLimitFallback();
    const families = await scrape(metrics);
    expect(value(families, 'service_verifier_escalations_total')).toBe(2);
    const fallback = { stage: 'classifier', reason: 'timeout' };
    expect(value(families, 'service_llm_fallbacks_total', fallback)).toBe(1);
    const tokens = (stage: string, kind: string) =>
      value(families, 'service_llm_tokens_total', { stage, kind });
    expect(tokens('classifier', 'input')).toBe(150);
    expect(tokens('classifier', 'cached_input')).toBe(100);
    expect(tokens('classifier', 'output')).toBe(8);
    expect(tokens('planner', 'input')).toBe(0);
    expect(value(families, 'service_store_outbox_dropped_total')).toBe(1);
    expect(value(families, 'service_rate_limit_fallback_total')).toBe(1);
  });

  test('get no new series from names that callers choose', async () => {
    const metrics = createMetrics();
    const fill = (from: number) => {
      for (let index = from; index < from + 5_000; index++) {
        metrics.requestFinished(`/random/${index}`, 404, 0.001);
        metrics.sink(toolExecuted(`tool ${index}`, 'error', 1, false));
      }
    };
    fill(0);
    const before = await scrape(metrics);
    fill(5_000);
    metrics.requestFinished('unmatched', 404, 0.001);
    const after = await scrape(metrics);
    const seriesOf = (families: Map<string, Family>) =>
      [...families].filter(([name]) => name.startsWith('service_')).flatMap(([, { samples }]) => samples)
        .length;
    expect(seriesOf(after)).toBe(seriesOf(before));
    expect(value(after, 'service_requests_total', { route: 'unmatched', status: '404' })).toBe(9_801);
    expect(value(after, 'service_tool_execution_total', { tool_name: 'unknown', status: 'error' })).toBe(
      10_000,
    );
  });

  test('stay readable whatever a label contains', async () => {
    const metrics = createMetrics();
    const route = '/a"b\\c\nd,e="f"} 1';
    metrics.requestFinished(route, 200, 0.001);
    const families = await scrape(metrics);
    expect(value(families, 'service_requests_total', { route, status: '200' })).toBe(1);
  });

  test('are not shared between services', async () => {
    const one = createMetrics();
    const other = createMetrics();
    one.requestFinished('/messages', 200, 0.001);
    expect(value(await scrape(other), 'service_requests_total', { route: '/messages', status: '200' })).toBe(
      undefined,
    );
  });
});
