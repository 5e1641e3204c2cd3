import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { Tool, ToolContext } from '../../../src/ports/tool.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { countingIds, noTelemetry, recordEvents, recordLogs } from '../../support/fakes.ts';

function setUp(options: { random?: () => number; limits?: Partial<Limits> } = {}) {
  const clock = createFakeClock();
  const told = recordEvents();
  const logger = recordLogs();
  const ports = {
    clock,
    newId: countingIds(),
    random: options.random ?? (() => 0.5),
    logger,
    events: told.sink,
    telemetry: noTelemetry,
  };
  return {
    clock,
    told,
    logger,
    registry: createToolRegistry(ports, { ...defaultLimits, ...options.limits }),
  };
}

function tool(execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { name: 'probe', description: 'does as told', input: z.object({}).loose(), execute, ...more };
}

/** Fails `failures` times, then succeeds; keeps the contexts that it was given. */
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
  test('returns the output of a tool that succeeds, in one attempt', async () => {
    const { registry, told } = setUp();
    registry.register(tool((input) => ({ got: input as never })));
    const outcome = await registry.execute({ toolName: 'probe', input: { a: [1, { b: null }] } });
    expect(outcome).toMatchObject({
      status: 'success',
      attempts: 1,
      error: null,
      output: { got: { a: [1, { b: null }] } },
    });
    expect(told.events).toEqual([
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

  test('fails after as many attempts as it may make, and says nothing of what was thrown', async () => {
    const { registry, clock, told, logger } = setUp();
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
    expect(told.events).toHaveLength(1);
    expect(JSON.stringify([outcome, told.events])).not.toContain('secret');
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(3);
  });

  test('waits between attempts exponentially, with full jitter, never longer than two seconds', async () => {
    const draws = [0, 0.25, 0.5, 0.75, 0.9, 0.999];
    let drawn = 0;
    const { registry, clock } = setUp({ random: () => draws[drawn++] ?? 0, limits: { toolMaxAttempts: 7 } });
    registry.register(tool(flaky(99).execute));
    const pending = registry.execute(call);
    await clock.advance(60_000);
    await pending;
    expect(clock.waits).toEqual([0, 50, 200, 600, 1_440, 1_998]);
  });

  test('gives every attempt at one call the same idempotency key, and each call its own', async () => {
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
    [
      'a ToolError that is permanent',
      () => new ToolError('order not found', { permanent: true }),
      'order not found',
    ],
    [
      'any error that says so',
      () => Object.assign(new Error('secret'), { permanent: true }),
      'the tool failed unexpectedly',
    ],
    [
      'an abort of its own',
      () => Object.assign(new Error('secret'), { name: 'AbortError' }),
      'the tool failed unexpectedly',
    ],
  ])('is not retried after %s', async (_name, error, text) => {
    const { registry } = setUp();
    registry.register(tool(flaky(99, error).execute));
    expect(await registry.execute(call)).toMatchObject({ status: 'error', attempts: 1, error: text });
  });

  test('ends a call whose input the schema refuses before the tool sees it', async () => {
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

  test('to a tool that nobody registered ends as failed, whatever its name', async () => {
    const { registry, told } = setUp();
    for (const toolName of ['nothing', '__proto__', 'constructor', 'x'.repeat(1_000_000)]) {
      const outcome = await registry.execute({ toolName, input: {} });
      expect(outcome).toMatchObject({ status: 'error', attempts: 0 });
      expect(outcome.error?.length).toBeLessThan(120);
    }
    expect(told.events.every((event) => event.type === 'tool.executed' && !event.registered)).toBe(true);
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

  test('write is retried when the error says that nothing was done yet', async () => {
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

  test('write is not retried after a time-out, because the attempt may have acted', async () => {
    const { registry, clock } = setUp({ limits: { toolTimeoutMs: 50 } });
    registry.register(tool(() => new Promise(() => {}), { effect: 'write' }));
    const pending = registry.execute(call);
    await clock.advance(10_000);
    expect(await pending).toMatchObject({ status: 'error', attempts: 1, error: 'timed out after 50 ms' });
  });
});

describe('a tool that hangs', () => {
  test('is cut off at each attempt, its signal aborted, its late result thrown away and no timer left', async () => {
    const { registry, clock, told } = setUp({ limits: { toolTimeoutMs: 100, toolMaxAttempts: 2 } });
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
    expect(told.events).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  test('and rejects late harms nobody', async () => {
    const { registry, clock } = setUp({ limits: { toolTimeoutMs: 100, toolMaxAttempts: 1 } });
    const late: (() => void)[] = [];
    registry.register(tool(() => new Promise((_, reject) => late.push(() => reject(new Error('late'))))));
    const pending = registry.execute(call);
    await clock.advance(1_000);
    expect(await pending).toMatchObject({ status: 'error' });
    for (const reject of late) reject();
    await clock.advance(1_000);
  });

  test('sees its signal aborted even when it asks for it only after the time-out', async () => {
    const { registry, clock } = setUp({ limits: { toolTimeoutMs: 100, toolMaxAttempts: 1 } });
    let context: ToolContext | undefined;
    registry.register(
      tool((_input, given) => {
        context = given;
        return new Promise(() => {});
      }),
    );
    const pending = registry.execute(call);
    await clock.advance(1_000);
    await pending;
    expect(context?.signal.aborted).toBe(true);
  });

  test('is given up at once when the caller no longer wants it', async () => {
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
    ['returns a BigInt inside', () => ({ n: 1n })],
    ['returns a function inside', () => ({ f() {} })],
    ['returns a symbol inside', () => ({ s: Symbol('x') })],
    ['returns NaN inside', () => ({ n: Number.NaN })],
    ['returns a cycle', () => cyclic],
    ['returns something huge', () => ({ text: 'x'.repeat(100_000_000) })],
    ['returns something huge in UTF-8 only', () => ({ text: '€'.repeat(400_000) })],
    [
      'returns a class instance',
      () =>
        new (class Thing {
          a = 1;
        })(),
    ],
  ])('and %s is a failed call, not a crash', async (_name, misbehave) => {
    const { registry, clock, told } = setUp();
    registry.register(tool(misbehave as Tool['execute']));
    const pending = registry.execute(call);
    await clock.advance(60_000);
    const outcome = await pending;
    expect(outcome.status).toBe('error');
    expect(outcome.output).toBeNull();
    expect(outcome.error).toBeTruthy();
    expect(JSON.stringify(told.events)).not.toContain('secret');
  });

  test('is not asked again for an output that is no JSON object', async () => {
    const { registry } = setUp();
    registry.register(tool((() => [1]) as never));
    expect(await registry.execute(call)).toMatchObject({
      attempts: 1,
      error: "the tool's output is not an object",
    });
  });

  test('cannot change what it was given, nor what it gave', async () => {
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

describe('registering a tool', () => {
  test('refuses a name that is taken', () => {
    const { registry } = setUp();
    registry.register(tool(() => ({})));
    expect(() => registry.register(tool(() => ({})))).toThrow('the tool "probe" is already registered');
  });

  test.each(['', 'a b', 'ä', 'x'.repeat(65), 'a/b', '$step', 'a\nb'])('refuses the name %j', (name) => {
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
  ])('refuses a tool with %s', (fault, change) => {
    const { registry } = setUp();
    const faulty = { ...tool(() => ({})), ...change } as unknown as Tool;
    expect(() => registry.register(faulty)).toThrow(fault);
    expect(registry.has('probe')).toBe(false);
  });
});
