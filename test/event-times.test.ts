import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHttpApp } from '../src/adapters/http/app.ts';
import { systemClock } from '../src/adapters/shared/system.ts';
import { startCores } from './support/workflow/store-cores.ts';

type WireRecord = Readonly<Record<string, unknown>>;

interface WireEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly data: Readonly<Record<string, unknown>>;
}

/** A clock on which time passes with each look at it, so that two looks never have one time. */
function movingClock() {
  let looks = 0;
  return { ...systemClock, now: () => systemClock.now() + looks++ };
}

const closing: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
});

async function startApps(store: 'memory' | 'sqlite' | 'redis') {
  const cores = await startCores(store, {}, { clock: movingClock() });
  closing.push(cores.close);
  const apps = cores.cores.map((orchestrator) => createHttpApp({ orchestrator }));
  const core = cores.cores[0] ?? expect.fail();
  const app = apps[0] ?? expect.fail();
  core.tools.register({
    name: 'lookup',
    description: '',
    effect: 'read',
    input: z.object({}),
    execute: async () => ({}),
  });
  core.agents.register({ name: 'echo', description: '', handle: async ({ payload }) => payload });

  async function send(path: string, body: unknown): Promise<WireRecord> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
    return (await response.json()) as WireRecord;
  }

  async function read(path: string): Promise<WireRecord> {
    const response = await app.request(path);
    expect(response.status).toBe(200);
    return (await response.json()) as WireRecord;
  }

  /** The events of a record in its log, once they are the same in its stream and in the feed of each replica. */
  async function eventsEverywhere(path: string, id: string): Promise<readonly WireEvent[]> {
    const { events } = (await read(`${path}?limit=200`)) as unknown as {
      readonly events: readonly WireEvent[];
    };
    expect(events.length).toBeGreaterThan(2);
    const streamed = await (await app.request(path, { headers: { Accept: 'text/event-stream' } })).text();
    const frames = Array.from(streamed.matchAll(/^data: (.*"seq".*)$/gm), ([, json = '']) =>
      JSON.parse(json),
    );
    expect(frames).toEqual(events);
    for (const replica of apps) {
      await expect.poll(() => feedOf(replica, id)).toEqual(events);
    }
    return events;
  }

  return { send, read, eventsEverywhere, feedOf: (id: string) => feedOf(app, id) };
}

async function feedOf(app: Pick<ReturnType<typeof createHttpApp>, 'request'>, id: string) {
  const response = await app.request('/events?limit=200');
  const { events } = (await response.json()) as { readonly events: readonly WireEvent[] };
  const own = events.filter(({ subject }) => subject.id === id);
  return own.toSorted((one, other) => one.seq - other.seq);
}

describe.each(['memory', 'sqlite', 'redis'] as const)('the time of an event in %s', (store) => {
  const started = startApps(store);

  test('is the same in the log, the stream and the feed of a message that is escalated', async () => {
    const { send, read, eventsEverywhere } = await started;
    const message = { customer_id: 'c', message: 'I will sue you over order A-1234.' };
    const { trace_id } = await send('/messages', message);
    const events = await eventsEverywhere(`/trace/${trace_id}/events`, String(trace_id));
    expect(events.map(({ type }) => type)).toContain('message.escalated');
    const { created_at, completed_at } = await read(`/trace/${trace_id}`);
    expect([events[0]?.at, events.at(-1)?.at]).toEqual([created_at, completed_at]);
  });

  test('is the same in the log, the stream and the feed of a run', async () => {
    const { send, eventsEverywhere } = await started;
    const steps = [
      { id: 'a', tool_name: 'lookup' },
      { id: 'b', tool_name: 'lookup', depends_on: ['a'] },
    ];
    const { id } = await send('/workflows', { name: 'w', steps });
    const { execution_id } = await send(`/workflows/${id}/run`, {});
    await eventsEverywhere(`/workflows/${id}/runs/${execution_id}/events`, String(execution_id));
  });

  test('is the same in the log, the stream and the feed of a goal', async () => {
    const { send, read, eventsEverywhere } = await started;
    const subtasks = ['echo', 'nobody', 'echo'].map((agent_name) => ({ agent_name, payload: {} }));
    const { routing_id } = await send('/agents/route', { goal: 'look', subtasks });
    const events = await eventsEverywhere(`/agents/routes/${routing_id}/events`, String(routing_id));
    const { created_at, completed_at } = await read(`/agents/routes/${routing_id}`);
    expect([events[0]?.at, events.at(-1)?.at]).toEqual([created_at, completed_at]);
  });

  test('is that of the record for an item of the inbox and for a workflow', async () => {
    const { send, read, feedOf } = await started;
    const message = { customer_id: 'd', message: 'I will sue you over order A-1234.' };
    const { trace_id } = await send('/messages', message);
    const itemId = String((await read(`/trace/${trace_id}`))['item_id']);
    const { id } = await send('/workflows', { name: 'w', steps: [{ id: 'a', tool_name: 'lookup' }] });
    await send(`/inbox/${itemId}/resolve`, { by: 'ann', outcome: 'answered', reply: 'We call you.' });
    await expect.poll(async () => (await feedOf(itemId)).length).toBe(2);
    const item = await read(`/inbox/${itemId}`);
    expect((await feedOf(itemId)).map(({ at }) => at)).toEqual([item['opened_at'], item['resolved_at']]);
    const workflow = await read(`/workflows/${id}`);
    expect((await feedOf(String(id))).map(({ at }) => at)).toEqual([workflow['created_at']]);
  });
});
