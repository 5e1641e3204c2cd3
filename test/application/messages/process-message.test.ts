import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import { traceEvents } from '../../../src/domain/message/message-events.ts';
import type { Stages } from '../../../src/ports/stages.ts';
import type { ToolContext } from '../../../src/ports/tool.ts';
import { burnCpu, createTurnCounter } from '../../support/event-loop.ts';
import { settle } from '../../support/fake-clock.ts';
import { noTelemetry } from '../../support/fakes.ts';
import {
  createTestProcessor,
  lookupTool,
  message,
  outline,
  twoCalls,
} from '../../support/message-processor.ts';
import { decided, scriptedStages } from '../../support/stages.ts';

describe('a message', () => {
  test('goes through all states in order, as its timeline records', async () => {
    const { processor, tools, stored, recorded } = createTestProcessor({
      stages: scriptedStages({ toolCalls: twoCalls }),
    });
    tools.register(lookupTool(() => ({ found: true })));
    const trace = await processor.process(message);
    expect(outline(trace)).toEqual([
      'null > RECEIVED',
      'classifier',
      'RECEIVED > CLASSIFIED',
      'CLASSIFIED > PLANNING',
      'planner',
      'PLANNING > TOOL_EXECUTION',
      'lookup',
      'lookup',
      'TOOL_EXECUTION > VERIFYING',
      'verifier',
      'responder',
      'VERIFYING > COMPLETED',
    ]);
    expect(stored).toEqual([trace]);
    expect(recorded.events.slice(0, -1)).toEqual(trace.timeline);
    expect(recorded.events.at(-1)).toMatchObject({ type: 'message.finished', status: 'COMPLETED' });
  });

  test('tells its tools who sent it, in which conversation, and what it says', async () => {
    const contexts: ToolContext[] = [];
    const { processor, tools } = createTestProcessor({ stages: scriptedStages({ toolCalls: twoCalls }) });
    tools.register(
      lookupTool((_input, context) => {
        contexts.push(context);
        return { found: true };
      }),
    );
    const more = { subject: 'My order', conversationId: 'c-1', metadata: { tenant: 'north' } };
    const { traceId } = await processor.process({ ...message, ...more });
    await processor.process(message);
    const common = { customerId: 'customer-1', source: 'email' };
    const full = {
      ...common,
      traceId,
      conversationId: 'c-1',
      metadata: { tenant: 'north' },
      message: { text: 'I want my money back', subject: 'My order' },
    };
    const bare = {
      ...common,
      conversationId: null,
      metadata: null,
      message: { text: 'I want my money back', subject: null },
    };
    expect(contexts).toMatchObject([full, full, bare, bare]);
  });

  test('returns the decisions of the stages', async () => {
    const { processor } = createTestProcessor({
      stages: scriptedStages({ classification: { intent: 'billing', confidence: 0.7 }, reply: 'Paid.' }),
    });
    expect(await processor.process(message)).toMatchObject({
      traceId: '00000000-0000-7000-8000-000000000001',
      ...message,
      status: 'COMPLETED',
      intent: 'billing',
      confidence: 0.7,
      escalated: false,
      response: 'Paid.',
      error: null,
      otelTraceId: null,
    });
  });

  test('passes the results of earlier stages to each stage', async () => {
    const inputs: unknown[] = [];
    const scripted = scriptedStages({ toolCalls: twoCalls, verdict: { escalated: true, reasons: ['law'] } });
    const stages: Stages = {
      classify: (...args) => {
        inputs.push(args[0]);
        return scripted.classify(...args);
      },
      plan: (...args) => {
        inputs.push(args[0]);
        return scripted.plan(...args);
      },
      verify: (...args) => {
        inputs.push(args[0]);
        return scripted.verify(...args);
      },
      respond: (...args) => {
        inputs.push(args[0]);
        return scripted.respond(...args);
      },
    };
    const { processor, tools } = createTestProcessor({ stages });
    tools.register(lookupTool((input) => ({ got: input as never })));
    await processor.process(message);
    const classification = { intent: 'refund', confidence: 0.9, concerns: [] };
    const prepared = expect.objectContaining({
      ...message,
      prepared: { text: message.message, setApart: [], language: expect.any(String), automatic: false },
    });
    const outcomes = [
      expect.objectContaining({ status: 'success', input: { n: 1 }, output: { got: { n: 1 } } }),
      expect.objectContaining({ status: 'success', input: { n: 2 }, output: { got: { n: 2 } } }),
    ];
    const verdict = { escalated: true, reasons: ['law'], disposition: 'escalated', concerns: [] };
    expect(inputs).toEqual([
      prepared,
      { message: prepared, classification, hasTool: expect.any(Function) },
      { message: prepared, classification, outcomes },
      { message: prepared, classification, outcomes, verdict },
    ]);
  });

  test('that is escalated emits one escalation event and ends as COMPLETED', async () => {
    const { processor, recorded } = createTestProcessor({
      stages: scriptedStages({ verdict: { escalated: true, reasons: ['legal action'] } }),
    });
    expect(await processor.process(message)).toMatchObject({ status: 'COMPLETED', escalated: true });
    expect(recorded.events.filter(({ type }) => type === 'message.escalated')).toEqual([
      {
        type: 'message.escalated',
        traceId: expect.any(String),
        seq: 9,
        at: expect.any(Number),
        reasons: ['legal action'],
      },
    ]);
  });

  test('that the responder hands over has the same events in its trace as were emitted', async () => {
    const because = ['reply_missing'];
    const { processor, recorded } = createTestProcessor({
      stages: scriptedStages(
        {},
        {
          respond: () =>
            decided({ reply: 'A colleague will answer.', reasons: because }, { data: { reasons: because } }),
        },
      ),
    });
    const trace = await processor.process(message);
    const stored = traceEvents(trace).filter(({ type }) => type === 'message.escalated');
    const emitted = recorded.events.filter((event) => event.type === 'message.escalated');
    expect(emitted).toHaveLength(1);
    expect(stored).toMatchObject(emitted.map(({ seq, at }) => ({ seq, at, data: { reasons: because } })));
  });

  test('that is not escalated emits no escalation event', async () => {
    const { processor, recorded } = createTestProcessor();
    await processor.process(message);
    expect(recorded.events.some(({ type }) => type === 'message.escalated')).toBe(false);
  });

  test('has timestamps of the wall clock and durations of the monotonic clock', async () => {
    const { clock, processor } = createTestProcessor({
      stages: scriptedStages(
        {},
        { classify: () => new Promise((resolve) => clock.after(30, () => resolve(decided(refund)))) },
      ),
    });
    const refund = { intent: 'refund', confidence: 1 } as const;
    const pending = processor.process(message);
    clock.jump(-3_600_000);
    await clock.advance(30);
    expect(await pending).toMatchObject({
      createdAt: '2026-01-01T00:00:00.000Z',
      completedAt: '2025-12-31T23:00:00.030Z',
      durationMs: 30,
      timeline: expect.arrayContaining([
        expect.objectContaining({ from: 'RECEIVED', to: 'CLASSIFIED', durationMs: 30 }),
      ]),
    });
  });

  test('has the trace id of the active span', async () => {
    const telemetry = { ...noTelemetry, traceId: () => 'f'.repeat(32) };
    const { processor } = createTestProcessor({ telemetry });
    expect(await processor.process(message)).toMatchObject({ otelTraceId: 'f'.repeat(32) });
  });

  test('has an idempotency key for each tool call of its plan', async () => {
    const keys: string[] = [];
    const { processor, tools } = createTestProcessor({ stages: scriptedStages({ toolCalls: twoCalls }) });
    tools.register(
      lookupTool((_input, context) => {
        keys.push(context.idempotencyKey);
        return {};
      }),
    );
    const { traceId } = await processor.process(message);
    expect(keys).toEqual([`${traceId}:0`, `${traceId}:1`]);
  });
});

describe('a message during a shutdown', () => {
  test.each([
    ['classify', { classify: () => new Promise<never>(() => {}) }],
    ['respond', { respond: () => new Promise<never>(() => {}) }],
  ])('is interrupted in the stage %s, and stored', async (_stage, overrides) => {
    const { processor, clock, stored } = createTestProcessor({ stages: scriptedStages({}, overrides) });
    const shutdown = new AbortController();
    const pending = processor.process(message, { signal: shutdown.signal });
    await clock.advance(10);
    shutdown.abort();
    const trace = await pending;
    expect(trace).toMatchObject({ status: 'FAILED', error: 'interrupted: the service was shut down' });
    expect(stored).toEqual([trace]);
    expect(clock.pending()).toBe(0);
  });

  test('is interrupted in a tool call, and stored', async () => {
    const { processor, tools, clock, stored } = createTestProcessor({
      stages: scriptedStages({ toolCalls: twoCalls }),
    });
    tools.register(lookupTool(() => new Promise(() => {})));
    const shutdown = new AbortController();
    const pending = processor.process(message, { signal: shutdown.signal });
    await clock.advance(10);
    shutdown.abort();
    const trace = await pending;
    expect(trace).toMatchObject({ status: 'FAILED', error: 'interrupted: the service was shut down' });
    expect(outline(trace).slice(-2)).toEqual(['lookup', 'TOOL_EXECUTION > FAILED']);
    expect(stored).toEqual([trace]);
  });

  test('that arrives after it runs no stage, and is stored', async () => {
    let ran = false;
    const { processor, stored } = createTestProcessor({
      stages: scriptedStages(
        {},
        {
          classify: () => {
            ran = true;
            return decided({ intent: 'refund', confidence: 1 });
          },
        },
      ),
    });
    const trace = await processor.process(message, { signal: AbortSignal.abort() });
    expect(trace.error).toBe('interrupted: the service was shut down');
    expect(stored).toEqual([trace]);
    expect(ran).toBe(false);
  });
});

describe('the store of traces', () => {
  test('rejects a message before its first stage if it is unavailable', async () => {
    const { processor, recorded, stored, logger } = createTestProcessor({
      storage: {
        assertAvailable() {
          throw unavailable('the store is unavailable', 3);
        },
      },
      stages: scriptedStages({}, { classify: () => Promise.reject(new Error('not reached')) }),
    });
    await expect(processor.process(message)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 3,
    });
    await expect(processor.processBatch([message, message])).rejects.toMatchObject({ code: 'unavailable' });
    expect([recorded.events, stored, logger.lines]).toEqual([[], [], []]);
  });

  test.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(unavailable('the store is unavailable now'))],
    ['rejects with null', () => Promise.reject(null)],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('that %s does not affect the reply', async (_name, put) => {
    const { processor, logger } = createTestProcessor({ put });
    expect(await processor.process(message)).toMatchObject({ status: 'COMPLETED' });
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'the trace could not be stored' }]);
  });

  test('has the trace before the message is completed', async () => {
    const steps: string[] = [];
    const { processor } = createTestProcessor({
      async put() {
        await settle();
        steps.push('stored');
      },
    });
    await processor.process(message);
    steps.push('completed');
    expect(steps).toEqual(['stored', 'completed']);
  });
});

describe('a batch', () => {
  const named = (name: string) => ({ ...message, customerId: name });

  test('without messages returns no traces', async () => {
    expect(await createTestProcessor().processor.processBatch([])).toEqual([]);
  });

  test('yields to the event loop after it has started messages for 10 milliseconds', async () => {
    const turns = createTurnCounter();
    const classify = () => {
      turns.count();
      burnCpu(4);
      return decided({ intent: 'refund', confidence: 0.9 } as const);
    };
    const { processor } = createTestProcessor({ stages: scriptedStages({}, { classify }) });
    const traces = await processor.processBatch(Array.from({ length: 10 }, () => message));
    expect(traces.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'COMPLETED'));
    expect(turns.max).toBeLessThanOrEqual(4);
  });

  test('runs its messages concurrently and returns their traces in order', async () => {
    const { processor, clock } = createTestProcessor({
      stages: scriptedStages(
        {},
        {
          classify: ({ customerId }) =>
            new Promise((resolve) => {
              clock.after(100 - Number(customerId), () =>
                resolve(decided({ intent: 'refund', confidence: 1 })),
              );
            }),
        },
      ),
    });
    const names = Array.from({ length: 100 }, (_, index) => String(index));
    const pending = processor.processBatch(names.map(named));
    await clock.advance(100);
    expect((await pending).map(({ customerId }) => customerId)).toEqual(names);
  });

  test.each([1, 25, 50])('of 50 messages completes all others when %i fail', async (failing) => {
    const { processor, clock } = createTestProcessor({
      stages: scriptedStages(
        {},
        {
          plan({ message: { customerId } }) {
            const number = Number(customerId);
            if (number >= failing) return decided({ toolCalls: [] });
            if (number % 3 === 0) throw new Error('no');
            return number % 3 === 1 ? new Promise(() => {}) : (null as never);
          },
        },
      ),
    });
    const pending = processor.processBatch(Array.from({ length: 50 }, (_, index) => named(String(index))));
    await clock.advance(defaultLimits.stageTimeoutMs);
    const statuses = (await pending).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 50 }, (_, n) => (n < failing ? 'FAILED' : 'COMPLETED')));
  });
});
