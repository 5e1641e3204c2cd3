import { describe, expect, test } from 'vitest';
import { OrchestrationError } from '../../../src/domain/errors.ts';
import type { Stages } from '../../../src/ports/stages.ts';
import { FAILURE_REPLY } from '../../support/failure-reply.ts';
import { settle } from '../../support/fake-clock.ts';
import {
  createTestProcessor,
  lookupTool,
  message,
  outline,
  twoCalls,
} from '../../support/message-processor.ts';
import { decided, scriptedStages } from '../../support/stages.ts';

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

const misbehaviors: readonly (readonly [string, () => unknown])[] = [
  [
    'throws an error',
    () => {
      throw new Error(secret);
    },
  ],
  ['rejects', () => Promise.reject(new Error(secret))],
  [
    'throws a string',
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
  ['hangs', () => new Promise(() => {})],
  ['returns undefined', () => undefined],
  ['returns null', () => null],
  ['returns a string', () => secret],
  ['returns an empty object', () => ({})],
  ['returns a value without a decision', () => ({ intent: 'refund', confidence: 1 })],
  ['returns an unknown source', () => decided('x', { source: secret as never })],
  ['returns a value of the wrong shape', () => decided(42)],
  ['returns a decision of null', () => decided(null)],
  ['returns data with a BigInt', () => ({ ...validDecision(), data: { n: 1n } })],
  ['returns circular data', () => ({ ...validDecision(), data: circular })],
];

const circular: Record<string, unknown> = {};
circular['self'] = circular;

/** A decision with a valid value for every stage except the responder. */
function validDecision() {
  return decided({ intent: 'refund', confidence: 1, toolCalls: [], escalated: false, reasons: [] });
}

const invalidValues: readonly (readonly [keyof Stages, string, unknown])[] = [
  ['classify', 'a confidence of 7', { intent: 'refund', confidence: 7 }],
  ['classify', 'a confidence that is NaN', { intent: 'refund', confidence: Number.NaN }],
  ['classify', 'an unknown intent', { intent: 'escalation', confidence: 1 }],
  ['classify', 'the intent "unknown"', { intent: 'unknown', confidence: 1 }],
  [
    'plan',
    '9 tool calls',
    { toolCalls: Array.from({ length: 9 }, () => ({ toolName: 'lookup', input: {} })) },
  ],
  ['plan', 'a call without input', { toolCalls: [{ toolName: 'lookup' }] }],
  ['plan', 'a call whose input is a BigInt', { toolCalls: [{ toolName: 'lookup', input: { n: 1n } }] }],
  ['verify', 'no escalation', { reasons: [] }],
  ['verify', 'reasons that are not strings', { escalated: false, reasons: [1] }],
  ['respond', 'an empty reply', ''],
  ['respond', 'a blank reply', ' \n'],
  ['respond', 'a reply that is too long', 'x'.repeat(100_000)],
];

const failures = (Object.keys(stageNames) as (keyof Stages)[]).flatMap((stage) => [
  ...misbehaviors.map(([name, misbehave]) => ({ stage, name, misbehave })),
  ...invalidValues
    .filter(([name]) => name === stage)
    .map(([, name, value]) => ({ stage, name: `returns ${name}`, misbehave: () => decided(value) })),
]);

describe('a message whose stage misbehaves', () => {
  test.each(failures)(
    'because $stage $name ends as FAILED, without the thrown error',
    async ({ stage, misbehave }) => {
      const { processor, clock, stored, recorded, logger } = createTestProcessor({
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
        disposition: 'escalated',
        concerns: [],
        response: FAILURE_REPLY,
        intent: classified ? 'refund' : 'unknown',
        confidence: classified ? 0.9 : 0,
        error: expect.stringMatching(
          new RegExp(`^${stageNames[stage]}_error: the ${stageNames[stage]} failed`),
        ),
      });
      expect(outline(trace).at(-1)).toBe(`${stateBefore[stage]} > FAILED`);
      expect(stored).toEqual([trace]);
      expect(recorded.events.filter(({ type }) => type === 'message.finished')).toHaveLength(1);
      expect(JSON.stringify([trace, recorded.events])).not.toContain(secret);
      expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
        ['warn', 'message failed'],
      ]);
      expect(clock.pending()).toBe(0);
    },
  );

  test('keeps the concerns of its classification', async () => {
    const { processor } = createTestProcessor({
      stages: scriptedStages(
        { classification: { intent: 'refund', confidence: 0.9, concerns: ['injury'] } },
        { plan: () => Promise.reject(new Error(secret)) },
      ),
    });
    expect(await processor.process(message)).toMatchObject({ status: 'FAILED', concerns: ['injury'] });
  });

  test('has the timeout of the stage in its trace', async () => {
    const { processor, clock } = createTestProcessor({
      stages: scriptedStages({}, { verify: () => new Promise(() => {}) }),
      limits: { stageTimeoutMs: 500 },
    });
    const pending = processor.process(message);
    await clock.advance(500);
    expect((await pending).error).toBe('verifier_error: the verifier failed: timed out after 500 ms');
  });

  test('is logged with the raw error', async () => {
    const { processor, logger } = createTestProcessor({
      stages: scriptedStages({}, { plan: () => Promise.reject(new Error(secret)) }),
    });
    await processor.process(message);
    expect(logger.lines).toContainEqual({
      level: 'warn',
      message: 'message failed',
      category: 'planner_error',
      reason: 'the planner failed',
      err: new Error(secret),
    });
  });

  test('shows the message of an error with `expose`', async () => {
    const exposed = Object.assign(new Error('the quota of the model is used up'), { expose: true });
    const { processor } = createTestProcessor({
      stages: scriptedStages({}, { plan: () => Promise.reject(exposed) }),
    });
    expect((await processor.process(message)).error).toBe('planner_error: the quota of the model is used up');
  });

  test('attributes an OrchestrationError to the stage that threw it', async () => {
    const error = new OrchestrationError('unavailable', 'the provider is away');
    const { processor } = createTestProcessor({
      stages: scriptedStages({}, { respond: () => Promise.reject(error) }),
    });
    expect((await processor.process(message)).error).toBe('responder_error: the provider is away');
  });

  test('emits no escalation event when the verifier fails', async () => {
    const { processor, recorded } = createTestProcessor({
      stages: scriptedStages({}, { verify: () => Promise.reject(new Error(secret)) }),
    });
    await processor.process(message);
    expect(recorded.events.some(({ type }) => type === 'message.escalated')).toBe(false);
  });

  test('ignores the late result of a stage', async () => {
    const late = Promise.withResolvers<ReturnType<typeof decided<string>>>();
    const { processor, clock, stored, recorded } = createTestProcessor({
      stages: scriptedStages({}, { respond: () => late.promise }),
      limits: { stageTimeoutMs: 500 },
    });
    const pending = processor.process(message);
    await clock.advance(500);
    await pending;
    const events = recorded.events.length;
    late.resolve(decided('too late'));
    await settle();
    expect(recorded.events).toHaveLength(events);
    expect(stored).toHaveLength(1);
  });
});

describe('a message whose tool fails', () => {
  test('ends as FAILED, with the call in its trace, and makes no further calls', async () => {
    const { processor, tools, clock, stored, recorded } = createTestProcessor({
      stages: scriptedStages({ toolCalls: twoCalls }),
    });
    tools.register(lookupTool(() => Promise.reject(new Error(secret))));
    const pending = processor.process(message);
    await clock.advance(60_000);
    const trace = await pending;
    expect(trace).toMatchObject({
      status: 'FAILED',
      escalated: true,
      intent: 'refund',
      response: FAILURE_REPLY,
      error: 'tool_error: lookup: the tool failed unexpectedly',
    });
    expect(outline(trace).slice(-3)).toEqual([
      'PLANNING > TOOL_EXECUTION',
      'lookup',
      'TOOL_EXECUTION > FAILED',
    ]);
    expect(trace.timeline).toContainEqual(
      expect.objectContaining({ outcome: expect.objectContaining({ status: 'error', attempts: 3 }) }),
    );
    expect(stored).toEqual([trace]);
    expect(JSON.stringify([trace, recorded.events])).not.toContain(secret);
  });

  test.each(['nothing', '__proto__', 'constructor', 'x'.repeat(64)])(
    'because no tool %s is registered ends as FAILED',
    async (toolName) => {
      const { processor, stored } = createTestProcessor({
        stages: scriptedStages({ toolCalls: [{ toolName, input: {} }] }),
      });
      const trace = await processor.process(message);
      expect(trace.error).toBe(`tool_error: ${toolName}: no tool "${toolName}" is registered`);
      expect(stored).toEqual([trace]);
    },
  );
});
