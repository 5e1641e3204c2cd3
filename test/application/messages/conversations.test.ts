import { describe, expect, test } from 'vitest';
import { memoryStorage } from '../../../src/adapters/memory-storage.ts';
import type { Inbox } from '../../../src/application/inbox/inbox.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import { type ConversationEntry, MAX_HISTORY } from '../../../src/domain/message/conversation.ts';
import type { PreparedMessage } from '../../../src/domain/message/prepared.ts';
import type { Stages } from '../../../src/ports/stages.ts';
import type { ConversationStore } from '../../../src/ports/storage/conversation-store.ts';
import { settle } from '../../support/fake-clock.ts';
import { createMessageService, escalated, type InboxServiceOptions, inboxOf } from '../../support/inbox.ts';
import { lookupTool } from '../../support/message-processor.ts';
import { decided, scriptedStages } from '../../support/stages.ts';

const answered = { escalated: false, reasons: [] };

/** A service whose stages escalate the messages that say so, and answer the others. */
function createService(own: Partial<Stages> = {}, options: InboxServiceOptions = {}) {
  const stages = scriptedStages(
    { reply: 'Done.' },
    {
      verify: ({ message }) => decided(message.message.includes('person') ? escalated : answered),
      ...own,
    },
  );
  const service = createMessageService({ ...options, ports: { stages, ...options.ports } });
  const said = async (conversationId = 'thread-1') => {
    const { entries } = await service.orchestrator.conversations.get(conversationId);
    return entries.map(({ from, text }) => `${from}: ${text}`);
  };
  const waiting = async () => (await service.ports.inbox.list({ statuses: ['open'] }, { limit: 50 })).items;
  return { ...service, said, waiting };
}

describe('the messages of a conversation', () => {
  test('are kept together with their replies, the oldest first', async () => {
    const { send, orchestrator } = createService();
    const first = await send('Hello', 'thread-1');
    await send('Where is my order?', 'thread-1');
    await send('Elsewhere', 'thread-2');
    expect(await orchestrator.conversations.get('thread-1')).toMatchObject({
      conversationId: 'thread-1',
      customerId: 'customer-1',
      openItemId: null,
      entries: [
        { from: 'customer', text: 'Hello', traceId: first.traceId, disposition: 'answered', itemId: null },
        { from: 'service', text: 'Done.', traceId: first.traceId },
        { from: 'customer', text: 'Where is my order?' },
        { from: 'service', text: 'Done.' },
      ],
    });
  });

  test('are shown to the stages of the next one, the last of them', async () => {
    const seen: (readonly ConversationEntry[] | undefined)[] = [];
    const { send } = createService({
      classify(message) {
        seen.push((message as PreparedMessage).history?.entries);
        return decided({ intent: 'refund', confidence: 0.9 });
      },
    });
    for (let count = 1; count <= 8; count++) await send(`message ${count}`, 'thread-1');
    await send('alone');
    expect(seen[0]).toEqual([]);
    expect(seen[1]?.map(({ text }) => text)).toEqual(['message 1', 'Done.']);
    expect(seen[7]).toHaveLength(MAX_HISTORY);
    expect(seen[7]?.at(-1)).toMatchObject({ from: 'service', intent: 'refund' });
    expect(seen[8]).toBeUndefined();
  });

  test('are handled one after the other in their order, beside those of others', async () => {
    const order: string[] = [];
    const { orchestrator } = createService({
      async classify({ message, conversationId }) {
        order.push(`begin ${message}`);
        if (conversationId === 'thread-1') await settle();
        order.push(`end ${message}`);
        return decided({ intent: 'refund', confidence: 0.9 });
      },
    });
    const messages = ['1', '2', '3'].map((message) => ({
      source: 'chat',
      customerId: 'c',
      message,
      conversationId: 'thread-1',
    }));
    const other = { source: 'chat', customerId: 'c', message: 'other', conversationId: 'thread-2' };
    await Promise.all([...messages, other].map((message) => orchestrator.messages.process(message)));
    expect(order.indexOf('end other')).toBeLessThan(order.indexOf('end 1'));
    expect(order.filter((text) => !text.includes('other'))).toEqual(
      ['1', '2', '3'].flatMap((text) => [`begin ${text}`, `end ${text}`]),
    );
  });

  test('are handled after one that failed', async () => {
    const { send } = createService({
      classify({ message }) {
        if (message === 'bad') throw new Error('cannot read that');
        return decided({ intent: 'refund', confidence: 0.9 });
      },
    });
    const [bad, good] = await Promise.all([send('bad', 'thread-1'), send('good', 'thread-1')]);
    expect([bad?.status, good?.status]).toEqual(['FAILED', 'COMPLETED']);
  });
});

describe('the conversation of another customer', () => {
  test('is a conflict before anything is done', async () => {
    const { send, recorded, orchestrator, said } = createService();
    await send('Hello', 'thread-1');
    const before = recorded.events.length;
    await expect(send('Hello too', 'thread-1', 'customer-2')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('conversation of another customer'),
    });
    expect(recorded.events).toHaveLength(before);
    expect(await orchestrator.traces.list({ limit: 10, offset: 0 })).toMatchObject({ total: 1 });
    expect(await said()).toEqual(['customer: Hello', 'service: Done.']);
  });

  test('is a conflict for a whole batch, before any of its messages is handled', async () => {
    const { send, recorded, orchestrator } = createService();
    await send('Hello', 'thread-1');
    const before = recorded.events.length;
    const message = { source: 'email', customerId: 'customer-2', message: 'x' };
    const batch = orchestrator.messages.processBatch([
      message,
      { ...message, conversationId: 'thread-2' },
      { ...message, conversationId: 'thread-1' },
    ]);
    await expect(batch).rejects.toMatchObject({ code: 'conflict' });
    expect(recorded.events).toHaveLength(before);
  });

  test('is a conflict within a batch of two customers too', async () => {
    const { orchestrator, recorded } = createService();
    const batch = ['a', 'b'].map((customerId) => ({
      source: 'email',
      customerId,
      message: 'x',
      conversationId: 'thread-1',
    }));
    await expect(orchestrator.messages.processBatch(batch)).rejects.toMatchObject({ code: 'conflict' });
    expect(recorded.events).toEqual([]);
  });
});

describe('a batch', () => {
  test('keeps the order of each conversation', async () => {
    const { orchestrator, said } = createService();
    const batch = Array.from({ length: 20 }, (_, index) => ({
      source: 'email',
      customerId: 'c',
      message: `${index}`,
      conversationId: `thread-${index % 2}`,
    }));
    const traces = await orchestrator.messages.processBatch(batch);
    expect(traces.map(({ message }) => message)).toEqual(batch.map(({ message }) => message));
    const odd = (await said()).filter((text) => text.startsWith('customer'));
    expect(odd).toEqual(Array.from({ length: 10 }, (_, index) => `customer: ${2 * index + 1}`));
  });

  test('opens each conversation once before it begins', async () => {
    let entered = 0;
    const ports = memoryStorage();
    const conversations: ConversationStore = {
      ...ports.conversations,
      enter(...parameters) {
        entered += 1;
        return ports.conversations.enter(...parameters);
      },
    };
    const { orchestrator } = createService({}, { ports: { conversations } });
    const message = { source: 'email', customerId: 'c', message: 'x', conversationId: 'thread-1' };
    await orchestrator.messages.processBatch(Array(10).fill(message));
    expect(entered).toBe(11);
  });

  test('whose conversations cannot be opened any more fails these messages and no other', async () => {
    const ports = memoryStorage();
    let entered = 0;
    const conversations: ConversationStore = {
      ...ports.conversations,
      async enter(...parameters) {
        entered += 1;
        if (entered === 3) throw unavailable('the store is unavailable');
        return ports.conversations.enter(...parameters);
      },
    };
    const { orchestrator, waiting } = createService({}, { ports: { ...ports, conversations } });
    const message = { source: 'email', customerId: 'c', message: 'x' };
    const batch = [
      { ...message, conversationId: 'thread-1' },
      message,
      { ...message, conversationId: 'thread-2' },
    ];
    const traces = await orchestrator.messages.processBatch(batch);
    expect(traces.map(({ status }) => status)).toEqual(['FAILED', 'COMPLETED', 'COMPLETED']);
    expect(traces[0]?.error).toBe('internal_error: the store is unavailable');
    expect(await waiting()).toMatchObject([{ subject: { id: traces[0]?.traceId } }]);
  });
});

describe('a single message whose conversation cannot be opened', () => {
  test('is rejected before anything is done', async () => {
    const ports = memoryStorage();
    const enter = () => Promise.reject(unavailable('the store is unavailable'));
    const { send, recorded } = createService(
      {},
      { ports: { conversations: { ...ports.conversations, enter } } },
    );
    await expect(send('Hello', 'thread-1')).rejects.toMatchObject({ code: 'unavailable' });
    expect(recorded.events).toEqual([]);
  });
});

describe('a conversation that a person holds', () => {
  test('is not answered: further messages join the item that waits', async () => {
    const calls: unknown[] = [];
    const toolCalls = [{ toolName: 'lookup', input: {} }];
    const service = createService({ plan: () => decided({ toolCalls }) });
    const { send, orchestrator, waiting, ports, eventTexts } = service;
    const lookup = lookupTool((input) => {
      calls.push(input);
      return {};
    });
    orchestrator.tools.register(lookup);
    const first = await send('I want a person', 'thread-1');
    expect(calls).toHaveLength(1);
    expect(await ports.conversations.get('thread-1')).toMatchObject({ openItemId: first.itemId });
    const second = await send('Where is my order?', 'thread-1');
    expect(second).toMatchObject({ escalated: true, disposition: 'escalated', itemId: first.itemId });
    expect(calls).toHaveLength(1);
    expect(await waiting()).toMatchObject([
      { itemId: first.itemId, version: 2, reasons: ['low_confidence'] },
    ]);
    expect(eventTexts()).toEqual(['inbox.opened service']);
    expect(await send('Where is my order?', 'thread-2')).toMatchObject({ disposition: 'answered' });
  });

  test('is held while somebody has claimed the item', async () => {
    const { send, orchestrator } = createService();
    const inbox = inboxOf(orchestrator);
    const { itemId } = await send('I want a person', 'thread-1');
    await inbox.claim(itemId ?? '', 'ada');
    expect(await send('Hello?', 'thread-1')).toMatchObject({ disposition: 'escalated', itemId });
  });

  test('makes the item more urgent where the message is', async () => {
    const { send, waiting } = createService({
      verify: ({ message }) =>
        decided(
          message.message.includes('sue')
            ? { escalated: true, reasons: ['legal'], concerns: ['legal'] }
            : escalated,
        ),
    });
    await send('I want a person', 'thread-1');
    const [before] = await waiting();
    await send('I will sue you', 'thread-1');
    const [item, ...others] = await waiting();
    expect(others).toEqual([]);
    expect(item?.priority).toBeLessThan(before?.priority ?? 0);
    expect(item?.reasons).toEqual(['low_confidence', 'legal']);
    expect(item?.dueAt && before?.dueAt && item.dueAt <= before.dueAt).toBe(true);
  });

  test('gets the reply of the person and is free again', async () => {
    const { send, said, ports, orchestrator } = createService();
    const inbox = inboxOf(orchestrator);
    const { itemId } = await send('I want a person', 'thread-1');
    await send('Hello?', 'thread-1');
    await inbox.resolve(itemId ?? '', { outcome: 'answered', by: 'ada', response: 'Here I am.' });
    expect(await ports.conversations.get('thread-1')).toMatchObject({ openItemId: null });
    expect((await said()).at(-1)).toBe('person: Here I am.');
    expect(await send('Where is my order?', 'thread-1')).toMatchObject({ disposition: 'answered' });
    const { entries } = await orchestrator.conversations.get('thread-1');
    expect(entries.find(({ from }) => from === 'person')).toMatchObject({ itemId, disposition: null });
  });

  test.each([
    ['dismissed', async (inbox: Inbox, id: string) => inbox.resolve(id, { outcome: 'dismissed', by: 'ada' })],
    ['spam', async (inbox: Inbox, id: string) => inbox.resolve(id, { outcome: 'spam', by: 'ada' })],
  ])('is free again once the item is resolved as %s', async (_, resolve) => {
    const { send, orchestrator } = createService();
    const inbox = inboxOf(orchestrator);
    const { itemId } = await send('I want a person', 'thread-1');
    await resolve(inbox, itemId ?? '');
    expect(await send('Hello', 'thread-1')).toMatchObject({ disposition: 'answered', itemId: null });
  });

  test('is held for as long as the last message that has joined the item may wait', async () => {
    const { send, orchestrator, clock } = createService({}, { limits: { inboxExpiryMs: 60_000 } });
    const { itemId } = await send('I want a person', 'c-1');
    await clock.advance(59_000);
    expect(await send('Nobody answers.', 'c-1')).toMatchObject({ itemId });
    await clock.advance(59_000);
    const waiting = async () => (await orchestrator.inbox?.list({}, { limit: 1 }))?.items;
    expect(await waiting()).toMatchObject([{ itemId, status: 'open' }]);
    await clock.advance(1_000);
    expect(await waiting()).toEqual([]);
  });

  test('is free again once the item has expired', async () => {
    const { send, orchestrator, clock } = createService({}, { limits: { inboxExpiryMs: 60_000 } });
    await send('I want a person', 'thread-1');
    orchestrator.start();
    await clock.advance(65_000);
    expect(await send('Hello', 'thread-1')).toMatchObject({ disposition: 'answered' });
    await orchestrator.close(0);
  });

  test('is answered where the inbox is off, because nobody would', async () => {
    const ports = memoryStorage();
    const before = createService({}, { ports });
    await before.send('I want a person', 'thread-1');
    const { send } = createService({}, { ports, inbox: false });
    expect(await send('Hello', 'thread-1')).toMatchObject({ disposition: 'answered' });
  });
});

describe('a message that arrives while a person ends the item', () => {
  test('gets an item of its own, so that it is never lost', async () => {
    const ports = memoryStorage();
    let onRecord = async (): Promise<unknown> => undefined;
    const conversations: ConversationStore = {
      ...ports.conversations,
      async record(message) {
        await ports.conversations.record(message);
        await onRecord();
      },
    };
    const { send, waiting, said, orchestrator } = createService({}, { ports: { ...ports, conversations } });
    const inbox = inboxOf(orchestrator);
    const first = await send('I want a person', 'thread-1');
    onRecord = () => {
      onRecord = async () => undefined;
      return inbox.resolve(first.itemId ?? '', { outcome: 'answered', by: 'ada', response: 'Yes?' });
    };
    const second = await send('One more thing', 'thread-1');
    expect(second.itemId).not.toBe(first.itemId);
    expect(await waiting()).toMatchObject([{ itemId: second.itemId, subject: { id: second.traceId } }]);
    expect(await ports.traces.get(second.traceId)).toMatchObject({ itemId: second.itemId });
    expect(await ports.conversations.get('thread-1')).toMatchObject({ openItemId: second.itemId });
    expect((await said()).filter((text) => text === 'customer: One more thing')).toHaveLength(1);
  });
});

describe('a message that failed', () => {
  test('makes an item for a person', async () => {
    const { send, waiting } = createService({
      classify() {
        throw new Error('cannot read that');
      },
    });
    const trace = await send('Hello');
    expect(trace).toMatchObject({ status: 'FAILED', disposition: 'escalated' });
    expect(await waiting()).toMatchObject([
      { itemId: trace.itemId, kind: 'escalation', priority: 3, reasons: ['pipeline_failed'] },
    ]);
  });

  test('in a held conversation joins the item that waits', async () => {
    const { send, waiting } = createService({
      classify({ message }) {
        if (message === 'bad') throw new Error('cannot read that');
        return decided({ intent: 'refund', confidence: 0.9 });
      },
    });
    const first = await send('I want a person', 'thread-1');
    expect(await send('bad', 'thread-1')).toMatchObject({ status: 'FAILED', itemId: first.itemId });
    expect(await waiting()).toMatchObject([{ reasons: ['low_confidence', 'pipeline_failed'], priority: 3 }]);
  });
});

describe('a message whose reply must be seen first', () => {
  const draft = { source: 'email', customerId: 'c', message: 'Hello', draft: true };

  test('becomes a draft, which is not escalated', async () => {
    const { orchestrator, waiting } = createService();
    const trace = await orchestrator.messages.process(draft);
    expect(trace).toMatchObject({ disposition: 'draft', escalated: false, response: 'Done.' });
    expect(await waiting()).toMatchObject([
      { kind: 'draft', draft: 'Done.', itemId: trace.itemId, reasons: ['draft_requested'] },
    ]);
  });

  test('is escalated all the same where it has to be', async () => {
    const { orchestrator, waiting } = createService();
    const trace = await orchestrator.messages.process({ ...draft, message: 'I want a person' });
    expect(trace).toMatchObject({ disposition: 'escalated', escalated: true });
    expect(await waiting()).toMatchObject([{ kind: 'escalation', draft: null }]);
  });

  test.each(['process', 'batch'])(
    'is refused without an inbox, before anything is done (%s)',
    async (how) => {
      const { orchestrator, recorded } = createService({}, { inbox: false });
      const { process, processBatch } = orchestrator.messages;
      const work = how === 'batch' ? processBatch([draft, draft]) : process(draft);
      await expect(work).rejects.toMatchObject({
        code: 'validation',
        message: expect.stringMatching(/^draft: /),
      });
      expect(recorded.events).toEqual([]);
    },
  );
});

describe('a message without a conversation that nobody has to see', () => {
  test('is stored with its trace alone', async () => {
    const ports = memoryStorage();
    const calls: string[] = [];
    const told = <T extends object>(name: string, store: T): T =>
      Object.fromEntries(
        Object.entries(store).map(([member, work]) => [
          member,
          (...parameters: readonly unknown[]) => {
            calls.push(`${name}.${member}`);
            return work(...parameters);
          },
        ]),
      ) as T;
    const { send } = createService(
      {},
      {
        ports: {
          ...ports,
          traces: told('traces', ports.traces),
          conversations: told('conversations', ports.conversations),
          inbox: told('inbox', ports.inbox),
        },
      },
    );
    await send('Hello');
    expect(calls).toEqual(['traces.put']);
    await send('I want a person');
    expect(calls.slice(1)).toEqual(['conversations.record']);
  });
});
