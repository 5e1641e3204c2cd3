import { describe, expect, test } from 'vitest';
import { createRuleBasedStages } from '../../../src/adapters/rule-based.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import { FAILURE_REPLY } from '../../support/failure-reply.ts';
import { createTestApp, expectError, jsonOf, lookup } from '../../support/http/app.ts';
import { scriptedStages } from '../../support/stages.ts';

const message = { source: 'email', customer_id: 'customer-1', message: 'I want my money back' };
interface Answer {
  readonly trace_id: string;
  readonly status: string;
}

interface Answers {
  readonly results: readonly Answer[];
}

const secret = 'canary-71d2';

describe('POST /messages', () => {
  test('returns exactly the fields of the message response', async () => {
    const { post } = createTestApp();
    const response = await post('/messages', message);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await jsonOf<Answer>(response)).toEqual({
      trace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'COMPLETED',
      intent: 'refund',
      confidence: 0.9,
      escalated: false,
      disposition: 'answered',
      response: 'We have refunded you.',
      item_id: null,
    });
  });

  test.each([
    [{ escalated: true, reasons: [] }, 'escalated', 'We have refunded you.'],
    [{ escalated: false, reasons: [], disposition: 'no_reply' }, 'no_reply', ''],
    [{ escalated: true, reasons: [], concerns: ['legal'] }, 'escalated', 'We have refunded you.'],
  ] as const)('returns for the verdict %j the disposition %s', async (verdict, disposition, reply) => {
    const { post } = createTestApp({ ports: { stages: scriptedStages({ verdict }) } });
    expect(await jsonOf<Answer>(await post('/messages', message))).toMatchObject({
      status: 'COMPLETED',
      escalated: verdict.escalated,
      disposition,
      response: reply,
    });
  });

  test('returns the id of the stored trace in the body and in X-Trace-Id', async () => {
    const { post, request } = createTestApp();
    const response = await post('/messages', message);
    const { trace_id } = await jsonOf<Answer>(response);
    expect(response.headers.get('x-trace-id')).toBe(trace_id);
    const trace = await request(`/trace/${trace_id}`);
    expect(await trace.json()).toMatchObject({ trace_id, ...message });
  });

  test('uses the source `other` by default', async () => {
    const { post, request } = createTestApp();
    const { trace_id } = await jsonOf<Answer>(await post('/messages', { customer_id: 'c', message: 'm' }));
    expect(await (await request(`/trace/${trace_id}`)).json()).toMatchObject({ source: 'other' });
  });

  test('ignores unknown fields and does not store them', async () => {
    const { post, request } = createTestApp();
    const surplus = { ...message, role: 'admin', trace_id: 'mine', ['__proto__']: { escalated: true } };
    const response = await post('/messages', surplus);
    expect(response.status).toBe(200);
    const stored = await (await request(`/trace/${response.headers.get('x-trace-id')}`)).text();
    expect(stored).not.toContain('admin');
    expect(stored).not.toContain('mine');
  });

  test.each([
    ['email', 'contact_form'],
    ['Grüße 👋🏽', '\u0000\u001b[31m\u2028\u202e\ufeff'],
    ['\ud800', 'a\udc00b'],
    ['x'.repeat(64), 'y'.repeat(32_768)],
    ['__proto__', '{"error": "x"}'],
  ])('stores any text unchanged: %j', async (source, text) => {
    const { post, request } = createTestApp();
    const sent = { source, customer_id: text.slice(0, 128), message: text };
    const response = await post('/messages', sent);
    expect(response.status).toBe(200);
    const trace = await (await request(`/trace/${response.headers.get('x-trace-id')}`)).json();
    expect(trace).toMatchObject(sent);
  });

  test('returns 200 with FAILED and a safe reply if the pipeline fails, and stores the trace', async () => {
    const stages = scriptedStages({}, { plan: () => Promise.reject(new Error(secret)) });
    const { post, request, logger } = createTestApp({ ports: { stages } });
    const response = await post('/messages', message);
    expect(response.status).toBe(200);
    const body = await jsonOf<Answer>(response);
    expect(body).toEqual({
      trace_id: response.headers.get('x-trace-id'),
      status: 'FAILED',
      intent: 'refund',
      confidence: 0.9,
      escalated: true,
      disposition: 'escalated',
      response: FAILURE_REPLY,
      item_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const trace = await (await request(`/trace/${body.trace_id}`)).text();
    expect(JSON.parse(trace)).toMatchObject({ error: 'planner_error: the planner failed' });
    expect(trace).not.toContain(secret);
    expect(logger.lines.some(({ err }) => err instanceof Error && err.message === secret)).toBe(true);
  });

  test('returns 503 with Retry-After, and runs nothing, while the trace store is unavailable', async () => {
    const storage = {
      assertAvailable() {
        throw unavailable('the key-value store cannot be reached', 7);
      },
    };
    const { post, recorded } = createTestApp({ ports: { storage } });
    const response = await post('/messages', message);
    expect(response.headers.get('retry-after')).toBe('7');
    await expectError(response, 503, 'the key-value store cannot be reached');
    expect(recorded.events).toEqual([]);
  });

  test('works with the default stages of the service', async () => {
    const stages = createRuleBasedStages({ escalationThreshold: 0.45 });
    const tools = [{ ...lookup, name: 'refund_policy' }];
    const { post } = createTestApp({ ports: { stages }, tools });
    const response = await post('/messages', { ...message, message: 'I would like a refund, please.' });
    expect(await jsonOf<Answer>(response)).toMatchObject({ status: 'COMPLETED', intent: 'refund' });
  });
});

describe('the optional members of a message', () => {
  const fields = {
    subject: 'My blender',
    conversation_id: 'thread-7',
    locale: 'en-GB',
    metadata: { shop: 'uk', empty: '' },
  };

  /** The trace of a message with these members. */
  async function traceWith(members: object) {
    const { post, request } = createTestApp();
    const response = await post('/messages', { ...message, ...members });
    expect(response.status).toBe(200);
    return jsonOf(await request(`/trace/${response.headers.get('x-trace-id')}`));
  }

  test('are in the trace', async () => {
    expect(await traceWith(fields)).toMatchObject(fields);
  });

  test('are null in the trace where they are absent or null', async () => {
    const absent = { subject: null, conversation_id: null, locale: null, metadata: null };
    expect(await traceWith({})).toMatchObject(absent);
    expect(await traceWith(absent)).toMatchObject(absent);
  });

  test('may be as long as documented', async () => {
    const members = {
      subject: '😀'.repeat(256),
      conversation_id: 'c'.repeat(128),
      locale: 'l'.repeat(35),
      metadata: Object.fromEntries(
        Array.from({ length: 16 }, (_, at) => [`${at}`.padEnd(256, 'k'), 'v'.repeat(256)]),
      ),
    };
    expect(await traceWith(members)).toMatchObject(members);
  });

  test.each<[string, object]>([
    ['subject: must not be empty', { subject: '' }],
    ['subject: must be at most 256 characters', { subject: 's'.repeat(257) }],
    ['subject', { subject: 7 }],
    ['conversation_id: must not be empty', { conversation_id: '' }],
    ['conversation_id: must be at most 128 characters', { conversation_id: 'c'.repeat(129) }],
    ['conversation_id', { conversation_id: {} }],
    ['locale: must not be empty', { locale: '' }],
    ['locale: must be at most 35 characters', { locale: 'l'.repeat(36) }],
    [
      'metadata: must have at most 16 members',
      {
        metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`key${at}`, 'v'])),
      },
    ],
    ['metadata.shop: must be at most 256 characters', { metadata: { shop: 'v'.repeat(257) } }],
    ['metadata.shop', { metadata: { shop: 7 } }],
    ['metadata.shop', { metadata: { shop: null } }],
    ['metadata.shop', { metadata: { shop: { deep: 'x' } } }],
    ['metadata', { metadata: { ['k'.repeat(257)]: 'v' } }],
    ['metadata', { metadata: { '': 'v' } }],
    ['metadata', { metadata: [] }],
    ['metadata', { metadata: 'shop=uk' }],
  ])('are rejected with a clear error: %s', async (detail, members) => {
    const { post, recorded } = createTestApp();
    const text = await expectError(await post('/messages', { ...message, ...members }), 422);
    expect(text.startsWith(detail)).toBe(true);
    expect(text.length).toBeLessThan(700);
    expect(recorded.events).toEqual([]);
    const batched = await post('/messages/batch', { messages: [{ ...message, ...members }] });
    expect((await expectError(batched, 422)).startsWith(`messages.0.${detail}`)).toBe(true);
  });

  test('keep names of members of objects as data', async () => {
    const metadata = '{"__proto__": "a", "constructor": "b", "toString": "c"}';
    const { post, request } = createTestApp();
    const body = JSON.stringify({ ...message, metadata: 0 }).replace(
      '"metadata":0',
      `"metadata":${metadata}`,
    );
    const response = await post('/messages', body);
    expect(response.status).toBe(200);
    const stored = await (await request(`/trace/${response.headers.get('x-trace-id')}`)).text();
    const kept = (JSON.parse(stored) as { metadata: object }).metadata;
    expect(Object.entries(kept).sort()).toEqual([
      ...[
        ['__proto__', 'a'],
        ['constructor', 'b'],
        ['toString', 'c'],
      ],
    ]);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  test('reach the stages', async () => {
    const seen: unknown[] = [];
    const scripted = scriptedStages();
    const stages = scriptedStages(
      {},
      {
        classify(given, context) {
          seen.push(given);
          return scripted.classify(given, context);
        },
      },
    );
    const { post } = createTestApp({ ports: { stages } });
    await post('/messages', { ...message, ...fields });
    expect(seen).toMatchObject([
      { subject: 'My blender', conversationId: 'thread-7', locale: 'en-GB', metadata: fields.metadata },
    ]);
  });
});

describe('POST /messages/batch', () => {
  const batch = (count: number) => ({
    messages: Array.from({ length: count }, (_, index) => ({ ...message, customer_id: `customer-${index}` })),
  });

  test.each([1, 2, 100])('returns the results of %i messages in the order sent', async (count) => {
    const { post, request } = createTestApp();
    const response = await post('/messages/batch', batch(count));
    expect(response.status).toBe(200);
    const body = await jsonOf<Answers>(response);
    expect(Object.keys(body)).toEqual(['results']);
    const stored = await Promise.all(
      body.results.map(async ({ trace_id }) => jsonOf(await request(`/trace/${trace_id}`))),
    );
    expect(stored.map(({ customer_id }) => customer_id)).toEqual(
      batch(count).messages.map(({ customer_id }) => customer_id),
    );
  });

  test('processes each item like a single message', async () => {
    const { post } = createTestApp();
    const { results } = await jsonOf<Answers>(await post('/messages/batch', batch(1)));
    expect(results).toEqual([
      {
        trace_id: expect.any(String),
        status: 'COMPLETED',
        intent: 'refund',
        confidence: 0.9,
        escalated: false,
        disposition: 'answered',
        response: 'We have refunded you.',
        item_id: null,
      },
    ]);
  });

  test.each([
    [{ messages: [] }, 'messages: must contain at least 1 message'],
    [batch(101), 'messages: must contain at most 100 messages'],
    [{ messages: [message, { ...message, message: '' }, message] }, 'messages.1.message: must not be empty'],
  ])('is rejected completely before any message is processed', async (body, detail) => {
    const { post, recorded } = createTestApp();
    await expectError(await post('/messages/batch', body), 422, detail);
    expect(recorded.events).toEqual([]);
  });

  test('accepts as many messages as configured', async () => {
    const { post } = createTestApp({ limits: { maxBatchSize: 2 } });
    expect((await post('/messages/batch', batch(2))).status).toBe(200);
    await expectError(
      await post('/messages/batch', batch(3)),
      422,
      'messages: must contain at most 2 messages',
    );
  });

  test('processes the others if one message fails', async () => {
    const stages = scriptedStages(
      {},
      {
        respond({ message: { customerId } }) {
          if (customerId === 'customer-1') throw new Error(secret);
          return { value: 'Done.', source: 'deterministic', summary: 'done', data: {} };
        },
      },
    );
    const { post } = createTestApp({ ports: { stages } });
    const response = await post('/messages/batch', batch(3));
    expect(response.status).toBe(200);
    const { results } = await jsonOf<Answers>(response);
    expect(results.map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED', 'COMPLETED']);
  });
});
