import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  countFallbacks,
  createModelMeter,
  sumUsage,
  type TicketUsage,
} from '../../../src/adapters/evaluation/model-usage.ts';
import type { LanguageModel } from '../../../src/ports/language-model.ts';

const request = (purpose: string) => ({
  purpose,
  instructions: '',
  data: {},
  schema: z.object({}),
  signal: AbortSignal.timeout(5_000),
});

/** A model that answers after a turn of the event loop, and fails for the planner. */
const model: LanguageModel = async ({ purpose, schema }) => {
  await new Promise((resolve) => setImmediate(resolve));
  const spent = { calls: 1, tokens: { input: 10, cachedInput: 4, output: 2 } };
  const parsed = schema.safeParse({});
  return purpose === 'planner' || !parsed.success
    ? { status: 'error', reason: 'timeout', ...spent }
    : { status: 'success', value: parsed.data, ...spent };
};

const call = {
  purpose: 'classifier',
  input: 10,
  cachedInput: 0,
  output: 2,
  durationMs: 5,
  failure: null,
} as const;
const used: TicketUsage = { calls: [], fallbacks: [], embeddingFallbacks: [], missing: 0 };

describe('the meter of a language model', () => {
  test('counts calls by the ticket that they are for, also of tickets that run at the same time', async () => {
    const meter = createModelMeter();
    const measured = meter.measure(model);
    const [one, other] = await Promise.all([
      meter.ofTicket(async () => {
        await measured(request('classifier'));
        await measured(request('planner'));
        meter.fallback('planner', 'timeout');
        return 'one';
      }),
      meter.ofTicket(async () => {
        await measured(request('classifier'));
        meter.embeddingFallback('classifier', 'timeout');
        return 'other';
      }),
    ]);
    expect(one).toMatchObject({
      result: 'one',
      usage: {
        calls: [
          { purpose: 'classifier', input: 10, cachedInput: 4, output: 2, failure: null },
          { purpose: 'planner', input: 10, cachedInput: 4, output: 2, failure: 'timeout' },
        ],
        fallbacks: ['planner: timeout'],
        embeddingFallbacks: [],
      },
    });
    expect(other.usage).toMatchObject({
      calls: [{ purpose: 'classifier' }],
      fallbacks: [],
      embeddingFallbacks: ['embeddings for classifier: timeout'],
    });
    expect(meter.takeOutside()).toEqual(used);
  });

  test('counts what belongs to no ticket once', async () => {
    const meter = createModelMeter();
    meter.embeddingFallback('playbook', 'unreachable');
    expect(meter.takeOutside().embeddingFallbacks).toEqual(['embeddings for playbook: unreachable']);
    expect(meter.takeOutside()).toEqual(used);
  });

  test('takes the duration of a recorded call from its record', async () => {
    const meter = createModelMeter();
    const replayed: LanguageModel = (asked) => {
      meter.replayed(asked, 1_234);
      return model(asked);
    };
    const { usage } = await meter.ofTicket(() => meter.measure(replayed)(request('classifier')));
    expect(usage.calls).toMatchObject([{ durationMs: 1_234 }]);
  });
});

describe('the usage of a language model', () => {
  const tickets: readonly TicketUsage[] = [
    {
      ...used,
      calls: [call, { ...call, durationMs: 100, failure: 'timeout' }],
      fallbacks: ['planner: timeout'],
    },
    {
      ...used,
      calls: [{ ...call, durationMs: 10 }],
      embeddingFallbacks: ['embeddings for classifier: busy'],
    },
    { ...used, fallbacks: ['planner: timeout', 'classifier: busy'] },
    used,
  ];

  test('adds up calls and tokens, with the share of messages that fell back', () => {
    expect(sumUsage(tickets, undefined)).toEqual({
      calls: 3,
      failedCalls: 1,
      callsPerMessage: 0.75,
      inputTokens: 30,
      outputTokens: 6,
      cost: null,
      latencyP50Ms: 10,
      latencyP95Ms: 100,
      fallbackRate: 0.5,
    });
  });

  const price = { input: 500_000, cachedInput: 100_000, output: 1_000_000, currency: 'EUR' };

  test('has a cost where a price is known, in its currency: of all calls, and less for cached input', () => {
    expect(sumUsage(tickets, price).cost).toEqual({ amount: 21, currency: 'EUR' });
    const cached = [{ ...used, calls: [call, { ...call, cachedInput: 5 }] }];
    expect(sumUsage(cached, price).cost).toEqual({ amount: 12, currency: 'EUR' });
    expect(sumUsage(cached, { ...price, cachedInput: undefined, currency: undefined }).cost).toEqual({
      amount: 14,
      currency: null,
    });
  });

  test('is finite without a ticket or a call', () => {
    expect(sumUsage([], price)).toMatchObject({
      calls: 0,
      callsPerMessage: 0,
      cost: null,
      latencyP50Ms: null,
      latencyP95Ms: null,
      fallbackRate: 0,
    });
  });

  test('counts each cause of a fallback', () => {
    expect([...countFallbacks(tickets)]).toEqual([
      ['planner: timeout', 2],
      ['embeddings for classifier: busy', 1],
      ['classifier: busy', 1],
    ]);
  });
});
