import { describe, expect, test } from 'vitest';
import { traceSchema } from '../../../src/adapters/http/resources/traces.ts';
import { memoryStorage } from '../../../src/adapters/memory-storage.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import { createTestApp, expectError, jsonOf, lookup } from '../../support/http/app.ts';
import { oldTrace } from '../../support/old-trace.ts';
import { decided, scriptedStages } from '../../support/stages.ts';

const message = { source: 'email', customer_id: 'customer-1', message: 'I want my money back' };

interface TracePage {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly traces: readonly { readonly trace_id: string; readonly customer_id: string }[];
}

/** An app that has processed `count` messages of `customer-0`, `customer-1` and so on. */
async function appWithTraces(count: number) {
  const app = createTestApp();
  for (let index = 0; index < count; index++) {
    await app.post('/messages', { ...message, customer_id: `customer-${index}` });
  }
  return app;
}

describe('GET /trace/{trace_id}', () => {
  test('returns the complete timeline as three lists with one sequence', async () => {
    const stages = scriptedStages(
      { toolCalls: [{ toolName: 'lookup', input: { order: { id: 7 } } }] },
      {
        classify: () =>
          decided(
            { intent: 'refund', confidence: 0.9 },
            { data: { evidence: { intent: ['money', 'back'] } } },
          ),
      },
    );
    const { post, request } = createTestApp({ ports: { stages } });
    const { trace_id } = await jsonOf(await post('/messages', message));
    const response = await request(`/trace/${trace_id}`);
    expect(response.status).toBe(200);
    const timestamp = '2026-01-01T00:00:00.000Z';
    const at = (sequence: number) => ({ sequence, timestamp });
    const step = (sequence: number, from: string | null, to: string) => ({
      ...at(sequence),
      from,
      to,
      duration_ms: 0,
    });
    const decision = (sequence: number, agent: string) => ({
      ...at(sequence),
      agent,
      source: 'deterministic',
      summary: 'scripted',
      data: {},
    });
    expect(await jsonOf(response)).toEqual({
      trace_id,
      ...message,
      subject: null,
      conversation_id: null,
      locale: null,
      metadata: null,
      prepared: { text: message.message, set_apart: [], language: 'en', automatic: false },
      status: 'COMPLETED',
      intent: 'refund',
      confidence: 0.9,
      escalated: false,
      disposition: 'answered',
      concerns: [],
      response: 'We have refunded you.',
      error: null,
      created_at: timestamp,
      completed_at: timestamp,
      duration_ms: 0,
      cost: null,
      currency: null,
      otel_trace_id: null,
      item_id: null,
      state_transitions: [
        step(1, null, 'RECEIVED'),
        step(3, 'RECEIVED', 'CLASSIFIED'),
        step(4, 'CLASSIFIED', 'PLANNING'),
        step(6, 'PLANNING', 'TOOL_EXECUTION'),
        step(8, 'TOOL_EXECUTION', 'VERIFYING'),
        step(11, 'VERIFYING', 'COMPLETED'),
      ],
      tool_calls: [
        {
          ...at(7),
          tool_name: 'lookup',
          input: { order: { id: 7 } },
          output: { got: { order: { id: 7 } } },
          status: 'success',
          attempts: 1,
          error: null,
          duration_ms: 0,
        },
      ],
      agent_decisions: [
        { ...decision(2, 'classifier'), data: { evidence: { intent: ['money', 'back'] } } },
        decision(5, 'planner'),
        decision(9, 'verifier'),
        decision(10, 'responder'),
      ],
    });
  });

  test('has the newest text, what was set apart, and the concerns', async () => {
    const verdict = { escalated: true, reasons: ['legal'], concerns: ['legal'] } as const;
    const { post, request } = createTestApp({ ports: { stages: scriptedStages({ verdict }) } });
    const text =
      'You will hear from my lawyer.\n\nOn Monday, Ann <a@b.example> wrote:\n> Your order is late.';
    const { trace_id } = await jsonOf(await post('/messages', { ...message, message: text }));
    const trace = await jsonOf(await request(`/trace/${trace_id}`));
    expect(trace).toMatchObject({
      message: text,
      disposition: 'escalated',
      concerns: ['legal'],
      prepared: {
        text: 'You will hear from my lawyer.',
        set_apart: [{ kind: 'quote', text: expect.stringContaining('Your order is late.') }],
        language: 'en',
        automatic: false,
      },
    });
    const { traces } = await jsonOf<{ traces: readonly object[] }>(await request('/trace'));
    expect(traces[0]).toMatchObject({ concerns: ['legal'], prepared: trace['prepared'] });
  });

  test.each([
    [true, 'escalated'],
    [false, 'answered'],
  ])('of before 0.8 is readable (escalated: %s)', async (escalated, disposition) => {
    const { traces } = memoryStorage();
    const { request } = createTestApp({ ports: { traces } });
    await traces.put({ ...oldTrace, escalated } as unknown as Trace);
    const expected = {
      trace_id: oldTrace.traceId,
      message: 'Where is it?',
      escalated,
      disposition,
      concerns: [],
      subject: null,
      conversation_id: null,
      locale: null,
      metadata: null,
      prepared: null,
      item_id: null,
    };
    const trace = await jsonOf(await request(`/trace/${oldTrace.traceId}`));
    expect(trace).toMatchObject({ ...expected, state_transitions: [{ sequence: 1, to: 'RECEIVED' }] });
    expect(traceSchema.safeParse(trace).error).toBeUndefined();
    const page = await jsonOf<TracePage>(await request('/trace'));
    expect(page).toMatchObject({ total: 1, traces: [expected] });
  });

  test('does not change the keys of inputs and outputs', async () => {
    const input = { camelCase: 1, snake_case: { 'kebab-case': [{ toolName: 'x' }] }, constructor: 2 };
    const { post, request } = createTestApp({
      ports: { stages: scriptedStages({ toolCalls: [{ toolName: 'lookup', input }] }) },
      tools: [lookup],
    });
    const { trace_id } = await jsonOf(await post('/messages', message));
    const { tool_calls } = await jsonOf(await request(`/trace/${trace_id}`));
    expect(tool_calls).toMatchObject([{ input, output: { got: input } }]);
  });

  test.each([
    '00000000-0000-7000-8000-999999999999',
    'nonsense',
    '__proto__',
    'constructor',
    'a%0d%0aX-Injected:%201',
    '%00',
    '%2e%2e%2fhealth',
    '%ZZ',
    'x'.repeat(10_000),
    '%F0%9F%91%8B',
  ])('returns 404 with the requested id for an unknown trace: %s', async (id) => {
    const { request } = createTestApp();
    const response = await request(`/trace/${id}`);
    expect(response.headers.get('x-injected')).toBeNull();
    await expectError(response, 404, /^trace ".+" not found$/);
  });

  test('returns the same for an id that never existed and an expired one', async () => {
    const { traces } = memoryStorage();
    const { request, post } = createTestApp({ ports: { traces } });
    const { trace_id } = await jsonOf(await post('/messages', message));
    await traces.delete(String(trace_id));
    await expectError(await request(`/trace/${trace_id}`), 404, `trace "${trace_id}" not found`);
  });
});

describe.each(['/trace/', '/trace'])('GET %s', (path) => {
  test('returns an empty page before the first message', async () => {
    const { request } = createTestApp();
    const response = await request(path);
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual({ total: 0, limit: 50, offset: 0, traces: [] });
  });

  test('lists traces newest first, without their timelines', async () => {
    const { request } = await appWithTraces(3);
    const page = await jsonOf<TracePage>(await request(path));
    expect(page).toMatchObject({ total: 3, limit: 50, offset: 0 });
    expect(page.traces.map(({ customer_id }) => customer_id)).toEqual([
      'customer-2',
      'customer-1',
      'customer-0',
    ]);
    expect(Object.keys(page.traces[0] ?? {}).sort()).toEqual([
      ...['completed_at', 'concerns', 'confidence', 'conversation_id', 'created_at', 'customer_id'],
      ...[
        'disposition',
        'duration_ms',
        'error',
        'escalated',
        'intent',
        'item_id',
        'locale',
        'message',
        'metadata',
      ],
      ...['otel_trace_id', 'prepared', 'response', 'source', 'status', 'subject', 'trace_id'],
    ]);
  });

  test.each([
    ['?limit=2', { limit: 2, offset: 0 }, ['customer-4', 'customer-3']],
    ['?limit=2&offset=3', { limit: 2, offset: 3 }, ['customer-1', 'customer-0']],
    ['?offset=4', { limit: 50, offset: 4 }, ['customer-0']],
    ['?offset=5', { limit: 50, offset: 5 }, []],
    ['?offset=999999999', { limit: 50, offset: 999_999_999 }, []],
    ['?limit=200&surplus=1', { limit: 200, offset: 0 }, [4, 3, 2, 1, 0].map((n) => `customer-${n}`)],
  ])('returns the page %s', async (query, place, customers) => {
    const { request } = await appWithTraces(5);
    const page = await jsonOf<TracePage>(await request(path + query));
    expect(page).toMatchObject({ total: 5, ...place });
    expect(page.traces.map(({ customer_id }) => customer_id)).toEqual(customers);
  });
});
