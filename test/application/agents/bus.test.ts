import { describe, expect, test } from 'vitest';
import { createAgentBus } from '../../../src/application/agents/bus.ts';
import { createAgentRegistry } from '../../../src/application/agents/registry.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import { noMessage } from '../../../src/domain/message/call-context.ts';
import type { AgentMessage } from '../../../src/domain/routing/routing.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Agent, AgentContext } from '../../../src/ports/agent.ts';
import { settle } from '../../support/fake-clock.ts';
import { misbehavingAgents, SECRET } from '../../support/misbehaving-agents.ts';
import { testPorts } from '../../support/ports.ts';

function setUp(...agents: Agent[]) {
  const { ports, clock, logger } = testPorts();
  const registry = createAgentRegistry();
  for (const agent of agents) registry.register(agent);
  return { clock, logger, registry, bus: createAgentBus(ports, registry, defaultLimits) };
}

function agent(name: string, handle: Agent['handle']): Agent {
  return { name, description: `the agent ${name}`, handle };
}

const sender = 'test';

describe('a message on the bus', () => {
  test('reaches its recipient with an id, its sender, its payload and its time', async () => {
    const received: AgentMessage[] = [];
    const { bus } = setUp(
      agent('probe', (message) => {
        received.push(message);
        return { done: true };
      }),
    );
    const outcome = await bus.send('probe', { a: 1 }, { sender });
    expect(outcome).toEqual({ status: 'completed', output: { done: true }, error: null, durationMs: 0 });
    expect(received).toEqual([
      {
        id: '00000000-0000-7000-8000-000000000001',
        sender: 'test',
        recipient: 'probe',
        payload: { a: 1 },
        created_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  test('has the id that its sender chose', async () => {
    const { bus } = setUp(agent('probe', ({ id }) => ({ id })));
    expect(await bus.send('probe', {}, { sender, id: 'task-1' })).toMatchObject({ output: { id: 'task-1' } });
  });

  test('tells its recipient, and those that it asks, which customer message it serves', async () => {
    const contexts: AgentContext[] = [];
    const { bus } = setUp(
      agent('outer', (_message, given) => {
        contexts.push(given);
        return given.route('inner', {});
      }),
      agent('inner', (_message, given) => {
        contexts.push(given);
        return {};
      }),
    );
    const context = { ...noMessage, customerId: 'customer-1', traceId: 'trace-1', metadata: { a: 'b' } };
    await bus.send('outer', {}, { sender, context });
    await bus.send('inner', {}, { sender });
    expect(contexts).toMatchObject([context, context, noMessage]);
  });

  test.each(['nobody', 'constructor', '__proto__', 'toString', '', 'x'.repeat(10_000), 'a"b\nc'])(
    'fails if no agent has the name %j',
    async (name) => {
      const { bus } = setUp();
      const outcome = await bus.send(name, {}, { sender });
      expect(outcome).toMatchObject({ status: 'failed', output: null });
      expect(outcome.error).toMatch(/^no agent ".{0,70}" is registered$/);
    },
  );

  test('has the duration of its agent', async () => {
    const { bus, clock } = setUp(
      agent('slow', () => new Promise((resolve) => clock.after(40, () => resolve({ done: true })))),
    );
    const pending = bus.send('slow', {}, { sender });
    await clock.advance(40);
    expect(await pending).toMatchObject({ status: 'completed', durationMs: 40 });
    expect(clock.pending()).toBe(0);
  });

  test('fails when its sender aborts, and the signal of the agent is aborted', async () => {
    let received: AbortSignal | undefined;
    const { bus, clock } = setUp(
      agent('slow', (_message, { signal }) => {
        received = signal;
        return new Promise(() => {});
      }),
    );
    const controller = new AbortController();
    const pending = bus.send('slow', {}, { sender, signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ status: 'failed', error: 'interrupted' });
    expect(received?.aborted).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  test('does not reach the agent if its sender has aborted before', async () => {
    let called = false;
    const { bus } = setUp(
      agent('probe', () => {
        called = true;
        return {};
      }),
    );
    const outcome = await bus.send('probe', {}, { sender, signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ status: 'failed', error: 'interrupted' });
    expect(called).toBe(false);
  });

  test('shares neither its payload nor its reply with the agent', async () => {
    const kept: { list: number[] } = { list: [1] };
    const { bus } = setUp(
      agent('writer', ({ payload }) => {
        Object.assign(payload, { written: true });
        Object.assign(payload['inner'] ?? {}, { written: true });
        return kept;
      }),
    );
    const payload: JsonObject = { inner: { a: 1 } };
    const outcome = await bus.send('writer', payload, { sender });
    kept.list.push(2);
    expect(payload).toEqual({ inner: { a: 1 } });
    expect(outcome.output).toEqual({ list: [1] });
  });

  test('fails if its payload is larger than 1 MiB', async () => {
    const { bus } = setUp(agent('probe', () => ({})));
    const outcome = await bus.send('probe', { text: 'x'.repeat(2 ** 20) }, { sender });
    expect(outcome.error).toBe('the payload of agent "probe" is larger than 1048576 bytes of JSON');
  });

  test('has an error of at most 500 characters', async () => {
    const { bus } = setUp(
      agent('wordy', () => {
        throw new ToolError('x'.repeat(10_000));
      }),
    );
    expect((await bus.send('wordy', {}, { sender })).error).toHaveLength(500);
  });
});

describe('an agent that misbehaves', () => {
  test.each(misbehavingAgents)(
    'and $behavior fails its message with an error that says so',
    async ({ agent, error, hangs }) => {
      const { bus, clock, logger } = setUp(agent);
      const pending = bus.send('rogue', {}, { sender });
      await settle();
      expect(clock.pending()).toBe(hangs ? 1 : 0);
      if (hangs) await clock.advance(defaultLimits.agentTimeoutMs);
      const outcome = await pending;
      expect(outcome).toMatchObject({ status: 'failed', output: null, error });
      expect(JSON.stringify(outcome)).not.toContain(SECRET);
      expect(clock.pending()).toBe(0);
      const warnings = logger.lines.filter(({ level }) => level === 'warn');
      expect(warnings.at(-1)).toMatchObject({ agent_name: 'rogue', reason: error });
      await settle();
    },
  );

  test('is logged with the error that it threw', async () => {
    const thrown = new Error(SECRET);
    const { bus, logger } = setUp(
      agent('rogue', () => {
        throw thrown;
      }),
    );
    await bus.send('rogue', {}, { sender });
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'agent failed',
        agent_name: 'rogue',
        sender: 'test',
        reason: 'agent "rogue" failed unexpectedly',
        err: thrown,
      },
    ]);
  });
});

describe('an agent that calls other agents', () => {
  test('gets the reply of the other agent, and is the sender of the message', async () => {
    const { bus } = setUp(
      agent('first', async (_message, { route }) => ({ got: await route('second', { n: 1 }) })),
      agent('second', ({ sender, payload }) => ({ sender, payload })),
    );
    const outcome = await bus.send('first', {}, { sender });
    expect(outcome.output).toEqual({ got: { sender: 'first', payload: { n: 1 } } });
  });

  test('can continue when the other one fails', async () => {
    const { bus } = setUp(
      agent('first', async (_message, { route }) => {
        try {
          return await route('second', {});
        } catch (error) {
          return { caught: error instanceof ToolError ? error.message : 'something else' };
        }
      }),
      agent('second', () => {
        throw new Error(SECRET);
      }),
    );
    expect((await bus.send('first', {}, { sender })).output).toEqual({
      caught: 'agent "second" failed unexpectedly',
    });
  });

  test('is stopped at a depth of 8 calls', async () => {
    let calls = 0;
    const next = (to: string) => (_message: AgentMessage, context: AgentContext) => {
      calls += 1;
      return context.route(to, {});
    };
    const { bus } = setUp(agent('a', next('b')), agent('b', next('a')));
    const outcome = await bus.send('a', {}, { sender });
    expect(outcome.error).toBe('stopped before agent "a": agents may call each other at most 8 levels deep');
    expect(calls).toBe(8);
  });

  test('is interrupted together with the agents that it called', async () => {
    const signals: AbortSignal[] = [];
    const { bus, clock } = setUp(
      agent('first', (_message, { route, signal }) => {
        signals.push(signal);
        return route('second', {});
      }),
      agent('second', (_message, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      }),
    );
    const controller = new AbortController();
    const pending = bus.send('first', {}, { sender, signal: controller.signal });
    await settle();
    controller.abort();
    expect((await pending).error).toBe('interrupted');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(clock.pending()).toBe(0);
  });

  test('sends no message after its timeout', async () => {
    let received = 0;
    const { bus, clock } = setUp(
      agent('first', async (_message, { route, signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return route('second', {});
      }),
      agent('second', () => {
        received += 1;
        return {};
      }),
    );
    const pending = bus.send('first', {}, { sender });
    await clock.advance(defaultLimits.agentTimeoutMs);
    await pending;
    await settle();
    expect(received).toBe(0);
  });
});

describe('the agent registry', () => {
  test('lists agents in the order of their registration', () => {
    const { registry } = setUp(
      agent('b', () => ({})),
      agent('a', () => ({})),
    );
    expect(registry.list().map(({ name }) => name)).toEqual(['b', 'a']);
    expect([registry.has('a'), registry.has('c'), registry.has('constructor')]).toEqual([true, false, false]);
  });

  test('rejects a name that is registered already', () => {
    const { registry } = setUp(agent('a', () => ({})));
    expect(() => registry.register(agent('a', () => ({})))).toThrow('the agent "a" is already registered');
  });

  test.each([
    ['without a name', { name: undefined }, 'must be 1 to 64 letters'],
    ['with an empty name', { name: '' }, 'must be 1 to 64 letters'],
    ['with a space in its name', { name: 'a b' }, 'must be 1 to 64 letters'],
    ['with a name that is too long', { name: 'a'.repeat(65) }, 'must be 1 to 64 letters'],
    ['without a description', { description: undefined }, 'has no description'],
    ['without a handle function', { handle: {} }, 'has no handle function'],
    ['with a string as its keywords', { keywords: 'refund' }, 'has keywords that are not a list of words'],
    [
      'with another effect',
      { effect: 'none' },
      'has an unknown effect: expected one of read, idempotent, write',
    ],
    ['with a text as its input schema', { inputSchema: 'any' }, 'has an input schema that is not an object'],
    ['with a list as its input schema', { inputSchema: [] }, 'has an input schema that is not an object'],
    ['with numbers as its keywords', { keywords: [1] }, 'has keywords that are not a list of words'],
  ])('rejects an agent %s', (_, changes, text) => {
    const { registry } = setUp();
    const invalid = { ...agent('probe', () => ({})), ...changes } as never;
    expect(() => registry.register(invalid)).toThrow(text);
    expect(registry.list()).toEqual([]);
  });
});
