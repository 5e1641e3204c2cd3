import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import { noMessage } from '../../../src/domain/message/call-context.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { Span } from '../../../src/ports/telemetry.ts';
import type { Tool, ToolContext } from '../../../src/ports/tool.ts';
import { noTelemetry } from '../../support/fakes.ts';
import { testPorts } from '../../support/ports.ts';

function setUp(options: { ports?: Partial<Ports>; limits?: Partial<Limits> } = {}) {
  const { ports, clock, recorded, logger } = testPorts(options.ports);
  const registry = createToolRegistry(ports, { ...defaultLimits, ...options.limits });
  return { clock, recorded, logger, registry };
}

function tool(execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { name: 'probe', description: 'a tool under test', input: z.object({}).loose(), execute, ...more };
}

/** Fails `failures` times, then succeeds. Records its contexts. */
function flaky(failures: number, error: () => unknown = () => new Error('secret detail')) {
  const contexts: ToolContext[] = [];
  const execute = (_input: unknown, context: ToolContext) => {
    contexts.push(context);
    if (contexts.length <= failures) throw error();
    return { ok: true };
  };
  return { contexts, execute };
}

const call = { toolName: 'probe', input: {} };

describe('a tool call', () => {
  test('returns the output of a tool that succeeds at the first attempt', async () => {
    const { registry, recorded } = setUp();
    registry.register(tool((input) => ({ got: input as never })));
    const outcome = await registry.execute({ toolName: 'probe', input: { a: [1, { b: null }] } });
    expect(outcome).toMatchObject({
      status: 'success',
      attempts: 1,
      error: null,
      output: { got: { a: [1, { b: null }] } },
    });
    expect(recorded.events).toEqual([
      { type: 'tool.executed', at: Date.UTC(2026, 0, 1), registered: true, outcome },
    ]);
  });

  test.each([0, 1, 2])('succeeds after %i failures', async (failures) => {
    const { registry, clock } = setUp();
    const { contexts, execute } = flaky(failures);
    registry.register(tool(execute));
    const pending = registry.execute(call);
    await clock.advance(10_000);
    expect(await pending).toMatchObject({ status: 'success', attempts: failures + 1 });
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3].slice(0, failures + 1));
  });

  test.each([
    ['a tool error', () => new ToolError('order "7" not found', { notFound: true })],
    [
      'any error that is safe to show',
      () => Object.assign(new Error('order "7" not found'), { notFound: true, expose: true }),
    ],
  ])('that finds nothing, by %s, is not tried again and says so', async (_name, error) => {
    const { registry, clock, logger, recorded } = setUp();
    const { contexts, execute } = flaky(9, error);
    registry.register(tool(execute));
    const pending = registry.execute(call);
    await clock.advance(10_000);
    const outcome = await pending;
    expect(outcome).toMatchObject({
      status: 'error',
      output: null,
      attempts: 1,
      error: 'order "7" not found',
      notFound: true,
    });
    expect(contexts).toHaveLength(1);
    expect(recorded.events).toMatchObject([{ type: 'tool.executed', outcome: { notFound: true } }]);
    expect(logger.lines.map(({ level }) => level)).toEqual(['debug']);
  });

  test('that fails or succeeds does not say that there is nothing', async () => {
    const { registry } = setUp();
    registry.register(tool(() => Promise.reject(new ToolError('gone for good', { permanent: true }))));
    registry.register(tool(() => ({ ok: true }), { name: 'good' }));
    for (const toolName of ['probe', 'good', 'unheard_of']) {
      expect(await registry.execute({ toolName, input: {} })).not.toHaveProperty('notFound');
    }
  });

  test('fails after the maximum number of attempts, without the thrown error', async () => {
    const { registry, clock, recorded, logger } = setUp();
    registry.register(tool(flaky(99).execute));
    const pending = registry.execute(call);
    await clock.advance(10_000);
    const outcome = await pending;
    expect(outcome).toMatchObject({
      status: 'error',
      attempts: 3,
      output: null,
      error: 'the tool failed unexpectedly',
    });
    expect(recorded.events).toHaveLength(1);
    expect(JSON.stringify([outcome, recorded.events])).not.toContain('secret');
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(3);
  });

  test('waits between attempts with exponential backoff and full jitter, for at most two seconds', async () => {
    const draws = [0, 0.25, 0.5, 0.75, 0.9, 0.999];
    let drawn = 0;
    const { registry, clock } = setUp({
      ports: { random: () => draws[drawn++] ?? expect.fail() },
      limits: { toolMaxAttempts: 7 },
    });
    registry.register(tool(flaky(99).execute));
    const pending = registry.execute(call);
    await clock.advance(60_000);
    await pending;
    expect(clock.waits).toEqual([0, 50, 200, 600, 1_440, 1_998]);
  });

  test('has one idempotency key for all of its attempts, which differs from that of other calls', async () => {
    const { registry, clock } = setUp();
    const first = flaky(2);
    registry.register(tool(first.execute));
    const pending = registry.execute(call);
    await clock.advance(10_000);
    await pending;
    await registry.execute(call);
    await registry.execute(call, { idempotencyKey: 'execution:step' });
    const keys = first.contexts.map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
    expect(keys[4]).toBe('execution:step');
  });

  test.each([
    ['a permanent ToolError', () => new ToolError('order not found', { permanent: true }), 'order not found'],
    [
      'any error that is marked as permanent',
      () => Object.assign(new Error('secret'), { permanent: true }),
      'the tool failed unexpectedly',
    ],
    [
      'an AbortError of its own',
      () => Object.assign(new Error('secret'), { name: 'AbortError' }),
      'the tool failed unexpectedly',
    ],
  ])('is not retried after %s', async (_name, error, text) => {
    const { registry } = setUp();
    registry.register(tool(flaky(99, error).execute));
    expect(await registry.execute(call)).toMatchObject({ status: 'error', attempts: 1, error: text });
  });

  test('fails before the tool is called if its input does not match the schema', async () => {
    const { registry } = setUp();
    const { contexts, execute } = flaky(0);
    registry.register(
      tool(execute, { input: z.object({ order_id: z.string(), items: z.array(z.number()) }) }),
    );
    const outcome = await registry.execute({ toolName: 'probe', input: { items: [1, 'two'] } });
    expect(outcome).toMatchObject({ status: 'error', attempts: 0, output: null });
    expect(outcome.error).toMatch(/^invalid input: order_id: .*; items\.1: /);
    expect(contexts).toEqual([]);
  });

  test('fails if no tool is registered under its name', async () => {
    const { registry, recorded } = setUp();
    for (const toolName of ['nothing', '__proto__', 'constructor', 'x'.repeat(1_000_000)]) {
      const outcome = await registry.execute({ toolName, input: {} });
      expect(outcome).toMatchObject({ status: 'error', attempts: 0 });
      expect(outcome.error?.length).toBeLessThan(120);
    }
    expect(recorded.events.every((event) => event.type === 'tool.executed' && !event.registered)).toBe(true);
  });
});

describe('a tool with a retry policy of its own', () => {
  const retry = { maxAttempts: 5, backoffMs: 10, factor: 3, maxBackoffMs: 100 };

  test('is attempted and waited for by it, and not by the limits of the registry', async () => {
    const { registry, clock } = setUp({ ports: { random: () => 1 }, limits: { toolMaxAttempts: 2 } });
    registry.register(tool(flaky(99).execute, { retry }));
    const pending = registry.execute(call);
    await clock.advance(60_000);
    expect(await pending).toMatchObject({ attempts: 5 });
    expect(clock.waits).toEqual([10, 30, 90, 100]);
  });

  test('has the usual waits where it names none', async () => {
    const { registry, clock } = setUp({ ports: { random: () => 1 } });
    registry.register(tool(flaky(99).execute, { retry: { maxAttempts: 7 } }));
    const pending = registry.execute(call);
    await clock.advance(60_000);
    await pending;
    expect(clock.waits).toEqual([100, 200, 400, 800, 1_600, 2_000]);
  });

  test('repeats no write that may have had an effect', async () => {
    const { registry } = setUp();
    registry.register(tool(flaky(99).execute, { retry, effect: 'write' }));
    expect(await registry.execute(call)).toMatchObject({ attempts: 1 });
  });
});

describe('a tool with a timeout of its own', () => {
  test.each([
    [20, 'timed out after 20 ms'],
    [20_000, 'timed out after 20000 ms'],
  ])('of %i ms has it in place of the timeout of the registry', async (timeoutMs, error) => {
    const { registry, clock } = setUp({ limits: { toolTimeoutMs: 100, toolMaxAttempts: 1 } });
    registry.register(tool(() => new Promise(() => {}), { timeoutMs }));
    const pending = registry.execute(call);
    await clock.advance(30_000);
    expect(await pending).toMatchObject({ error });
  });
});

describe('the context of a tool', () => {
  test('has the message that the call serves, at every attempt', async () => {
    const { registry, clock } = setUp();
    const { contexts, execute } = flaky(1);
    registry.register(tool(execute));
    const context = {
      traceId: 'trace-1',
      conversationId: 'conversation-1',
      customerId: 'customer-1',
      source: 'email',
      metadata: { tenant: 'north' },
      message: { text: 'Where is it?', subject: 'My order' },
    };
    const pending = registry.execute(call, { context });
    await clock.advance(10_000);
    await pending;
    expect(contexts).toMatchObject([
      { ...context, attempt: 1 },
      { ...context, attempt: 2 },
    ]);
  });

  test('has null for each of its parts where a call serves no message', async () => {
    const { registry } = setUp();
    const { contexts, execute } = flaky(0);
    registry.register(tool(execute));
    await registry.execute(call);
    expect(contexts).toMatchObject([noMessage]);
  });
});

describe('a call that finds nothing', () => {
  test('does not mark its span as failed', async () => {
    const marks: object[] = [];
    const telemetry = {
      ...noTelemetry,
      span: <T>(_name: string, _attributes: object, work: (span: Span) => Promise<T>) =>
        work({
          event: () => {},
          set: (set) => marks.push({ set }),
          fail: (fail) => marks.push({ fail }),
        }),
    };
    const { registry } = setUp({ ports: { telemetry } });
    registry.register(tool(flaky(9, () => new ToolError('no order', { notFound: true })).execute));
    registry.register(
      tool(flaky(9, () => new ToolError('closed', { permanent: true })).execute, { name: 'closed' }),
    );
    await registry.execute(call);
    await registry.execute({ toolName: 'closed', input: {} });
    expect(marks).toEqual([{ set: { not_found: true } }, { fail: 'tool_error' }]);
  });
});

describe('the effect of a tool', () => {
  test.each([
    [undefined, 3],
    ['read', 3],
    ['idempotent', 3],
    ['write', 1],
  ] as const)('%s allows %i attempts', async (effect, attempts) => {
    const { registry, clock } = setUp();
    registry.register(tool(flaky(99).execute, effect === undefined ? {} : { effect }));
    const pending = registry.execute(call);
    await clock.advance(10_000);
    expect(await pending).toMatchObject({ status: 'error', attempts });
  });

  test('write allows another attempt after an error that is safe to retry', async () => {
    const { registry, clock } = setUp();
    registry.register(
      tool(flaky(1, () => new ToolError('connection refused', { safeToRetry: true })).execute, {
        effect: 'write',
      }),
    );
    const pending = registry.execute(call);
    await clock.advance(10_000);
    expect(await pending).toMatchObject({ status: 'success', attempts: 2 });
  });

  test('write allows no other attempt after a timeout', async () => {
    const { registry, clock } = setUp({ limits: { toolTimeoutMs: 50 } });
    registry.register(tool(() => new Promise(() => {}), { effect: 'write' }));
    const pending = registry.execute(call);
    await clock.advance(10_000);
    expect(await pending).toMatchObject({ status: 'error', attempts: 1, error: 'timed out after 50 ms' });
  });
});

describe('a tool that hangs', () => {
  test('times out at each attempt, has its signal aborted, and its late results are ignored', async () => {
    const { registry, clock, recorded } = setUp({ limits: { toolTimeoutMs: 100, toolMaxAttempts: 2 } });
    const signals: AbortSignal[] = [];
    const late: ((output: { late: true }) => void)[] = [];
    registry.register(
      tool((_input, context) => {
        signals.push(context.signal);
        return new Promise((resolve) => late.push(resolve));
      }),
    );
    const pending = registry.execute(call);
    await clock.advance(10_000);
    const outcome = await pending;
    for (const resolve of late) resolve({ late: true });
    await clock.advance(10_000);
    expect(outcome).toMatchObject({ status: 'error', attempts: 2, error: 'timed out after 100 ms' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(recorded.events).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  test('may reject after its timeout', async () => {
    const { registry, clock } = setUp({ limits: { toolTimeoutMs: 100, toolMaxAttempts: 1 } });
    const late: (() => void)[] = [];
    registry.register(tool(() => new Promise((_, reject) => late.push(() => reject(new Error('late'))))));
    const pending = registry.execute(call);
    await clock.advance(1_000);
    expect(await pending).toMatchObject({ status: 'error' });
    for (const reject of late) reject();
    await clock.advance(1_000);
  });

  test('has an aborted signal if it reads it only after the timeout', async () => {
    const { registry, clock } = setUp({ limits: { toolTimeoutMs: 100, toolMaxAttempts: 1 } });
    let context: ToolContext | undefined;
    registry.register(
      tool((_input, toolContext) => {
        context = toolContext;
        return new Promise(() => {});
      }),
    );
    const pending = registry.execute(call);
    await clock.advance(1_000);
    await pending;
    expect(context?.signal.aborted).toBe(true);
  });

  test('is interrupted when the caller aborts', async () => {
    const { registry, clock } = setUp();
    const caller = new AbortController();
    registry.register(tool(() => new Promise(() => {})));
    const pending = registry.execute(call, { signal: caller.signal });
    await clock.advance(1);
    caller.abort();
    expect(await pending).toMatchObject({ status: 'error', attempts: 1, error: 'interrupted' });
    expect(clock.pending()).toBe(0);
  });
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;
describe('a tool that misbehaves', () => {
  test.each<[string, () => unknown]>([
    [
      'throws a string',
      () => {
        throw 'secret string';
      },
    ],
    [
      'throws null',
      () => {
        throw null;
      },
    ],
    [
      'throws undefined',
      () => {
        throw undefined;
      },
    ],
    [
      'throws a frozen object',
      () => {
        throw Object.freeze({ message: 'secret' });
      },
    ],
    ['rejects with a symbol', () => Promise.reject(Symbol('secret'))],
    ['returns undefined', () => undefined],
    ['returns null', () => null],
    ['returns a string', () => 'secret'],
    ['returns an array', () => [1]],
    ['returns a function', () => () => {}],
    ['returns an object with a BigInt', () => ({ n: 1n })],
    ['returns an object with a function', () => ({ f() {} })],
    ['returns an object with a symbol', () => ({ s: Symbol('x') })],
    ['returns an object with NaN', () => ({ n: Number.NaN })],
    ['returns a cycle', () => cyclic],
    ['returns an object that is too large', () => ({ text: 'x'.repeat(100_000_000) })],
    ['returns an object that is too large only in UTF-8', () => ({ text: '€'.repeat(400_000) })],
    [
      'returns a class instance',
      () =>
        new (class Thing {
          a = 1;
        })(),
    ],
  ])('and %s fails its call', async (_name, misbehave) => {
    const { registry, clock, recorded } = setUp();
    registry.register(tool(misbehave as Tool['execute']));
    const pending = registry.execute(call);
    await clock.advance(60_000);
    const outcome = await pending;
    expect(outcome.status).toBe('error');
    expect(outcome.output).toBeNull();
    expect(outcome.error).toBeTruthy();
    expect(JSON.stringify(recorded.events)).not.toContain('secret');
  });

  test('is not retried for an output that is not an object', async () => {
    const { registry } = setUp();
    registry.register(tool((() => [1]) as never));
    expect(await registry.execute(call)).toMatchObject({
      attempts: 1,
      error: "the tool's output is not an object",
    });
  });

  test('shares neither its input nor its output with the outcome', async () => {
    const { registry } = setUp();
    const given = { list: [1] };
    const kept: { value?: { list: number[] } } = {};
    registry.register(
      tool((input) => {
        (input as { list: number[] }).list.push(2);
        kept.value = { list: [9] };
        return kept.value;
      }),
    );
    const outcome = await registry.execute({ toolName: 'probe', input: given });
    kept.value?.list.push(10);
    expect(given).toEqual({ list: [1] });
    expect(outcome).toMatchObject({ input: { list: [1] }, output: { list: [9] } });
  });
});

describe('the registration of a tool', () => {
  test('rejects a name that is registered already', () => {
    const { registry } = setUp();
    registry.register(tool(() => ({})));
    expect(() => registry.register(tool(() => ({})))).toThrow('the tool "probe" is already registered');
  });

  test.each(['', 'a b', 'ä', 'x'.repeat(65), 'a/b', '$step', 'a\nb'])('rejects the name %j', (name) => {
    const { registry } = setUp();
    expect(() => registry.register(tool(() => ({}), { name }))).toThrow(/must be 1 to 64 letters/);
    expect(registry.list()).toEqual([]);
  });

  test.each([
    ['no description', { description: undefined }],
    ['no execute function', { execute: undefined }],
    ['no input schema', { input: undefined }],
    ['no input schema', { input: {} }],
    ['an unknown effect', { effect: 'destroy' }],
    ['an owner that is no JSON pointer into its output', { owner: 'customer_id' }],
    ['an owner that is no JSON pointer into its output', { owner: '' }],
    ['an owner that is no JSON pointer into its output', { owner: 7 }],
    ['a fromMessage that is no list of names', { fromMessage: 'job' }],
    ['a fromMessage that is no list of names', { fromMessage: [7] }],
    [
      'a fromMessage that names "jbo", which the input does not have',
      { fromMessage: ['job', 'jbo'], input: z.object({ job: z.string() }) },
    ],
    ['a timeoutMs that is not from 1 to 600000', { timeoutMs: 0 }],
    ['a timeoutMs that is not from 1 to 600000', { timeoutMs: 600_001 }],
    ['a timeoutMs that is not from 1 to 600000', { timeoutMs: '10' }],
    ['an invalid retry: maxAttempts must be from 1 to 20', { retry: {} }],
    ['an invalid retry: maxAttempts must be from 1 to 20', { retry: { maxAttempts: 21 } }],
    ['an invalid retry: maxAttempts must be from 1 to 20', { retry: { maxAttempts: 1.5 } }],
    ['an invalid retry: factor must be from 1 to 10', { retry: { maxAttempts: 2, factor: 0 } }],
    [
      'an invalid retry: maxBackoffMs must be from 0 to 600000',
      { retry: { maxAttempts: 2, maxBackoffMs: Number.NaN } },
    ],
  ])('rejects a tool with %s', (issue, changes) => {
    const { registry } = setUp();
    const invalid = { ...tool(() => ({})), ...changes } as unknown as Tool;
    expect(() => registry.register(invalid)).toThrow(issue);
    expect(registry.has('probe')).toBe(false);
  });

  test('accepts names of fromMessage that the input may have', () => {
    const { registry } = setUp();
    const accepts = (data: unknown) => ({ success: true as const, data });
    const noSchema = { safeParse: accepts, toJSONSchema: () => expect.fail('there is none') };
    for (const [at, input] of [z.object({ job: z.string() }), z.looseObject({}), noSchema].entries()) {
      registry.register(tool(() => ({}), { name: `probe_${at}`, input, fromMessage: ['job'] }));
    }
    expect(registry.list()).toHaveLength(3);
  });
});
