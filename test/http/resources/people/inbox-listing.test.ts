import { describe, expect, test } from 'vitest';
import { caseSchema } from '../../../../src/adapters/http/resources/inbox-schemas.ts';
import { expectError, jsonOf, type TestApp } from '../../../support/http/app.ts';
import { createPeopleApp, type InboxBody, itemAt, send, stepItem } from '../../../support/http/people.ts';

const pageAt = async (app: TestApp, query = '') => jsonOf<InboxBody>(await app.request(`/inbox${query}`));

/** Three escalations and a draft, each a minute after the one before, and an approval of priority 2. */
async function filledApp() {
  const app = createPeopleApp();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    ids.push((await send(app, { message: `message ${n}`, customer_id: `customer-${n}` })).item_id);
    await app.clock.advance(60_000);
  }
  await app.ports.inbox.create(stepItem());
  return { app, ids: [...ids, 'step-1'] };
}

describe('GET /inbox', () => {
  test('has what waits, the most urgent first, with the counts of all', async () => {
    const { app, ids } = await filledApp();
    const page = await pageAt(app);
    expect(page).toEqual({
      items: expect.any(Array),
      limit: 50,
      next_cursor: null,
      counts: {
        open: 4,
        claimed: 0,
        overdue: 0,
        kinds: { escalation: 3, draft: 0, approval: 1, recovery: 0 },
      },
    });
    expect(page.items.map(({ item_id }) => item_id)).toEqual(['step-1', ...ids.slice(0, 3)]);
  });

  test('shows every member of an item', async () => {
    const app = createPeopleApp({ reply: 'A colleague will answer.' });
    const { trace_id, item_id } = await send(app, { subject: 'My blender', conversation_id: 'thread-7' });
    const { items } = await pageAt(app);
    expect(items).toEqual([
      {
        item_id,
        kind: 'escalation',
        status: 'open',
        priority: 3,
        title: 'My blender',
        reasons: ['human_requested'],
        subject: { kind: 'message', id: trace_id },
        customer_id: 'ann',
        conversation_id: 'thread-7',
        excerpt: 'I want to talk to somebody',
        draft: null,
        assignee: null,
        claimed_until: null,
        opened_at: '2026-01-01T00:00:00.000Z',
        due_at: expect.stringMatching(/Z$/),
        resolved_at: null,
        resolution: null,
        payload: null,
        response_schema: null,
        notes: [],
        version: 1,
      },
    ]);
  });

  test.each([
    ['?status=open', 4],
    ['?status=open,claimed', 4],
    ['?status=claimed', 0],
    ['?status=resolved,expired,withdrawn', 0],
    ['?kind=approval', 1],
    ['?kind=escalation%2Cdraft', 3],
    ['?priority=2', 1],
    ['?priority=1,3', 3],
    ['?assignee=maria', 0],
    ['?assignee=', 0],
    ['?overdue=true', 0],
    ['?overdue=false', 4],
    ['?kind=escalation&priority=2', 0],
    ['?customer_id=x&Kind=x&constructor=1', 4],
  ])('lists what fits %s', async (query, count) => {
    const { app } = await filledApp();
    const { items, counts } = await pageAt(app, query);
    expect([items.length, counts.open]).toEqual([count, 4]);
  });

  test('counts and lists claimed and overdue items', async () => {
    const { app, ids } = await filledApp();
    await app.post(`/inbox/${ids[2]}/claim`, { by: 'maria' });
    await app.clock.advance(24 * 60 * 60 * 1_000);
    await app.post(`/inbox/${ids[1]}/claim`, { by: 'tom' });
    const page = await pageAt(app);
    // The claim of the first person has lapsed meanwhile.
    expect(page.counts).toMatchObject({ open: 3, claimed: 1, overdue: 3 });
    expect(page.items.at(-1)?.item_id).toBe('step-1');
    expect((await pageAt(app, '?overdue=true&assignee=tom')).items).toMatchObject([{ item_id: ids[1] }]);
  });

  test('leads through all items by links, each once', async () => {
    const { app, ids } = await filledApp();
    const seen: string[] = [];
    let next: string | undefined = '/inbox?limit=1&overdue=false';
    while (next !== undefined) {
      const response: Response = await app.request(next);
      const { items, next_cursor } = await jsonOf<InboxBody>(response);
      seen.push(...items.map(({ item_id }) => item_id));
      const link: string | undefined = /^<([^<>]*)>; rel="next"$/.exec(
        response.headers.get('link') ?? '',
      )?.[1];
      expect(new URLSearchParams(link?.split('?')[1]).get('cursor')).toBe(next_cursor);
      next = link;
    }
    expect(seen).toEqual(['step-1', ...ids.slice(0, 3)]);
  });

  const cursor = 'cursor: must be the next_cursor of a page';
  test.each([
    [
      'status=done',
      'status: must be one or more of open, claimed, resolved, expired, withdrawn, separated by commas',
    ],
    [
      'status=',
      'status: must be one or more of open, claimed, resolved, expired, withdrawn, separated by commas',
    ],
    [
      'kind=message',
      'kind: must be one or more of escalation, draft, approval, recovery, separated by commas',
    ],
    ['priority=0', 'priority: must be one or more of 1, 2, 3, 4, 5, separated by commas'],
    ['priority=1,6', 'priority: must be one or more of 1, 2, 3, 4, 5, separated by commas'],
    ['priority=1.0', 'priority: must be one or more of 1, 2, 3, 4, 5, separated by commas'],
    ['assignee=a&assignee=b', 'assignee: must be given once'],
    ['overdue=yes', 'overdue: must be true or false'],
    ['limit=0', 'limit: must be from 1 to 200'],
    ['limit=201', 'limit: must be from 1 to 200'],
    ['cursor=', cursor],
    ['cursor=12', cursor],
    ['cursor=%00', cursor],
    [`cursor=${Buffer.from('1:').toString('base64url')}`, cursor],
    [`cursor=${Buffer.from('-1:a').toString('base64url')}`, cursor],
    [`cursor=${Buffer.from('01:a').toString('base64url')}`, cursor],
    [`cursor=${Buffer.from('1.5:a').toString('base64url')}`, cursor],
    [`cursor=${Buffer.from('9999999999999999:a').toString('base64url')}`, cursor],
    [`cursor=${Buffer.from('1:a').toString('base64url')}%3D`, cursor],
    [`cursor=${'A'.repeat(5_000)}`, cursor],
    ['cursor=MTph&cursor=MTph', 'cursor: must be given once'],
  ])('rejects %s', async (query, detail) => {
    await expectError(await createPeopleApp().request(`/inbox?${query}`), 422, detail);
  });
});

describe('GET /inbox/{id}', () => {
  test('is the item with its trace and its conversation, and its version as tag', async () => {
    const app = createPeopleApp();
    const { trace_id, item_id } = await send(app, { conversation_id: 'thread-7' });
    const response = await app.request(`/inbox/${item_id}`);
    expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([
      '"1"',
      'no-store',
    ]);
    const { trace, conversation, ...item } = await jsonOf(response);
    expect((await pageAt(app)).items).toEqual([item]);
    expect(trace).toEqual(await jsonOf(await app.request(`/trace/${trace_id}`)));
    expect(conversation).toEqual(await jsonOf(await app.request('/conversations/thread-7')));
    expect(conversation).toMatchObject({ open_item_id: item_id, entries: [{ trace_id }, { trace_id }] });
  });

  test('has no conversation where the message has none, and no execution', async () => {
    const app = createPeopleApp();
    const item = await itemAt(app, (await send(app)).item_id);
    expect(item).toMatchObject({ conversation: null, trace: { status: 'COMPLETED' } });
    expect(item).not.toHaveProperty('execution');
  });

  test('has the execution of a step, and only that', async () => {
    const app = createPeopleApp();
    const steps = [{ id: 'approve', tool_name: 'lookup' }];
    const { id } = await jsonOf(await app.post('/workflows', { name: 'n', steps }));
    const execution = await jsonOf<{ execution_id: string }>(await app.post(`/workflows/${id}/run`, {}));
    const subject = { kind: 'execution', id: execution.execution_id, stepId: 'approve' } as const;
    await app.ports.inbox.create(stepItem({ subject }));
    const item = await itemAt(app, 'step-1');
    expect(item).toMatchObject({
      subject: { kind: 'execution', id: execution.execution_id, step_id: 'approve' },
      execution,
      payload: { amount: 900 },
      response_schema: { type: 'object' },
    });
    expect(item).not.toHaveProperty('trace');
    expect(item).not.toHaveProperty('conversation');
    expect(caseSchema.safeParse(item).error).toBeUndefined();
  });

  test('has null for an execution and a trace that are gone', async () => {
    const app = createPeopleApp();
    await app.ports.inbox.create(stepItem());
    expect(await itemAt(app, 'step-1')).toMatchObject({ execution: null });
    const { item_id, trace_id } = await send(app);
    await app.ports.traces.delete(trace_id);
    expect(await itemAt(app, item_id)).toMatchObject({ trace: null, conversation: null });
  });

  test.each(['nobody', '__proto__', 'a%2Fb', '%25'])('is 404 for %s', async (id) => {
    const response = await createPeopleApp().request(`/inbox/${id}`);
    await expectError(response, 404, `inbox item "${decodeURIComponent(id)}" not found`);
  });
});

describe('what happens to items', () => {
  test('is told in the feed, with who did it', async () => {
    const app = createPeopleApp();
    const { item_id } = await send(app);
    await app.post(`/inbox/${item_id}/claim`, { by: 'maria' });
    await app.post(`/inbox/${item_id}/notes`, { by: 'tom', note: 'private' });
    await app.post(`/inbox/${item_id}/resolve`, { by: 'maria', outcome: 'answered', response: 'private' });
    const feed = await (await app.request('/events?kind=inbox')).text();
    const subject = { kind: 'inbox', id: item_id };
    const item_kind = 'escalation';
    expect(JSON.parse(feed)).toMatchObject({
      events: [
        { seq: 3, type: 'inbox.resolved', subject, data: { item_kind, by: 'maria', outcome: 'answered' } },
        { seq: 2, type: 'inbox.claimed', subject, data: { item_kind, by: 'maria' } },
        { seq: 1, type: 'inbox.opened', subject, data: { item_kind, by: 'service' } },
      ],
    });
    expect(feed).not.toContain('private');
  });
});
