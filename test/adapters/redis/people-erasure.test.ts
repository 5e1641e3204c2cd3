import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { CustomerMessage } from '../../../src/domain/message/message.ts';
import { createRedisEngine } from '../../support/redis/engine.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory } from '../../support/redis/stores.ts';
import { until } from '../../support/until.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

/** The command that reads all of a value, by its type. */
const reads: Readonly<Record<string, (key: string) => readonly string[]>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** Every key of a prefix with its value, as one text. */
async function dump(prefix: string): Promise<string> {
  const parts: unknown[] = [];
  for (const key of await server.keys(prefix)) {
    const type = String(await server.command('TYPE', key));
    const read = reads[type];
    if (read === undefined) throw new Error(`${key} has the unknown type ${type}`);
    parts.push([key, await server.command(...read(key))]);
  }
  return JSON.stringify(parts);
}

/** Marker texts, by what they stand in. */
const markers = {
  message: 'zqmessage',
  subject: 'zqsubject',
  metadata: 'zqmetadata',
  customer: 'zqcustomer',
  conversation: 'zqconversation',
  draft: 'zqdraft',
  note: 'zqnote',
  reply: 'zqreply',
  followUp: 'zqfollowup',
  resolutionNote: 'zqresolution',
  open: 'zqopen',
};

const found = (text: string) => Object.values(markers).filter((marker) => text.includes(marker));

function messageOf(text: string, changes: Partial<CustomerMessage> = {}): CustomerMessage {
  return { source: 'mail', customerId: markers.customer, message: text, ...changes };
}

test('an erasure leaves no text of the customer in any key or value', async () => {
  const one = await stores.make(server.url, { checkEveryMs: 100 });
  const { messages, inbox, datasets, erase } = createRedisEngine(one);
  const others = { customerId: 'other', conversationId: 'other-conversation' };
  const kept = await messages.process(messageOf('I will sue you, kept', others));

  const conversationId = markers.conversation;
  const first = await messages.process(
    messageOf(`I will sue you over ${markers.message}`, {
      conversationId,
      subject: markers.subject,
      metadata: { order: markers.metadata },
    }),
  );
  await messages.process(messageOf(`And one more thing: ${markers.followUp}`, { conversationId }));
  const itemId = first.itemId ?? '';
  await inbox?.addNote(itemId, { by: 'ann', note: markers.note });
  await inbox?.resolve(itemId, {
    outcome: 'answered',
    by: 'ann',
    response: markers.reply,
    intent: 'refund',
    note: markers.resolutionNote,
  });
  await datasets.decide('inbox', itemId, { status: 'accepted', by: 'ann' });
  const drafted = await messages.process(messageOf(`How do I reset my password?`, { draft: true }));
  await inbox?.claim(drafted.itemId ?? '', 'bob');
  // The text of a draft is that of the stage, so that the marker is put into a stored item.
  const { inbox: items } = one.ports;
  const draftItem = await items.get(drafted.itemId ?? '');
  if (draftItem === undefined) throw new Error('the draft has no item');
  const withDraft = { ...draftItem, draft: markers.draft, version: draftItem.version + 1 };
  await items.update({ item: withDraft, expectedVersion: draftItem.version });
  await messages.process(messageOf(`I will sue you over ${markers.open}`));

  await until('the events are written', async () => {
    const text = await dump(one.prefix);
    return text.includes('inbox.resolved') && text.includes('inbox.claimed');
  });
  expect(found(await dump(one.prefix))).toEqual(Object.values(markers));

  const erased = await erase(markers.customer);
  expect(erased).toMatchObject({ conversations: 1, inboxItems: 3, examples: 1, traces: 4 });
  const eventsWritten = async () => (await dump(one.prefix)).includes('withdrawn');
  await until('the events are written', eventsWritten);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const left = await dump(one.prefix);
  expect(found(left)).toEqual([]);
  for (const text of ['reset my password', 'sue you over']) expect(left).not.toContain(text);

  const { conversations, traces } = one.ports;
  expect(await traces.get(kept.traceId)).toEqual(kept);
  expect((await conversations.get('other-conversation'))?.entries[0]?.text).toContain('kept');
  expect(await items.get(itemId)).toMatchObject({ status: 'withdrawn', notes: [], resolution: null });
});

test('an erasure leaves no text of runs and goals of the customer in any key or value', async () => {
  const one = await stores.make(server.url, { checkEveryMs: 100 });
  const engine = createRedisEngine(one);
  engine.tool('echo', (input) => input);
  const step = (id: string, dependsOn: readonly string[] = []) =>
    ({ id, kind: 'tool', toolName: 'echo', dependsOn, staticInput: { text: '$input.text' } }) as const;
  const { id } = await engine.define(step('a'), step('b', ['a']));
  const input = { text: markers.message };
  const kept = await engine.workflows.run(id, { input: { text: 'kept' }, customerId: 'other' });
  await engine.workflows.run(id, { input, customerId: markers.customer });
  const asks = await engine.define({
    id: 'ok',
    kind: 'approval',
    title: `May ${markers.subject}?`,
    dependsOn: [],
    staticInput: { text: '$input.text' },
  });
  const request = { input, customerId: markers.customer, background: true };
  const { runId } = await engine.workflows.run(asks.id, request);
  await until('it waits', async () => (await engine.runs.get(runId)).status === 'WAITING');
  await engine.agents.route({ goal: markers.note, customerId: markers.customer, subtasks: [] });
  expect(found(await dump(one.prefix))).toHaveLength(4);
  expect(await engine.erase(markers.customer)).toMatchObject({ runs: 2, routes: 1, inboxItems: 1 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The definition has a text of its author.
  expect(found(await dump(one.prefix))).toEqual([markers.subject]);
  await engine.workflows.delete(asks.id);
  const texts = (await dump(one.prefix)).split(markers.subject);
  expect(texts.length).toBe(2);
  expect(await engine.runs.get(kept.runId)).toMatchObject({ status: 'COMPLETED', customerId: 'other' });
  await engine.close(0);
});

test('the deletion of a trace or a conversation leaves nothing of them', async () => {
  const one = await stores.make(server.url);
  const { messages, traces, conversations } = createRedisEngine(one);
  const conversationId = markers.conversation;
  const first = await messages.process(messageOf(`I will sue you over ${markers.message}`));
  await messages.process(messageOf(`I will sue you over ${markers.open}`, { conversationId }));
  await messages.process(messageOf(`And ${markers.followUp}`, { conversationId }));
  await traces.delete(first.traceId);
  expect(await dump(one.prefix)).not.toContain(markers.message);
  await conversations.delete(conversationId);
  expect(found(await dump(one.prefix))).toEqual([]);
});
