import { describe, expect, test } from 'vitest';
import { MAX_NOTES } from '../../../src/domain/inbox/changes.ts';
import { INBOX_DATASET } from '../../../src/domain/inbox/example.ts';
import { createInboxService, createMessageService, sampleItem, sampleItems } from '../../support/inbox.ts';

/** A service with one message that was escalated. */
async function createServiceWithItem(message = 'I want my money back', conversationId?: string) {
  const service = createInboxService();
  const trace = await service.send(message, conversationId);
  const { itemId } = trace;
  if (itemId === null) throw new Error('the message has no item');
  return { ...service, trace, itemId };
}

describe('an escalated message', () => {
  test('becomes an item that the trace names, and that is told to be open', async () => {
    const { inbox, trace, itemId, eventTexts } = await createServiceWithItem();
    expect(await inbox.get(itemId)).toMatchObject({
      item: { itemId, kind: 'escalation', status: 'open', title: 'I want my money back' },
      trace,
      conversation: null,
      run: null,
    });
    expect(eventTexts(itemId)).toEqual(['inbox.opened service']);
  });

  test('becomes none where the inbox is off', async () => {
    const { ports, orchestrator, send, eventTexts } = createMessageService({ inbox: false });
    expect(await send('I want my money back')).toMatchObject({ escalated: true, itemId: null });
    expect(orchestrator.inbox).toBeUndefined();
    expect(await ports.inbox.list({}, { limit: 10 })).toEqual({ items: [], next: null });
    expect(eventTexts()).toEqual([]);
  });
});

describe('the list of the inbox', () => {
  test('shows what waits, in pages, with how much waits in all', async () => {
    const { inbox, ports } = createInboxService();
    for (const item of sampleItems(5)) await ports.inbox.create(item);
    await inbox.resolve('item-0', { outcome: 'dismissed', by: 'ada' });
    await inbox.claim('item-4', 'ada');
    const first = await inbox.list({}, { limit: 3 });
    expect(first.items.map(({ itemId }) => itemId)).toEqual(['item-1', 'item-2', 'item-3']);
    const second = await inbox.list({}, { limit: 3, after: first.next ?? undefined });
    expect(second).toMatchObject({ items: [{ itemId: 'item-4' }], next: null });
    expect(second.counts.waiting.escalation).toEqual({ open: 3, claimed: 1 });
    const resolved = await inbox.list({ statuses: ['resolved'] }, { limit: 3 });
    expect(resolved.items.map(({ itemId }) => itemId)).toEqual(['item-0']);
  });

  test('shows what time has made of the items', async () => {
    const { inbox, ports, clock } = createInboxService();
    await ports.inbox.create(sampleItem({ itemId: 'young', openedAt: new Date(clock.now()).toISOString() }));
    await ports.inbox.create(sampleItem({ itemId: 'late', priority: 5, dueAt: null, version: 1 }));
    await inbox.claim('late', 'ada');
    await clock.advance(1_800_000);
    const { items } = await inbox.list({}, { limit: 10 });
    expect(items).toMatchObject([
      { itemId: 'young', status: 'open', isOverdue: false },
      { itemId: 'late', status: 'open', assignee: null },
    ]);
    await clock.advance(1_800_000);
    expect(await inbox.list({ overdue: true }, { limit: 10 })).toMatchObject({
      items: [{ itemId: 'young', isOverdue: true }],
      counts: { overdue: 1 },
    });
  });
});

describe('an item', () => {
  test('shows a claim that has lapsed as open, before anybody has settled it', async () => {
    const { inbox, itemId, clock } = await createServiceWithItem();
    await inbox.claim(itemId, 'ada');
    await clock.advance(1_800_000);
    expect((await inbox.get(itemId)).item).toMatchObject({ status: 'open', assignee: null });
  });

  test('comes with its conversation', async () => {
    const { inbox, itemId } = await createServiceWithItem('Hello', 'thread-1');
    expect((await inbox.get(itemId)).conversation).toMatchObject({
      conversationId: 'thread-1',
      openItemId: itemId,
      entries: [{ from: 'customer', text: 'Hello' }, { from: 'service' }],
    });
  });

  test('comes without a conversation that another customer has begun under its id since', async () => {
    const { inbox, itemId, ports, send } = await createServiceWithItem('Hello', 'thread-1');
    await inbox.resolve(itemId, { outcome: 'dismissed', by: 'ada' });
    await ports.conversations.delete('thread-1');
    await send('Not for others', 'thread-1', 'customer-2');
    expect(await inbox.get(itemId)).toMatchObject({ item: { status: 'resolved' }, conversation: null });
  });

  test('that is unknown is not_found, in every call', async () => {
    const { inbox } = createInboxService();
    const calls = [
      inbox.get('x'),
      inbox.claim('x', 'ada'),
      inbox.release('x', 'ada'),
      inbox.assign('x', { by: 'ada', assignee: 'bo' }),
      inbox.addNote('x', { by: 'ada', note: 'y' }),
      inbox.resolve('x', { outcome: 'answered', by: 'ada' }),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    }
  });

  test('goes through claim, release, assignment, notes and resolution, with an event for each change', async () => {
    const { inbox, itemId, eventTexts } = await createServiceWithItem();
    await inbox.claim(itemId, 'ada');
    await inbox.claim(itemId, 'ada');
    await inbox.addNote(itemId, { by: 'bo', note: 'call her' });
    await inbox.release(itemId, 'ada');
    await inbox.assign(itemId, { by: 'chef', assignee: 'bo' });
    await expect(inbox.resolve(itemId, { outcome: 'answered', by: 'ada' })).rejects.toThrow(
      'claimed by "bo"',
    );
    const item = await inbox.resolve(itemId, { outcome: 'answered', by: 'bo', note: 'done' });
    expect(item).toMatchObject({ version: 7, resolution: { by: 'bo', note: 'done', response: null } });
    await expect(inbox.resolve(itemId, { outcome: 'spam', by: 'cy' })).rejects.toThrow('resolved by "bo"');
    expect(eventTexts(itemId)).toEqual([
      'inbox.opened service',
      'inbox.claimed ada',
      'inbox.released ada',
      'inbox.claimed chef',
      'inbox.resolved bo answered',
    ]);
  });

  test('takes no more than its notes at once from many people', async () => {
    const { inbox, itemId } = await createServiceWithItem();
    let refused = 0;
    const add = async (index: number) => {
      for (let count = 0; count < 11; count++) {
        const note = inbox.addNote(itemId, { by: `person-${index}`, note: `${count}` });
        await note.catch(() => void refused++);
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, index) => add(index)));
    expect(refused).toBe(10);
    expect((await inbox.get(itemId)).item.notes).toHaveLength(MAX_NOTES);
  });
});

describe('taking the next item', () => {
  test('takes only the wanted kinds, and nothing where none is open', async () => {
    const { inbox, ports } = createInboxService();
    await ports.inbox.create(sampleItem({ itemId: 'a' }));
    await ports.inbox.create(sampleItem({ itemId: 'b', kind: 'draft', priority: 5 }));
    expect(await inbox.next({ by: 'ada', kinds: ['approval'] })).toBeUndefined();
    expect(await inbox.next({ by: 'ada', kinds: ['draft', 'approval'] })).toMatchObject({ itemId: 'b' });
    expect(await inbox.next({ by: 'ada' })).toMatchObject({ itemId: 'a' });
    expect(await inbox.next({ by: 'ada' })).toBeUndefined();
  });

  test('takes one whose claim has lapsed', async () => {
    const { inbox, itemId, clock, eventTexts } = await createServiceWithItem();
    await inbox.next({ by: 'ada' });
    expect(await inbox.next({ by: 'bo' })).toBeUndefined();
    await clock.advance(1_800_000);
    expect(await inbox.next({ by: 'bo' })).toMatchObject({ itemId, assignee: 'bo' });
    expect(eventTexts(itemId).slice(1)).toEqual([
      'inbox.claimed ada',
      'inbox.released service lapsed',
      'inbox.claimed bo',
    ]);
  });
});

describe('a decision', () => {
  test.each([
    [{ outcome: 'approved' }, /^outcome: must be one of answered, dismissed, spam for an item of kind esc/],
    [{ outcome: 'answered', intent: 'world_peace' }, /^intent: "world_peace" is no intent of the playbook$/],
    [{ outcome: 'spam', response: 'Hello' }, /^response: is only for the outcome answered$/],
    [{ outcome: 'spam', response: 'Hello', intent: 'x' }, /^intent: .*; response: /],
  ] as const)('that does not fit the item is rejected with its issues: %j', async (decision, message) => {
    const { inbox, itemId } = await createServiceWithItem();
    const resolved = inbox.resolve(itemId, { ...decision, by: 'ada' });
    await expect(resolved).rejects.toThrow(expect.objectContaining({ code: 'validation' }));
    await expect(resolved).rejects.toThrow(message);
    expect((await inbox.get(itemId)).item.status).toBe('open');
  });

  test('about a step of an execution counts only for the version that was seen', async () => {
    const { inbox, ports } = createInboxService();
    const subject = { kind: 'execution', id: 'run-1', stepId: 'ask' } as const;
    await ports.inbox.create(sampleItem({ kind: 'approval', subject, version: 1 }));
    await inbox.claim('item-1', 'ada');
    const seen = { version: 1, isPrecondition: true };
    const resolved = inbox.resolve('item-1', { outcome: 'approved', by: 'ada' }, seen);
    await expect(resolved).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  test('about a step of an execution that is gone withdraws the item', async () => {
    const { inbox, ports } = createInboxService();
    const subject = { kind: 'execution', id: 'run-1', stepId: 'book' } as const;
    await ports.inbox.create(sampleItem({ kind: 'recovery', subject, payload: { amount: 3 } }));
    const resolved = inbox.resolve('item-1', { outcome: 'completed', by: 'ada' });
    await expect(resolved).rejects.toMatchObject({ code: 'conflict' });
    expect((await inbox.get('item-1')).item).toMatchObject({ status: 'withdrawn', payload: null });
  });

  test.each([
    ['recovery', { outcome: 'completed', intent: 'refund' }, /^intent and escalation_right: are only/],
    ['recovery', { outcome: 'retry', output: {} }, /^output: is only for the outcome completed$/],
    ['recovery', { outcome: 'completed', data: 1 }, /^data: is only for approvals$/],
    ['escalation', { outcome: 'answered', data: 1 }, /^data: is only for approvals$/],
  ] as const)('about a %s has no members of other kinds: %j', async (kind, decision, message) => {
    const { inbox, ports } = createInboxService();
    await ports.inbox.create(sampleItem({ kind }));
    await expect(inbox.resolve('item-1', { ...decision, by: 'ada' })).rejects.toThrow(message);
  });
});

describe('an answered draft', () => {
  async function createServiceWithDraft() {
    const verdict = { escalated: false, reasons: ['draft_mode'], disposition: 'draft' } as const;
    const service = createInboxService({ script: { verdict, reply: 'It is on its way.' } });
    const trace = await service.send('Where is my order?', 'thread-1');
    const said = async () => {
      const { entries } = await service.orchestrator.conversations.get('thread-1');
      return entries.map(({ from, text }) => `${from}: ${text}`);
    };
    return { inbox: service.inbox, trace, itemId: trace.itemId ?? '', said };
  }

  test('is not escalated, and not sent before', async () => {
    const { inbox, trace, itemId, said } = await createServiceWithDraft();
    expect(trace).toMatchObject({ escalated: false, disposition: 'draft', response: 'It is on its way.' });
    expect((await inbox.get(itemId)).item).toMatchObject({ kind: 'draft', draft: 'It is on its way.' });
    expect(await said()).toEqual(['customer: Where is my order?']);
  });

  test('without another response sends the draft', async () => {
    const { inbox, itemId, said } = await createServiceWithDraft();
    const { resolution } = await inbox.resolve(itemId, { outcome: 'answered', by: 'ada' });
    expect(resolution?.response).toBe('It is on its way.');
    expect(await said()).toEqual(['customer: Where is my order?', 'person: It is on its way.']);
  });

  test('with another response sends that one', async () => {
    const { inbox, itemId, said } = await createServiceWithDraft();
    await inbox.resolve(itemId, { outcome: 'answered', by: 'ada', response: 'It is lost.' });
    expect(await said()).toEqual(['customer: Where is my order?', 'person: It is lost.']);
  });

  test('that is dismissed sends nothing', async () => {
    const { inbox, itemId, said } = await createServiceWithDraft();
    const { resolution } = await inbox.resolve(itemId, { outcome: 'dismissed', by: 'ada' });
    expect(resolution?.response).toBeNull();
    expect(await said()).toEqual(['customer: Where is my order?']);
  });
});

describe('what people decide', () => {
  const examplesOf = async (decision: object, message?: string) => {
    const { inbox, itemId, orchestrator, trace } = await createServiceWithItem(message);
    await inbox.resolve(itemId, { outcome: 'answered', by: 'ada', ...decision });
    const page = await orchestrator.datasets.examples(INBOX_DATASET, {}, { limit: 10 });
    return { examples: page.examples, itemId, trace };
  };

  test('becomes a proposed example', async () => {
    const { examples, itemId, trace } = await examplesOf({ intent: 'billing', escalationRight: true });
    expect(examples).toEqual([
      {
        exampleId: itemId,
        datasetId: 'inbox',
        status: 'proposed',
        message: 'I want my money back',
        intent: 'billing',
        escalated: true,
        traceId: trace.traceId,
        customerId: 'customer-1',
        createdAt: expect.any(String),
        decidedBy: null,
        decidedAt: null,
      },
    ]);
  });

  test.each([
    [{}, 'refund', null],
    [{ outcome: 'dismissed', escalationRight: false }, 'refund', false],
    [{ outcome: 'spam' }, 'spam', false],
    [{ outcome: 'spam', escalationRight: true }, 'spam', true],
  ])('has the intent and the escalation that follow from it: %j', async (decision, intent, escalation) => {
    const { examples } = await examplesOf(decision);
    expect(examples).toMatchObject([{ intent, escalated: escalation }]);
  });

  test('becomes none for a message without text, and none where nobody knows the intent', async () => {
    expect((await examplesOf({}, '<p> </p>')).examples).toEqual([]);
    const { inbox, ports, orchestrator, itemId, trace } = await createServiceWithItem();
    await ports.traces.put({ ...trace, intent: 'unknown' });
    await inbox.resolve(itemId, { outcome: 'answered', by: 'ada' });
    expect((await orchestrator.datasets.list())[0]?.counts).toEqual({
      proposed: 0,
      accepted: 0,
      rejected: 0,
    });
  });

  test('becomes an example although the service did not know the intent, where the person does', async () => {
    const { inbox, ports, orchestrator, itemId, trace } = await createServiceWithItem();
    await ports.traces.put({ ...trace, intent: 'unknown' });
    await inbox.resolve(itemId, { outcome: 'answered', by: 'ada', intent: 'billing' });
    expect((await orchestrator.datasets.list())[0]?.counts.proposed).toBe(1);
  });

  test('becomes none where the trace is gone', async () => {
    const { inbox, ports, orchestrator, itemId, trace } = await createServiceWithItem();
    await ports.traces.delete(trace.traceId);
    await inbox.resolve(itemId, { outcome: 'answered', by: 'ada' });
    expect((await orchestrator.datasets.list())[0]?.counts.proposed).toBe(0);
  });
});

describe('closing the service', () => {
  test('leaves no timer of the inbox', async () => {
    const { orchestrator, clock } = createInboxService();
    orchestrator.start();
    expect(clock.pending()).toBeGreaterThan(0);
    await clock.advance(12_000);
    await orchestrator.close(0);
    expect(clock.pending()).toBe(0);
  });

  test('leaves none where the inbox is off', async () => {
    const { orchestrator, clock } = createMessageService({ inbox: false });
    orchestrator.start();
    await clock.advance(12_000);
    await orchestrator.close(0);
    expect(clock.pending()).toBe(0);
  });
});
