import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import type { Stages } from '../../../src/ports/stages.ts';
import { burnCpu, createTurnCounter } from '../../support/event-loop.ts';
import { settle } from '../../support/fake-clock.ts';
import { noTelemetry } from '../../support/fakes.ts';
import {
  createTestProcessor,
  lookupTool,
  message,
  story,
  twoCalls,
} from '../../support/message-processor.ts';
import { decided, scriptedStages } from '../../support/stages.ts';

describe('a message', () => {
  test('goes through all states in order, and its trace tells it in one timeline', async () => {
    const { processor, tools, stored, told } = createTestProcessor({
      stages: scriptedStages({ toolCalls: twoCalls }),
    });
    tools.register(lookupTool(() => ({ found: true })));
    const trace = await processor.process(message);
    expect(story(trace)).toEqual([
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
    expect(told.events.slice(0, -1)).toEqual(trace.timeline);
    expect(told.events.at(-1)).toMatchObject({ type: 'message.finished', status: 'COMPLETED' });
  });

  test('is answered with what the stages decided', async () => {
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

  test('gives each stage what the stages before it found', async () => {
    const inputs: unknown[] = [];
    const scripted = scriptedStages({ toolCalls: twoCalls, verdict: { escalated: true, reasons: ['law'] } });
    const stages: Stages = {
      classify: (...given) => {
        inputs.push(given[0]);
        return scripted.classify(...given);
      },
      plan: (...given) => {
        inputs.push(given[0]);
        return scripted.plan(...given);
      },
      verify: (...given) => {
        inputs.push(given[0]);
        return scripted.verify(...given);
      },
      respond: (...given) => {
        inputs.push(given[0]);
        return scripted.respond(...given);
      },
    };
    const { processor, tools } = createTestProcessor({ stages });
    tools.register(lookupTool((input) => ({ got: input as never })));
    await processor.process(message);
    const classification = { intent: 'refund', confidence: 0.9 };
    const outcomes = [
      expect.objectContaining({ status: 'success', input: { n: 1 }, output: { got: { n: 1 } } }),
      expect.objectContaining({ status: 'success', input: { n: 2 }, output: { got: { n: 2 } } }),
    ];
    const verdict = { escalated: true, reasons: ['law'] };
    expect(inputs).toEqual([
      message,
      { message, classification, hasTool: expect.any(Function) },
      { message, classification, outcomes },
      { message, classification, outcomes, verdict },
    ]);
  });

  test('that is escalated is told of once, and is COMPLETED all the same', async () => {
    const { processor, told } = createTestProcessor({
      stages: scriptedStages({ verdict: { escalated: true, reasons: ['legal action'] } }),
    });
    expect(await processor.process(message)).toMatchObject({ status: 'COMPLETED', escalated: true });
    expect(told.events.filter(({ type }) => type === 'message.escalated')).toEqual([
      { type: 'message.escalated', traceId: expect.any(String), reasons: ['legal action'] },
    ]);
  });

  test('that is not escalated is not told of as such', async () => {
    const { processor, told } = createTestProcessor();
    await processor.process(message);
    expect(told.events.some(({ type }) => type === 'message.escalated')).toBe(false);
  });

  test('has its times from the clocks: wall for stamps, monotonic for durations', async () => {
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

  test('bears the id of the span under way', async () => {
    const telemetry = { ...noTelemetry, traceId: () => 'f'.repeat(32) };
    const { processor } = createTestProcessor({ telemetry });
    expect(await processor.process(message)).toMatchObject({ otelTraceId: 'f'.repeat(32) });
  });

  test('gives every tool call of its plan an idempotency key of its own', async () => {
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
  ])('is interrupted while it waits for %s, and recorded', async (_stage, instead) => {
    const { processor, clock, stored } = createTestProcessor({ stages: scriptedStages({}, instead) });
    const shutdown = new AbortController();
    const pending = processor.process(message, { signal: shutdown.signal });
    await clock.advance(10);
    shutdown.abort();
    const trace = await pending;
    expect(trace).toMatchObject({ status: 'FAILED', error: 'interrupted: the service was shut down' });
    expect(stored).toEqual([trace]);
    expect(clock.pending()).toBe(0);
  });

  test('is interrupted while it waits for a tool, and recorded', async () => {
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
    expect(story(trace).slice(-2)).toEqual(['lookup', 'TOOL_EXECUTION > FAILED']);
    expect(stored).toEqual([trace]);
  });

  test('that comes after it runs nothing, and is recorded', async () => {
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
  test('that is known to be away refuses a message before anything is done', async () => {
    const { processor, told, stored, logger } = createTestProcessor({
      storage: {
        assertAvailable() {
          throw unavailable('the store is away', 3);
        },
      },
      stages: scriptedStages({}, { classify: () => Promise.reject(new Error('not reached')) }),
    });
    await expect(processor.process(message)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 3,
    });
    await expect(processor.processBatch([message, message])).rejects.toMatchObject({ code: 'unavailable' });
    expect([told.events, stored, logger.lines]).toEqual([[], [], []]);
  });

  test.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(unavailable('the store went away'))],
    ['rejects with null', () => Promise.reject(null)],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('that %s costs the trace, not the reply', async (_name, put) => {
    const { processor, logger } = createTestProcessor({ put });
    expect(await processor.process(message)).toMatchObject({ status: 'COMPLETED' });
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'the trace could not be stored' }]);
  });

  test('has the trace before the caller has the reply', async () => {
    const steps: string[] = [];
    const { processor } = createTestProcessor({
      async put() {
        await settle();
        steps.push('stored');
      },
    });
    await processor.process(message);
    steps.push('answered');
    expect(steps).toEqual(['stored', 'answered']);
  });
});

describe('a batch', () => {
  const named = (name: string) => ({ ...message, customerId: name });

  test('of none is answered with none', async () => {
    expect(await createTestProcessor().processor.processBatch([])).toEqual([]);
  });

  test('lets other work run after 10 milliseconds of starting messages', async () => {
    const turns = createTurnCounter();
    const classify = () => {
      turns.count();
      burnCpu(4);
      return decided({ intent: 'refund', confidence: 0.9 } as const);
    };
    const { processor } = createTestProcessor({ stages: scriptedStages({}, { classify }) });
    const traces = await processor.processBatch(Array.from({ length: 10 }, () => message));
    expect(traces.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'COMPLETED'));
    expect(turns.most).toBeLessThanOrEqual(4);
  });

  test('is answered in the order sent, however long each takes, and runs all at once', async () => {
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

  test.each([1, 25, 50])('of 50 with %i that fail answers the others as if there were none', async (bad) => {
    const { processor, clock } = createTestProcessor({
      stages: scriptedStages(
        {},
        {
          plan({ message: { customerId } }) {
            const number = Number(customerId);
            if (number >= bad) return decided({ toolCalls: [] });
            if (number % 3 === 0) throw new Error('no');
            return number % 3 === 1 ? new Promise(() => {}) : (null as never);
          },
        },
      ),
    });
    const pending = processor.processBatch(Array.from({ length: 50 }, (_, index) => named(String(index))));
    await clock.advance(defaultLimits.stageTimeoutMs);
    const statuses = (await pending).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 50 }, (_, n) => (n < bad ? 'FAILED' : 'COMPLETED')));
  });
});
