import { afterEach, describe, expect, test } from 'vitest';
import { eventDataSchemas, eventSchema } from '../../../src/adapters/http/events/event-schemas.ts';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import { type MessageEvent, traceEvents } from '../../../src/domain/message/message-events.ts';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';
import { openStream, readUntil } from '../../support/http/event-server.ts';
import { serviceApp } from '../../support/http/every-way.ts';
import { until } from '../../support/until.ts';

interface WireEvent {
  readonly seq: number;
  readonly type: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly data: Readonly<Record<string, unknown>>;
}

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const eventsOf = async (response: Promise<Response>) =>
  (await jsonOf<{ events: WireEvent[] }>(await response)).events;

describe('the events of a message', () => {
  test.each([
    ['I will sue you over order A-1234.', true],
    ['Where is my order A-1234?', false],
  ])('are numbered without gaps, and the same as in the feed: %j', async (message, escalated) => {
    const app = serviceApp();
    const sent = await jsonOf(await app.post('/messages', { customer_id: 'c', message }));
    const page = await jsonOf<{ events: WireEvent[]; last_seq: number; ended: boolean }>(
      await app.request(`/trace/${sent['trace_id']}/events`),
    );
    expect(page).toMatchObject({ last_seq: page.events.length, ended: true });
    expect(page.events.map(({ seq }) => seq)).toEqual(page.events.map((_, index) => index + 1));
    expect(page.events.at(-1)).toMatchObject({ type: 'message.finished', data: { escalated } });
    expect(page.events.some(({ type }) => type === 'message.escalated')).toBe(escalated);
    for (const event of page.events) {
      expect(eventSchema.safeParse(event).success).toBe(true);
      const schema = eventDataSchemas[event.type as keyof typeof eventDataSchemas];
      expect(schema.parse(event.data)).toEqual(event.data);
    }
    const feed = await eventsOf(app.request('/events?kind=message&limit=200'));
    expect(feed.toReversed()).toEqual(page.events);
    expect(JSON.stringify(page)).not.toContain(message);
  });

  test('of a trace of before 0.8, which has no numbers, are counted', async () => {
    const app = serviceApp();
    const { trace_id } = await jsonOf<{ trace_id: string }>(
      await app.post('/messages', { customer_id: 'c', message: 'I will sue you.' }),
    );
    const trace = await app.orchestrator.traces.get(trace_id);
    const timeline = trace.timeline.map(({ seq: _, ...event }) => event as MessageEvent as never);
    expect(traceEvents({ ...trace, timeline })).toEqual(traceEvents(trace));
  });

  test('can be streamed, and are 404 for an unknown message', async () => {
    const { app, post, request } = createTestApp();
    const server = await startServer({ port: 0, fetch: app.fetch });
    closing.push(() => server.close());
    const { trace_id } = await jsonOf<{ trace_id: string }>(
      await post('/messages', { customer_id: 'c', message: 'hello' }),
    );
    const url = `http://127.0.0.1:${server.port}/trace/${trace_id}/events`;
    const text = await readUntil(await openStream(url), undefined);
    expect(text).toContain('event: message.finished\n');
    expect(text.endsWith('event: stream.end\ndata: {}\n\n')).toBe(true);
    const last = Array.from(text.matchAll(/^id: (\d+)$/gm)).at(-1)?.[1] ?? '';
    expect((await openStream(url, { 'Last-Event-ID': last })).status).toBe(204);
    expect((await fetch(url, { method: 'HEAD', headers: { Accept: 'text/event-stream' } })).status).toBe(200);
    await expectError(await request('/trace/unknown/events'), 404);
    await expectError(await request('/agents/routes/unknown/events'), 404);
  });
});

test('the events of a routed goal have the order of its subtasks, as in the feed', async () => {
  const app = createTestApp();
  const subtasks = [
    { agent_name: 'echo', payload: { secret: 'payload text' } },
    { agent_name: 'nobody', payload: {} },
  ];
  const { routing_id } = await jsonOf(await app.post('/agents/route', { goal: 'goal 😀', subtasks }));
  const events = await eventsOf(app.request(`/agents/routes/${routing_id}/events`));
  expect(events.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'routing.started'],
    [2, 'subtask.completed'],
    [3, 'subtask.failed'],
    [4, 'routing.finished'],
  ]);
  expect(events[0]?.data).toEqual({ goal_length: 6, subtasks: 2 });
  expect(JSON.stringify(events)).not.toContain('payload text');
  for (const event of events) expect(eventSchema.safeParse(event).success).toBe(true);
  const feed = await eventsOf(app.request('/events?kind=routing'));
  expect(feed.toSorted((one, other) => one.seq - other.seq)).toEqual(events);
});

describe('the feed', () => {
  const definition = { name: 'n', steps: [{ id: 'a', tool_name: 'lookup' }] };

  test('lists the newest events first, page by page, by type, kind and workflow', async () => {
    const { post, request } = createTestApp();
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) {
      ids.push(String((await jsonOf(await post('/workflows', definition)))['id']));
    }
    await request(`/workflows/${ids[0]}`, { method: 'DELETE' });
    await post('/messages', { customer_id: 'c', message: 'hello' });
    const kept = await eventsOf(request('/events?kind=workflow'));
    expect(kept.map(({ type, subject }) => [type, subject.id])).toEqual([
      ['workflow.deleted', ids[0]],
      ['workflow.created', ids[2]],
      ['workflow.created', ids[1]],
      ['workflow.created', ids[0]],
    ]);
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 10; pages++) {
      const response: Response = await request(
        `/events?types=workflow.created,workflow.deleted&limit=3${cursor}`,
      );
      const page = await jsonOf<{ events: WireEvent[]; limit: number; next_cursor: string | null }>(response);
      expect(page.limit).toBe(3);
      seen.push(...page.events.map(({ subject }) => subject.id));
      expect(response.headers.get('link') !== null).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual([ids[0], ids[2], ids[1], ids[0]]);
    const ofOne = await eventsOf(request(`/events?workflow_id=${ids[0]}`));
    expect(ofOne.map(({ seq }) => seq)).toEqual([2, 1]);
  });

  test.each([
    ['types=message.finished,nothing', 'types: there is no type "nothing"'],
    ['kind=person', /^kind: must be one of/],
    ['cursor=x', 'cursor: must be the next_cursor of a page'],
    ['limit=0', /^limit: /],
  ])('is 422 for ?%s', async (query, detail) => {
    const { request } = createTestApp();
    await expectError(await request(`/events?${query}`), 422, detail);
  });

  test('streams what happens from now on, without ids, and only what the filter names', async () => {
    const { app, post, orchestrator } = createTestApp();
    const server = await startServer({ port: 0, fetch: app.fetch });
    closing.push(() => server.close());
    await post('/workflows', { ...definition, name: 'before' });
    const response = await openStream(`http://127.0.0.1:${server.port}/events?kind=workflow`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    await post('/messages', { customer_id: 'c', message: 'hello' });
    await post('/workflows', { ...definition, name: 'after' });
    const text = await readUntil(response, '"after"');
    expect(text).toMatch(/^retry: 2000\n\nevent: workflow\.created\ndata: \{"seq":1,/);
    expect(text).not.toMatch(/before|^id:|pipeline/m);
    const follower = orchestrator.events.follow();
    expect(follower.read(0, 5).items).toHaveLength(5);
    follower.close();
  });

  test('says when a reader is so slow that events are gone', async () => {
    const { app, ports } = createTestApp();
    const server = await startServer({ port: 0, fetch: app.fetch });
    closing.push(() => server.close());
    const response = await openStream(`http://127.0.0.1:${server.port}/events`);
    const subject = { kind: 'workflow', id: 'w' } as const;
    for (let seq = 1; seq <= 10_500; seq++) {
      ports.feed.publish({ seq, type: 'workflow.created', at: 0, subject, data: { name: 'n' } });
    }
    const text = await readUntil(response, '"seq":10500,');
    expect(text).toContain('event: stream.gap\ndata: {}\n\n');
    await until('it is read', () => text.length > 0);
  });
});
