import { describe, expect, test } from 'vitest';
import { createBuiltInAgents } from '../../../src/application/agents/built-in.ts';
import { createAgentBus } from '../../../src/application/agents/bus.ts';
import { createAgentRegistry } from '../../../src/application/agents/registry.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import type { CustomerMessage } from '../../../src/domain/message/message.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { noErasure } from '../../support/fakes.ts';
import { testPorts } from '../../support/ports.ts';

function traceOf(message: CustomerMessage): Trace {
  return {
    ...message,
    prepared: { text: message.message, setApart: [], language: 'en', automatic: false },
    traceId: '00000000-0000-7000-8000-00000000abcd',
    status: 'COMPLETED',
    intent: 'refund',
    confidence: 0.9,
    escalated: false,
    disposition: 'answered',
    concerns: [],
    response: 'You have 30 days.',
    error: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    completedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 0,
    otelTraceId: null,
    itemId: null,
    timeline: [],
  };
}

function setUp(process: (message: CustomerMessage) => Promise<Trace> = async (message) => traceOf(message)) {
  const processed: CustomerMessage[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const registry = createAgentRegistry();
  const agents = createBuiltInAgents({
    processMessage: (message, options) => {
      processed.push(message);
      signals.push(options?.signal);
      return process(message);
    },
    ...noErasure,
  });
  for (const agent of agents) registry.register(agent);
  const { ports, clock } = testPorts();
  const bus = createAgentBus(ports, registry, defaultLimits);
  const send = async (name: string, payload: JsonObject) => bus.send(name, payload, { sender: 'test' });
  return { clock, processed, registry, send, signals };
}

test('every service has the agents echo, summary and support_pipeline', () => {
  const { registry } = setUp();
  expect(registry.list().map(({ name }) => name)).toEqual(['echo', 'summary', 'support_pipeline']);
  for (const { description, keywords } of registry.list()) {
    expect(description).not.toBe('');
    expect(keywords?.length).toBeGreaterThan(0);
  }
});

test('the built-in agents say what repeating a message does', () => {
  const effects = setUp()
    .registry.list()
    .map(({ effect }) => effect);
  expect(effects).toEqual(['read', 'read', 'idempotent']);
});

describe('the echo agent', () => {
  test.each<JsonObject>([{}, { a: [1, null, { b: 'ü\u0000😀' }] }, JSON.parse('{"__proto__": {"x": 1}}')])(
    'replies with its payload unchanged: %j',
    async (payload) => {
      const { send } = setUp();
      const { output } = await send('echo', payload);
      expect(output).toEqual(payload);
      expect(Object.keys(output ?? {})).toEqual(Object.keys(payload));
    },
  );
});

describe('the summary agent', () => {
  const text = 'Cats sleep a lot. Dogs bark. Cats sleep in boxes. Cats and dogs sleep. Birds fly.';

  test('replies with at most three sentences by default', async () => {
    const { send } = setUp();
    const { output } = await send('summary', { text });
    expect(output).toEqual({
      summary: 'Cats sleep a lot. Cats sleep in boxes. Cats and dogs sleep.',
      sentence_count: 3,
      original_sentence_count: 5,
    });
  });

  test('replies with at most `max_sentences` sentences', async () => {
    const { send } = setUp();
    expect((await send('summary', { text, max_sentences: 1 })).output).toEqual({
      summary: 'Cats sleep a lot.',
      sentence_count: 1,
      original_sentence_count: 5,
    });
    expect((await send('summary', { text, max_sentences: 99 })).output).toEqual({
      summary: text,
      sentence_count: 5,
      original_sentence_count: 5,
    });
  });

  test('summarizes all strings of a payload without a text, in order, at any depth', async () => {
    const { send } = setUp();
    const payload = {
      a: 'First.',
      b: { c: ['Second.', 7, ['Third.']], d: null },
      e: 'Fourth.',
      max_sentences: 9,
    };
    expect((await send('summary', payload)).output).toEqual({
      summary: 'First.\nSecond.\nThird.\nFourth.',
      sentence_count: 4,
      original_sentence_count: 4,
    });
  });

  test.each([`Please summarise this for me: ${text}`, `Summarise what they did. ${text}`])(
    'never repeats the instruction of the subtask %j',
    async (goal) => {
      const { send } = setUp();
      expect((await send('summary', { text: goal, message: goal, goal })).output).toEqual({
        summary: 'Cats sleep a lot. Cats sleep in boxes. Cats and dogs sleep.',
        sentence_count: 3,
        original_sentence_count: 5,
      });
    },
  );

  test('keeps what is wanted and by when', async () => {
    const { send } = setUp();
    const wanted = 'Please refund order A-1234 by Friday.';
    const goal = `Summarise: ${text} ${wanted} ${text}`;
    expect(
      (await send('summary', { text: goal, message: goal, goal, max_sentences: 1 })).output,
    ).toMatchObject({
      summary: wanted,
    });
  });

  test.each<JsonObject>([{}, { text: '' }, { text: ' \n ' }, { n: 1 }])(
    'replies with an empty summary for %j',
    async (payload) => {
      const { send } = setUp();
      expect((await send('summary', payload)).output).toEqual({
        summary: '',
        sentence_count: 0,
        original_sentence_count: 0,
      });
    },
  );

  test.each([0, -1, 1.5, '3', null, true, [], 2 ** 53])(
    'rejects %j as max_sentences',
    async (maxSentences) => {
      const { send } = setUp();
      const { error } = await send('summary', { text, max_sentences: maxSentences });
      expect(error).toBe('max_sentences: must be an integer of at least 1');
    },
  );
});

describe('the support agent', () => {
  test('processes the message and replies with the response to it', async () => {
    const { send, processed } = setUp();
    const { output } = await send('support_pipeline', { message: 'Hi', customer_id: 'c-1', source: 'chat' });
    expect(processed).toEqual([{ message: 'Hi', customerId: 'c-1', source: 'chat' }]);
    expect(output).toEqual({
      trace_id: '00000000-0000-7000-8000-00000000abcd',
      status: 'COMPLETED',
      intent: 'refund',
      confidence: 0.9,
      escalated: false,
      disposition: 'answered',
      response: 'You have 30 days.',
      item_id: null,
    });
  });

  test('accepts the payload of the decomposer', async () => {
    const { send, processed } = setUp();
    await send('support_pipeline', {
      text: 'I want a refund',
      message: 'I want a refund',
      goal: 'all of it',
    });
    expect(processed).toEqual([{ message: 'I want a refund', customerId: 'agent', source: 'other' }]);
  });

  test.each<[JsonObject, string]>([
    [{}, 'message: must be a text of 1 to 32768 characters'],
    [{ message: '' }, 'message: must be a text of 1 to 32768 characters'],
    [{ message: 7 }, 'message: must be a text of 1 to 32768 characters'],
    [{ message: 'x'.repeat(32_769) }, 'message: must be a text of 1 to 32768 characters'],
    [{ message: ' \n\t' }, 'message: must not be only white space'],
    [{ message: 'x', customer_id: '' }, 'customer_id: must be a text of 1 to 128 characters'],
    [{ message: 'x', customer_id: null }, 'customer_id: must be a text of 1 to 128 characters'],
    [{ message: 'x', customer_id: 'x'.repeat(129) }, 'customer_id: must be a text of 1 to 128 characters'],
    [{ message: 'x', source: ['chat'] }, 'source: must be a text of 1 to 64 characters'],
    [
      { source: 1, customer_id: 2 },
      'message: must be a text of 1 to 32768 characters; customer_id: must be a text of 1 to 128 characters; source: must be a text of 1 to 64 characters',
    ],
  ])('rejects the payload %j', async (payload, error) => {
    const { send, processed } = setUp();
    expect(await send('support_pipeline', payload)).toMatchObject({ status: 'failed', error });
    expect(processed).toEqual([]);
  });

  test('counts an emoji as one character, like HTTP', async () => {
    const { send, processed } = setUp();
    expect((await send('support_pipeline', { message: '😀'.repeat(32_768) })).status).toBe('completed');
    expect((await send('support_pipeline', { message: '😀'.repeat(32_769) })).status).toBe('failed');
    expect(processed).toHaveLength(1);
  });

  test('aborts the message at its timeout', async () => {
    const { send, clock, signals } = setUp(() => new Promise(() => {}));
    const pending = send('support_pipeline', { message: 'Hi' });
    await clock.advance(defaultLimits.agentTimeoutMs);
    expect((await pending).status).toBe('failed');
    expect(signals[0]?.aborted).toBe(true);
  });

  test('shows why the service cannot process the message', async () => {
    const { send } = setUp(() => Promise.reject(unavailable('the store cannot be reached')));
    expect((await send('support_pipeline', { message: 'Hi' })).error).toBe('the store cannot be reached');
  });

  test('fails when the processing of its message failed', async () => {
    const { send } = setUp(async (message) => ({
      ...traceOf(message),
      status: 'FAILED',
      error: 'tool_error: refund_policy: timed out after 10000 ms',
    }));
    expect(await send('support_pipeline', { message: 'Hi' })).toMatchObject({
      status: 'failed',
      output: null,
      error:
        'the message pipeline failed: tool_error: refund_policy: timed out after 10000 ms (trace 00000000-0000-7000-8000-00000000abcd)',
    });
  });

  test('does not show other errors', async () => {
    const { send } = setUp(() => Promise.reject(new Error('secret')));
    const { error } = await send('support_pipeline', { message: 'Hi' });
    expect(error).toBe('agent "support_pipeline" failed unexpectedly');
  });
});
