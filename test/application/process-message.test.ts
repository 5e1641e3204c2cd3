import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultLimits, type Limits } from '../../src/application/limits.ts';
import { SAFE_REPLY } from '../../src/application/message-run.ts';
import { createMessageProcessor } from '../../src/application/process-message.ts';
import { createToolRegistry } from '../../src/application/tool-registry.ts';
import { OrchestrationError, unavailable } from '../../src/domain/errors.ts';
import type { Trace, TraceSummary } from '../../src/domain/trace.ts';
import type { RecordStore, StorageHealth } from '../../src/ports/record-store.ts';
import type { Stages } from '../../src/ports/stages.ts';
import type { Telemetry } from '../../src/ports/telemetry.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { countingIds, noTelemetry, recordEvents, recordLogs } from '../support/fakes.ts';
import { decided, scriptedStages } from '../support/stages.ts';

interface SetUp {
  readonly stages?: Stages;
  readonly limits?: Partial<Limits>;
  readonly telemetry?: Telemetry;
  readonly storage?: StorageHealth;
  readonly put?: (trace: Trace) => Promise<void>;
}

function setUp(options: SetUp = {}) {
  const clock = createFakeClock();
  const told = recordEvents();
  const logger = recordLogs();
  const stored: Trace[] = [];
  const put = async (trace: Trace) => void stored.push(trace);
  const traces = { put: options.put ?? put } as RecordStore<Trace, TraceSummary>;
  const ports = {
    clock,
    newId: countingIds(),
    random: () => 0.5,
    logger,
    events: told.sink,
    telemetry: options.telemetry ?? noTelemetry,
    stages: options.stages ?? scriptedStages(),
    storage: options.storage ?? { assertAvailable() {} },
    traces,
  };
  const limits = { ...defaultLimits, ...options.limits };
  const tools = createToolRegistry(ports, limits);
  return { clock, told, logger, stored, tools, processor: createMessageProcessor(ports, tools, limits) };
}

const message = { source: 'email', customerId: 'customer-1', message: 'I want my money back' };

function tool(execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { name: 'lookup', description: 'looks up', input: z.object({}).loose(), execute, ...more };
}

/** A trace's timeline in short. */
function story(trace: Trace): string[] {
  return trace.timeline.map((event) => {
    if (event.type === 'pipeline.transition') return `${event.from} > ${event.to}`;
    return event.type === 'agent.decided' ? event.agent : event.outcome.toolName;
  });
}

const twoCalls = [
  { toolName: 'lookup', input: { n: 1 } },
  { toolName: 'lookup', input: { n: 2 } },
];

describe('a message', () => {
  test('goes through all states in order, and its trace tells it in one timeline', async () => {
    const { processor, tools, stored, told } = setUp({ stages: scriptedStages({ toolCalls: twoCalls }) });
    tools.register(tool(() => ({ found: true })));
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
    const { processor } = setUp({
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
    const { processor, tools } = setUp({ stages });
    tools.register(tool((input) => ({ got: input as never })));
    await processor.process(message);
    const classification = { intent: 'refund', confidence: 0.9 };
    const outcomes = [
      expect.objectContaining({ status: 'success', input: { n: 1 }, output: { got: { n: 1 } } }),
      expect.objectContaining({ status: 'success', input: { n: 2 }, output: { got: { n: 2 } } }),
    ];
    const verdict = { escalated: true, reasons: ['law'] };
    expect(inputs).toEqual([
      message,
      { message, classification },
      { message, classification, outcomes },
      { message, classification, outcomes, verdict },
    ]);
  });

  test('that is escalated is told of once, and is COMPLETED all the same', async () => {
    const { processor, told } = setUp({
      stages: scriptedStages({ verdict: { escalated: true, reasons: ['legal action'] } }),
    });
    expect(await processor.process(message)).toMatchObject({ status: 'COMPLETED', escalated: true });
    expect(told.events.filter(({ type }) => type === 'message.escalated')).toEqual([
      { type: 'message.escalated', traceId: expect.any(String), reasons: ['legal action'] },
    ]);
  });

  test('that is not escalated is not told of as such', async () => {
    const { processor, told } = setUp();
    await processor.process(message);
    expect(told.events.some(({ type }) => type === 'message.escalated')).toBe(false);
  });

  test('has its times from the clocks: wall for stamps, monotonic for durations', async () => {
    const { clock, processor } = setUp({
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
    const { processor } = setUp({ telemetry });
    expect(await processor.process(message)).toMatchObject({ otelTraceId: 'f'.repeat(32) });
  });

  test('gives every tool call of its plan an idempotency key of its own', async () => {
    const keys: string[] = [];
    const { processor, tools } = setUp({ stages: scriptedStages({ toolCalls: twoCalls }) });
    tools.register(
      tool((_input, context) => {
        keys.push(context.idempotencyKey);
        return {};
      }),
    );
    const { traceId } = await processor.process(message);
    expect(keys).toEqual([`${traceId}:0`, `${traceId}:1`]);
  });
});

const stageNames = {
  classify: 'classifier',
  plan: 'planner',
  verify: 'verifier',
  respond: 'responder',
} as const satisfies Record<keyof Stages, string>;

const stateBefore = {
  classify: 'RECEIVED',
  plan: 'PLANNING',
  verify: 'VERIFYING',
  respond: 'VERIFYING',
} as const satisfies Record<keyof Stages, string>;

const secret = 'canary-3f9a';

const misbehaviours: readonly (readonly [string, () => unknown])[] = [
  [
    'throws an error',
    () => {
      throw new Error(secret);
    },
  ],
  ['rejects', () => Promise.reject(new Error(secret))],
  [
    'throws a text',
    () => {
      throw secret;
    },
  ],
  [
    'throws null',
    () => {
      throw null;
    },
  ],
  ['rejects with undefined', () => Promise.reject(undefined)],
  [
    'throws what cannot be read',
    () => {
      throw new Proxy(new Error(secret), {
        get() {
          throw new Error(secret);
        },
      });
    },
  ],
  ['hangs', () => new Promise(() => {})],
  ['returns undefined', () => undefined],
  ['returns null', () => null],
  ['returns a text', () => secret],
  ['returns an empty object', () => ({})],
  ['returns a bare value', () => ({ intent: 'refund', confidence: 1 })],
  ['returns an unknown source', () => decided('x', { source: secret as never })],
  ['returns a value of the wrong shape', () => decided(42)],
  ['returns a value that is null', () => decided(null)],
  ['returns data with a BigInt', () => ({ ...goodDecision(), data: { n: 1n } })],
  ['returns data in a circle', () => ({ ...goodDecision(), data: circle })],
  [
    'returns what throws when it is read',
    () => ({
      get value() {
        throw new Error(secret);
      },
    }),
  ],
];

const circle: Record<string, unknown> = {};
circle['again'] = circle;

/** A decision whose value fits every stage but the responder's. */
function goodDecision() {
  return decided({ intent: 'refund', confidence: 1, toolCalls: [], escalated: false, reasons: [] });
}

const ownMisbehaviours: readonly (readonly [keyof Stages, string, unknown])[] = [
  ['classify', 'a confidence of 7', { intent: 'refund', confidence: 7 }],
  ['classify', 'a confidence that is NaN', { intent: 'refund', confidence: Number.NaN }],
  ['classify', 'an unknown intent', { intent: 'escalation', confidence: 1 }],
  ['classify', 'the intent unknown', { intent: 'unknown', confidence: 1 }],
  [
    'plan',
    '9 tool calls',
    { toolCalls: Array.from({ length: 9 }, () => ({ toolName: 'lookup', input: {} })) },
  ],
  ['plan', 'a call without input', { toolCalls: [{ toolName: 'lookup' }] }],
  ['plan', 'a call whose input is a BigInt', { toolCalls: [{ toolName: 'lookup', input: { n: 1n } }] }],
  ['verify', 'no decision', { reasons: [] }],
  ['verify', 'reasons that are no texts', { escalated: false, reasons: [1] }],
  ['respond', 'an empty reply', ''],
  ['respond', 'a blank reply', ' \n'],
  ['respond', 'a reply without end', 'x'.repeat(100_000)],
];

const failures = (Object.keys(stageNames) as (keyof Stages)[]).flatMap((stage) => [
  ...misbehaviours.map(([name, misbehave]) => ({ stage, name, misbehave })),
  ...ownMisbehaviours
    .filter(([own]) => own === stage)
    .map(([, name, value]) => ({ stage, name: `returns ${name}`, misbehave: () => decided(value) })),
]);

describe('a message whose stage misbehaves', () => {
  test.each(failures)('because $stage $name ends as FAILED, safely', async ({ stage, misbehave }) => {
    const { processor, clock, stored, told, logger } = setUp({
      stages: scriptedStages({}, { [stage]: misbehave }),
      limits: { stageTimeoutMs: 500 },
    });
    const pending = processor.process(message);
    await clock.advance(500);
    const trace = await pending;
    const classified = stage !== 'classify';
    expect(trace).toMatchObject({
      status: 'FAILED',
      escalated: true,
      response: SAFE_REPLY,
      intent: classified ? 'refund' : 'unknown',
      confidence: classified ? 0.9 : 0,
      error: expect.stringMatching(
        new RegExp(`^${stageNames[stage]}_error: the ${stageNames[stage]} failed`),
      ),
    });
    expect(story(trace).at(-1)).toBe(`${stateBefore[stage]} > FAILED`);
    expect(stored).toEqual([trace]);
    expect(told.events.filter(({ type }) => type === 'message.finished')).toHaveLength(1);
    expect(JSON.stringify([trace, told.events])).not.toContain(secret);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  test('says in the trace that time was up, where it was', async () => {
    const { processor, clock } = setUp({
      stages: scriptedStages({}, { verify: () => new Promise(() => {}) }),
      limits: { stageTimeoutMs: 500 },
    });
    const pending = processor.process(message);
    await clock.advance(500);
    expect((await pending).error).toBe('verifier_error: the verifier failed: timed out after 500 ms');
  });

  test('keeps the raw error for the log', async () => {
    const { processor, logger } = setUp({
      stages: scriptedStages({}, { plan: () => Promise.reject(new Error(secret)) }),
    });
    await processor.process(message);
    expect(logger.lines).toContainEqual({
      level: 'error',
      message: 'message failed',
      category: 'planner_error',
      reason: 'the planner failed',
      err: new Error(secret),
    });
  });

  test('shows the text of an error that is meant to be shown', async () => {
    const meant = Object.assign(new Error('the quota of the model is used up'), { expose: true });
    const { processor } = setUp({ stages: scriptedStages({}, { plan: () => Promise.reject(meant) }) });
    expect((await processor.process(message)).error).toBe('planner_error: the quota of the model is used up');
  });

  test('calls an error of the core by the stage that threw it', async () => {
    const error = new OrchestrationError('unavailable', 'the provider is away');
    const { processor } = setUp({ stages: scriptedStages({}, { respond: () => Promise.reject(error) }) });
    expect((await processor.process(message)).error).toBe('responder_error: the provider is away');
  });

  test('is not told as escalated by the verifier, which never spoke', async () => {
    const { processor, told } = setUp({
      stages: scriptedStages({}, { verify: () => Promise.reject(new Error(secret)) }),
    });
    await processor.process(message);
    expect(told.events.some(({ type }) => type === 'message.escalated')).toBe(false);
  });

  test('hears nothing more of a stage that answers late', async () => {
    const late = Promise.withResolvers<ReturnType<typeof decided<string>>>();
    const { processor, clock, stored, told } = setUp({
      stages: scriptedStages({}, { respond: () => late.promise }),
      limits: { stageTimeoutMs: 500 },
    });
    const pending = processor.process(message);
    await clock.advance(500);
    await pending;
    const events = told.events.length;
    late.resolve(decided('too late'));
    await settle();
    expect(told.events).toHaveLength(events);
    expect(stored).toHaveLength(1);
  });
});

describe('a message whose tool fails', () => {
  test('ends as FAILED, with the call in its trace and without the calls after it', async () => {
    const { processor, tools, clock, stored, told } = setUp({
      stages: scriptedStages({ toolCalls: twoCalls }),
    });
    tools.register(tool(() => Promise.reject(new Error(secret))));
    const pending = processor.process(message);
    await clock.advance(60_000);
    const trace = await pending;
    expect(trace).toMatchObject({
      status: 'FAILED',
      escalated: true,
      intent: 'refund',
      response: SAFE_REPLY,
      error: 'tool_error: lookup: the tool failed unexpectedly',
    });
    expect(story(trace).slice(-3)).toEqual([
      'PLANNING > TOOL_EXECUTION',
      'lookup',
      'TOOL_EXECUTION > FAILED',
    ]);
    expect(trace.timeline).toContainEqual(
      expect.objectContaining({ outcome: expect.objectContaining({ status: 'error', attempts: 3 }) }),
    );
    expect(stored).toEqual([trace]);
    expect(JSON.stringify([trace, told.events])).not.toContain(secret);
  });

  test.each(['nothing', '__proto__', 'constructor', 'x'.repeat(64)])(
    'because %s is no tool ends as FAILED, with nothing run',
    async (toolName) => {
      const { processor, stored } = setUp({
        stages: scriptedStages({ toolCalls: [{ toolName, input: {} }] }),
      });
      const trace = await processor.process(message);
      expect(trace.error).toBe(`tool_error: ${toolName}: no tool "${toolName}" is registered`);
      expect(stored).toEqual([trace]);
    },
  );
});

describe('a message during a shutdown', () => {
  test.each([
    ['classify', { classify: () => new Promise<never>(() => {}) }],
    ['respond', { respond: () => new Promise<never>(() => {}) }],
  ])('is interrupted while it waits for %s, and recorded', async (_stage, instead) => {
    const { processor, clock, stored } = setUp({ stages: scriptedStages({}, instead) });
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
    const { processor, tools, clock, stored } = setUp({ stages: scriptedStages({ toolCalls: twoCalls }) });
    tools.register(tool(() => new Promise(() => {})));
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
    const { processor, stored } = setUp({
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
    const { processor, told, stored, logger } = setUp({
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
    const { processor, logger } = setUp({ put });
    expect(await processor.process(message)).toMatchObject({ status: 'COMPLETED' });
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'the trace could not be stored' }]);
  });

  test('has the trace before the caller has the reply', async () => {
    const steps: string[] = [];
    const { processor } = setUp({
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
    expect(await setUp().processor.processBatch([])).toEqual([]);
  });

  test('is answered in the order sent, however long each takes, and runs all at once', async () => {
    const { processor, clock } = setUp({
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
    const { processor, clock } = setUp({
      stages: scriptedStages(
        {},
        {
          plan({ message: { customerId } }) {
            const number = Number(customerId);
            if (number >= bad) return decided({ toolCalls: [] });
            if (number % 3 === 0) throw new Error(secret);
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
