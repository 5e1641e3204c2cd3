import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf } from '../../../support/http/app.ts';
import { createPeopleApp, itemAt, send } from '../../../support/http/people.ts';

const at = '2026-01-01T00:00:00.000Z';

describe('GET /conversations/{id}', () => {
  test('has what was said, the oldest first', async () => {
    const app = createTestApp();
    const { trace_id } = await send(app, { conversation_id: 'thread-7' });
    const shared = { at, trace_id, disposition: 'answered', item_id: null };
    expect(await jsonOf(await app.request('/conversations/thread-7'))).toEqual({
      conversation_id: 'thread-7',
      customer_id: 'ann',
      open_item_id: null,
      entries: [
        { from: 'customer', text: 'I want to talk to somebody', ...shared },
        { from: 'service', text: 'We have refunded you.', ...shared },
      ],
      created_at: at,
      updated_at: at,
    });
  });

  test.each([
    'a/b',
    '../secret',
    'a b&c=d?e#f',
    '100%',
    '%2F',
    '100%41',
    'Grüße 👋🏽',
    '\u0000\r\n\u2028',
    '+49 170',
    '__proto__',
    'a/',
    '*',
    ':id',
    'next',
    '😀'.repeat(128),
  ])('takes any id, percent-encoded: %j', async (id) => {
    const app = createTestApp();
    await send(app, { conversation_id: id });
    const path = `/conversations/${encodeURIComponent(id)}`;
    expect(await jsonOf(await app.request(path))).toMatchObject({ conversation_id: id });
    expect((await app.request(path, { method: 'DELETE' })).status).toBe(204);
    await expectError(await app.request(path), 404);
  });

  test('is 404 where nothing was said', async () => {
    const { request } = createTestApp();
    await expectError(await request('/conversations/nobody'), 404, 'conversation "nobody" not found');
    await expectError(await request('/conversations/%zz'), 404);
    await expectError(await request('/conversations/'), 404);
  });
});

describe('a message of a conversation', () => {
  test('is 409 for another customer, alone and in a batch, before anything is done', async () => {
    const app = createTestApp();
    await send(app, { conversation_id: 'c' });
    const foreign = { customer_id: 'bob', message: 'hello', conversation_id: 'c' };
    const detail = 'conversation_id: "c" is a conversation of another customer';
    await expectError(await app.post('/messages', foreign), 409, detail);
    const own = { ...foreign, customer_id: 'ann' };
    await expectError(await app.post('/messages/batch', { messages: [own, foreign] }), 409, detail);
    expect(await jsonOf(await app.request('/trace'))).toMatchObject({ total: 1 });
    const { entries } = await jsonOf<{ entries: object[] }>(await app.request('/conversations/c'));
    expect(entries).toHaveLength(2);
  });

  test('joins the item through which a person holds it, and is answered by nobody else', async () => {
    const app = createPeopleApp();
    const first = await send(app, { conversation_id: 'c' });
    const second = await send(app, { conversation_id: 'c', message: 'Are you there?' });
    expect(second).toMatchObject({ disposition: 'escalated', item_id: first.item_id });
    expect(await itemAt(app, first.item_id)).toMatchObject({ version: 2 });
    expect(await jsonOf(await app.request('/inbox'))).toMatchObject({ counts: { open: 1 } });
  });
});

describe('a draft', () => {
  const answers = { verdict: { escalated: false, reasons: [] }, reply: 'We refund you.' };

  test('is the response, and an item of the inbox, and not escalated', async () => {
    const app = createPeopleApp(answers);
    const sent = await send(app, { draft: true, conversation_id: 'c' });
    expect(sent).toMatchObject({
      escalated: false,
      disposition: 'draft',
      response: 'We refund you.',
      item_id: expect.stringMatching(/./),
    });
    expect(await itemAt(app, sent.item_id)).toMatchObject({ kind: 'draft', draft: 'We refund you.' });
    const trace = await jsonOf(await app.request(`/trace/${sent.trace_id}`));
    expect(trace).toMatchObject({ disposition: 'draft', escalated: false, item_id: sent.item_id });
    const { entries } = await jsonOf<{ entries: object[] }>(await app.request('/conversations/c'));
    expect(entries).toMatchObject([{ from: 'customer', disposition: 'draft', item_id: sent.item_id }]);
  });

  test('is possible for each message of a batch', async () => {
    const { post } = createPeopleApp(answers);
    const message = { customer_id: 'ann', message: 'hello' };
    const messages = [message, { ...message, draft: true }, { ...message, draft: false }];
    const { results } = await jsonOf<{ results: object[] }>(await post('/messages/batch', { messages }));
    expect(results).toMatchObject([
      { disposition: 'answered', item_id: null },
      { disposition: 'draft', item_id: expect.stringMatching(/./) },
      { disposition: 'answered', item_id: null },
    ]);
  });

  test.each(['true', 1, null, {}])('is not wanted by %j, which is 422', async (draft) => {
    const { post } = createPeopleApp(answers);
    const message = { customer_id: 'ann', message: 'hello', draft };
    await expectError(await post('/messages', message), 422, 'draft: must be true or false');
    await expectError(
      await post('/messages/batch', { messages: [message] }),
      422,
      'messages.0.draft: must be true or false',
    );
  });

  test('is repeated by an idempotency key, with the same item', async () => {
    const app = createPeopleApp(answers);
    const message = { customer_id: 'ann', message: 'hello', draft: true };
    const headers = { 'Idempotency-Key': 'once' };
    const first = await jsonOf(await app.post('/messages', message, headers));
    const again = await app.post('/messages', message, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await jsonOf(again)).toEqual(first);
    expect(await jsonOf(await app.request('/inbox'))).toMatchObject({ counts: { open: 1 } });
  });
});
