import { describe, expect, test } from 'vitest';
import type { MessageFinished } from '../../src/domain/events.ts';
import type { PreparedMessage } from '../../src/domain/message/prepared.ts';
import {
  buildTrace,
  messageResponse,
  summarizeTrace,
  type TimelineEvent,
} from '../../src/domain/message/trace.ts';

const prepared = {
  text: 'where is my order?',
  setApart: [{ kind: 'quote', text: 'an older mail' }],
  language: 'en',
  automatic: false,
} as const;

const message: PreparedMessage = {
  source: 'email',
  customerId: 'customer-1',
  message: 'where is my order?',
  prepared,
};

const received: TimelineEvent = {
  type: 'pipeline.transition',
  traceId: 'trace-1',
  seq: 1,
  at: Date.UTC(2026, 0, 1),
  from: null,
  to: 'RECEIVED',
  durationMs: 0,
};

const finished: MessageFinished = {
  type: 'message.finished',
  traceId: 'trace-1',
  seq: 2,
  at: Date.UTC(2026, 0, 1, 0, 0, 0, 42),
  status: 'COMPLETED',
  intent: 'order_status',
  confidence: 0.8,
  escalated: false,
  disposition: 'answered',
  concerns: [],
  response: 'It is on its way.',
  error: null,
  durationMs: 41.5,
};

describe('a trace', () => {
  test('holds the message, its outcome, and its start and end', () => {
    expect(buildTrace(message, [received], finished, 'f'.repeat(32))).toEqual({
      traceId: 'trace-1',
      source: 'email',
      customerId: 'customer-1',
      message: 'where is my order?',
      subject: null,
      conversationId: null,
      locale: null,
      metadata: null,
      prepared,
      status: 'COMPLETED',
      intent: 'order_status',
      confidence: 0.8,
      escalated: false,
      disposition: 'answered',
      concerns: [],
      response: 'It is on its way.',
      error: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      completedAt: '2026-01-01T00:00:00.042Z',
      durationMs: 41.5,
      otelTraceId: 'f'.repeat(32),
      itemId: null,
      timeline: [received],
    });
  });

  test('holds what else was sent with the message, and its concerns', () => {
    const more = {
      subject: 'My order',
      conversationId: 'thread-7',
      locale: 'en-GB',
      metadata: { shop: 'uk' },
    };
    const escalated = { escalated: true, disposition: 'escalated', concerns: ['legal'] } as const;
    const trace = buildTrace({ ...message, ...more }, [received], { ...finished, ...escalated }, null);
    expect(trace).toMatchObject({ ...more, ...escalated });
    expect(summarizeTrace(trace)).toMatchObject({ ...more, ...escalated, prepared });
  });

  test('without a timeline starts when it ended', () => {
    expect(buildTrace(message, [], finished, null)).toMatchObject({
      createdAt: '2026-01-01T00:00:00.042Z',
      completedAt: '2026-01-01T00:00:00.042Z',
      otelTraceId: null,
    });
  });

  test('has a summary of everything but its timeline', () => {
    const trace = buildTrace(message, [received], finished, null);
    const { timeline, ...rest } = trace;
    expect(summarizeTrace(trace)).toEqual(rest);
    expect(timeline).toEqual([received]);
  });

  test('has a response with exactly the public fields', () => {
    expect(messageResponse(buildTrace(message, [received], finished, null))).toEqual({
      trace_id: 'trace-1',
      status: 'COMPLETED',
      intent: 'order_status',
      confidence: 0.8,
      escalated: false,
      disposition: 'answered',
      response: 'It is on its way.',
      item_id: null,
    });
  });

  test('is plain JSON: parsing its text gives an equal trace', () => {
    const trace = buildTrace(message, [received], finished, null);
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
  });
});
