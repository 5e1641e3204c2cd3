import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../../src/domain/errors.ts';
import { expectError, jsonOf } from '../../../support/http/app.ts';
import { createPeopleApp, itemAt, send } from '../../../support/http/people.ts';

const remove = { method: 'DELETE' };
const secret = 'canary-5e1f';

/** An app in which a customer has an example, an item that waits, a conversation and a plain trace. */
async function filledApp() {
  const app = createPeopleApp();
  const decided = await send(app, { message: `${secret} one` });
  const decision = { outcome: 'answered', by: 'maria', response: `${secret} reply`, note: secret };
  await app.post(`/inbox/${decided.item_id}/resolve`, decision);
  const waiting = await send(app, { message: `${secret} two`, conversation_id: 'c', subject: secret });
  await app.post(`/inbox/${waiting.item_id}/notes`, { by: 'maria', note: secret });
  const other = await send(app, { customer_id: 'bob', message: 'mine stays', conversation_id: 'bobs' });
  /** Everything that can be read about customers. */
  const everything = async (): Promise<string> => {
    const statuses = 'open,claimed,resolved,expired,withdrawn';
    const paths = ['/trace', `/inbox?status=${statuses}`, '/conversations/c', '/datasets/inbox/examples'];
    const items = [decided, waiting].flatMap(({ item_id, trace_id }) => [
      `/inbox/${item_id}`,
      `/trace/${trace_id}`,
    ]);
    const texts = await Promise.all([...paths, ...items].map(async (at) => (await app.request(at)).text()));
    return texts.join('\n');
  };
  return { ...app, app, decided, waiting, other, everything };
}

describe('POST /erase', () => {
  test('deletes everything of a customer, and nothing of others', async () => {
    const { app, post, request, everything, waiting, other } = await filledApp();
    expect(await everything()).toContain(secret);
    const response = await post('/erase', { customer_id: 'ann' });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual({
      traces: 2,
      conversations: 1,
      inbox_items: 2,
      examples: 1,
      runs: 0,
      routes: 0,
    });
    expect(await everything()).not.toContain(secret);
    await expectError(await request('/conversations/c'), 404);
    expect(await itemAt(app, waiting.item_id)).toMatchObject({
      status: 'withdrawn',
      customer_id: null,
      excerpt: null,
      notes: [],
      resolution: null,
      trace: null,
    });
    expect(await jsonOf(await request('/trace'))).toMatchObject({ total: 1 });
    expect(await itemAt(app, other.item_id)).toMatchObject({ status: 'open', title: 'mine stays' });
    expect((await request('/conversations/bobs')).status).toBe(200);
  });

  test('leaves nothing of the answers to requests with an Idempotency-Key', async () => {
    const app = createPeopleApp({ reply: secret });
    const message = { customer_id: 'ann', message: 'Where is my order?' };
    const sends = [
      () => app.post('/messages', message, { 'Idempotency-Key': 'one' }),
      () => app.post('/messages/batch', { messages: [message] }, { 'Idempotency-Key': 'many' }),
    ];
    for (const sendOnce of sends) {
      const first = await (await sendOnce()).text();
      expect(first).toContain(secret);
      expect(await (await sendOnce()).text()).toBe(first);
    }
    await app.post('/erase', { customer_id: 'ann' });
    for (const sendOnce of sends) await expectError(await sendOnce(), 409, /its answer is not kept/);
    expect(await jsonOf(await app.request('/trace'))).toMatchObject({ total: 0 });
  });

  test('deletes runs and goals of the customer, with the answers that were kept of them', async () => {
    const app = createPeopleApp();
    const steps = [{ id: 'a', kind: 'agent', agent_name: 'echo', static_input: { text: '$input.text' } }];
    const created = await jsonOf<{ id: string }>(await app.post('/workflows', { name: 'w', steps }));
    const run = `/workflows/${created.id}/run`;
    const input = { text: secret };
    const goal = `Echo: ${secret}`;
    const sends = [
      () => app.post(run, { input, customer_id: 'ann' }, { 'Idempotency-Key': 'run' }),
      () => app.post('/agents/route', { goal, customer_id: 'ann' }, { 'Idempotency-Key': 'goal' }),
    ];
    for (const sendOnce of sends) {
      const first = await sendOnce();
      const text = await first.text();
      expect(JSON.parse(text)).toMatchObject({ customer_id: 'ann' });
      expect(text).toContain(secret);
      expect(await (await sendOnce()).text()).toBe(text);
    }
    const { executions } = await jsonOf<{ executions: { execution_id: string }[] }>(
      await app.request('/runs'),
    );
    const [original] = executions;
    const rerun = () =>
      app.post(
        `/runs/${original?.execution_id}/rerun`,
        { background: false },
        { 'Idempotency-Key': 'again' },
      );
    expect(await jsonOf(await rerun())).toMatchObject({ customer_id: 'ann', input });
    const others = [
      await app.post(run, { input: {}, customer_id: 'bob' }),
      await app.post(run, { input: {} }),
      await app.post('/agents/route', { goal: 'Echo: hello' }),
    ];
    const ofOthers = await Promise.all(others.map((other) => jsonOf<{ customer_id: unknown }>(other)));
    expect(ofOthers.map(({ customer_id }) => customer_id)).toEqual(['bob', null, null]);

    const erased = await jsonOf(await app.post('/erase', { customer_id: 'ann' }));
    expect(erased).toMatchObject({ runs: 2, routes: 1, traces: 0 });
    for (const sendOnce of [...sends]) await expectError(await sendOnce(), 409, /its answer is not kept/);
    await expectError(await rerun(), 409);
    expect(await jsonOf(await app.request('/agents/routes'))).toMatchObject({ total: 1 });
    const left = await jsonOf<{ executions: object[] }>(await app.request('/runs'));
    expect(left.executions).toHaveLength(2);
    expect(JSON.stringify(left)).not.toContain(secret);
  });

  test.each([
    ['/workflows/x/run', {}],
    ['/agents/route', { goal: 'g' }],
  ])('%s takes a customer by the rules of a message', async (path, body) => {
    const { post } = createPeopleApp();
    for (const [customer_id, detail] of [
      ['', 'customer_id: must not be empty'],
      [7, 'customer_id: must be a string'],
      [null, 'customer_id: must be a string'],
      ['x'.repeat(129), 'customer_id: must be at most 128 characters'],
    ]) {
      await expectError(await post(path, { ...body, customer_id }), 422, String(detail));
    }
  });

  test('is told by one log line with a hash of the id, and never the id', async () => {
    const id = `customer-${secret}`;
    const app = createPeopleApp();
    await send(app, { customer_id: id });
    app.logger.lines.length = 0;
    await app.post('/erase', { customer_id: id });
    const customer_id_sha256 = createHash('sha256').update(id).digest('hex');
    const counts = { traces: 1, conversations: 0, inbox_items: 1, examples: 0, runs: 0, routes: 0 };
    expect(app.logger.lines.filter(({ message }) => message === 'customer erased')).toEqual([
      { level: 'info', message: 'customer erased', customer_id_sha256, ...counts },
    ]);
    expect(JSON.stringify(app.logger.lines)).not.toContain(secret);
  });

  test('is no error for an unknown customer and on repeat', async () => {
    const { post } = await filledApp();
    const none = { traces: 0, conversations: 0, inbox_items: 0, examples: 0, runs: 0, routes: 0 };
    expect(await jsonOf(await post('/erase', { customer_id: 'nobody' }))).toEqual(none);
    await post('/erase', { customer_id: 'ann' });
    expect(await jsonOf(await post('/erase', { customer_id: 'ann' }))).toEqual(none);
  });

  test('is 503 while the store is away', async () => {
    const storage = {
      assertAvailable() {
        throw unavailable('the key-value store cannot be reached', 7);
      },
    };
    const { post } = createPeopleApp({}, { ports: { storage } });
    const response = await post('/erase', { customer_id: 'ann' });
    expect(response.headers.get('retry-after')).toBe('7');
    await expectError(response, 503);
  });

  test.each([
    [{}, 'customer_id: is required'],
    [{ customer_id: '' }, 'customer_id: must not be empty'],
    [{ customer_id: null }, 'customer_id: must be a string'],
    [{ customer_id: ['ann'] }, 'customer_id: must be a string'],
    [{ customer_id: 'x'.repeat(129) }, 'customer_id: must be at most 128 characters'],
    ['', 'body: must be an object'],
  ])('rejects %j', async (body, detail) => {
    const { post } = createPeopleApp();
    await expectError(await post('/erase', body), 422, detail);
  });
});

describe('DELETE /agents/routes/{routing_id}', () => {
  test('deletes a goal with its trace and the item of it', async () => {
    const app = createPeopleApp();
    const subtasks = [{ agent_name: 'support_pipeline', payload: { message: `${secret} please` } }];
    const sent = await app.post('/agents/route', { goal: secret, subtasks });
    const { routing_id, results } = await jsonOf<{
      routing_id: string;
      results: { task_id: string; output: { trace_id: string; item_id: string } }[];
    }>(sent);
    const { trace_id, item_id } = results[0]?.output ?? { trace_id: '', item_id: '' };
    expect((await app.request(`/trace/${trace_id}`)).status).toBe(200);
    const path = `/agents/routes/${routing_id}`;
    const response = await app.request(path, remove);
    expect([response.status, await response.text()]).toEqual([204, '']);
    await expectError(await app.request(path), 404);
    await expectError(await app.request(`${path}/events`), 404);
    await expectError(await app.request(path, remove), 404, `routing run "${routing_id}" not found`);
    await expectError(await app.request(`/trace/${trace_id}`), 404);
    expect(await itemAt(app, item_id)).toMatchObject({ status: 'withdrawn', excerpt: null });
  });
});

describe('DELETE /trace/{trace_id}', () => {
  test('deletes a trace with its item, its example and its entries', async () => {
    const { request, decided, waiting, everything, app } = await filledApp();
    for (const { trace_id } of [decided, waiting]) {
      const response = await request(`/trace/${trace_id}`, remove);
      expect([response.status, await response.text()]).toEqual([204, '']);
      await expectError(await request(`/trace/${trace_id}`), 404);
      await expectError(await request(`/trace/${trace_id}`, remove), 404, `trace "${trace_id}" not found`);
    }
    expect(await everything()).not.toContain(secret);
    expect(await itemAt(app, decided.item_id)).toMatchObject({ status: 'withdrawn', resolution: null });
    expect(await jsonOf(await request('/datasets'))).toMatchObject({ datasets: [{ total: 0 }] });
  });
});

describe('DELETE /conversations/{id}', () => {
  test('is told by one log line with a hash of the id, and no request tells the id', async () => {
    const id = `+49 170/${secret}`;
    const app = createPeopleApp();
    await send(app, { conversation_id: id });
    const path = `/conversations/${encodeURIComponent(id)}`;
    await app.request(path);
    await app.request(path, remove);
    await app.request(path, remove);
    const conversation_id_sha256 = createHash('sha256').update(id).digest('hex');
    expect(app.logger.lines.filter(({ message }) => message === 'conversation erased')).toEqual([
      { level: 'info', message: 'conversation erased', conversation_id_sha256 },
    ]);
    expect(app.logger.lines.at(-1)).toMatchObject({ path: '/conversations/{id}', status: 404 });
    expect(JSON.stringify(app.logger.lines)).not.toContain(secret);
  });

  test('deletes a conversation with its traces, and withdraws its item', async () => {
    const { request, waiting, decided, app } = await filledApp();
    const response = await request('/conversations/c', remove);
    expect([response.status, await response.text()]).toEqual([204, '']);
    await expectError(await request('/conversations/c', remove), 404, 'conversation "c" not found');
    await expectError(await request(`/trace/${waiting.trace_id}`), 404);
    expect(await itemAt(app, waiting.item_id)).toMatchObject({ status: 'withdrawn' });
    expect((await request(`/trace/${decided.trace_id}`)).status).toBe(200);
  });

  test('frees the id for another customer', async () => {
    const { app, request } = await filledApp();
    await request('/conversations/c', remove);
    await send(app, { customer_id: 'bob', conversation_id: 'c' });
    expect(await jsonOf(await request('/conversations/c'))).toMatchObject({ customer_id: 'bob' });
  });
});
