import { expect, test } from 'vitest';
import { expectError, jsonOf } from '../../../support/http/app.ts';
import { createPeopleApp } from '../../../support/http/people.ts';

const createApp = () => createPeopleApp({}, { options: { inbox: false } });

test.each([
  ['GET', '/inbox'],
  ['GET', '/inbox?status=nonsense'],
  ['GET', '/inbox/some-id'],
  ['POST', '/inbox/next'],
  ['POST', '/inbox/some-id/claim'],
  ['POST', '/inbox/some-id/release'],
  ['POST', '/inbox/some-id/assign'],
  ['POST', '/inbox/some-id/notes'],
  ['POST', '/inbox/some-id/resolve'],
  ['DELETE', '/inbox/some-id'],
  ['GET', '/inbox/some-id/unknown'],
])('while the inbox is off, %s %s is 404', async (method, path) => {
  await expectError(await createApp().request(path, { method }), 404, 'the inbox is off');
});

test('while the inbox is off, an API key is needed all the same', async () => {
  const app = createPeopleApp({}, { options: { inbox: false }, http: { apiKeys: ['key'] } });
  await expectError(await app.request('/inbox'), 401);
});

test('while the inbox is off, an escalated message has no item, and a draft is rejected', async () => {
  const { post, request } = createApp();
  const message = { customer_id: 'ann', message: 'Where is it?' };
  const sent = await jsonOf(await post('/messages', message));
  expect(sent).toMatchObject({ disposition: 'escalated', item_id: null });
  expect(await jsonOf(await request(`/trace/${sent['trace_id']}`))).toMatchObject({ item_id: null });
  const draft = { ...message, draft: true };
  const detail = 'draft: nobody could see it, because the inbox is off';
  await expectError(await post('/messages', draft), 422, detail);
  await expectError(await post('/messages/batch', { messages: [message, draft] }), 422, detail);
  expect(await jsonOf(await post('/messages', { ...message, draft: false }))).toMatchObject({
    item_id: null,
  });
});

test('while the inbox is off, datasets, conversations and the erasure are there', async () => {
  const { post, request } = createApp();
  await post('/messages', { customer_id: 'ann', message: 'hello', conversation_id: 'c' });
  expect((await request('/datasets')).status).toBe(200);
  expect((await request('/conversations/c')).status).toBe(200);
  expect(await jsonOf(await post('/erase', { customer_id: 'ann' }))).toMatchObject({ traces: 1 });
});
