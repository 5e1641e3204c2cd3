import { describe, expect, test } from 'vitest';
import { memoryStorage } from '../../../src/adapters/memory-storage.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import { isOrchestrationError, unavailable } from '../../../src/domain/errors.ts';
import { INBOX_DATASET } from '../../../src/domain/inbox/example.ts';
import { MAX_CONVERSATION_ENTRIES } from '../../../src/domain/message/conversation.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import type { StoragePorts } from '../../../src/ports/ports.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { createInboxService } from '../../support/inbox.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { testPorts } from '../../support/ports.ts';
import { call, createCore, pause } from '../../support/workflow/core.ts';

const anyone = {};

/** Everything that the stores hold of people, as text. */
async function dump({ traces, inbox, examples, conversations }: StoragePorts, ids: readonly string[]) {
  const page = { limit: 200, offset: 0 };
  const { items: summaries } = await traces.list(page);
  return {
    traces: await Promise.all(summaries.map(({ traceId }) => traces.get(traceId))),
    items: (await inbox.list(anyone, { limit: 200 })).items,
    examples: (await examples.list(INBOX_DATASET, anyone, { limit: 200 })).examples,
    conversations: await Promise.all(ids.map((id) => conversations.get(id))),
    owned: await Promise.all(['SECRET-customer', 'customer-2'].map((id) => conversations.ofCustomer(id))),
  };
}

const threads = ['SECRET-thread-a', 'SECRET-thread-b', 'thread-2'];

/** Two customers, each with all kinds of records. What belongs to the first one has SECRET in its texts and ids. */
async function createWorld() {
  const storage = memoryStorage();
  const service = createInboxService({ ports: storage });
  const { inbox, orchestrator, send } = service;
  const all: Trace[] = [];
  for (const customerId of ['SECRET-customer', 'customer-2']) {
    const isFirst = customerId === 'SECRET-customer';
    const text = (end: string) => (isFirst ? `SECRET ${end}` : end);
    const thread = isFirst ? 'SECRET-thread-a' : 'thread-2';
    const alone = await send(text('refund me'), undefined, customerId);
    const response = text('from a person');
    const decision = { outcome: 'answered', by: 'ada', note: text('note'), response } as const;
    await inbox.addNote(alone.itemId ?? '', { by: 'ada', note: text('note') });
    await inbox.resolve(alone.itemId ?? '', decision);
    const held = await send(text('first'), thread, customerId);
    const joined = await send(text('second'), thread, customerId);
    const draft = { source: 'email', customerId, message: text('draft'), draft: true };
    const drafted = await orchestrator.messages.process(draft);
    all.push(alone, held, joined, drafted);
    if (!isFirst) continue;
    const resolved = await send(text('third'), 'SECRET-thread-b', customerId);
    await inbox.resolve(resolved.itemId ?? '', decision);
    all.push(resolved);
  }
  const [alone, held, joined, drafted, resolved] = all;
  if (!alone || !held || !joined || !drafted || !resolved) throw new Error('a trace is missing');
  const read = () => dump(storage, threads);
  return { ...service, storage, read, traces: { alone, held, joined, drafted, resolved } };
}

type World = Awaited<ReturnType<typeof createWorld>>;

/** The parts of a dump that contain SECRET, by their kind. */
function secrets(dumped: Awaited<ReturnType<typeof dump>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(dumped).map(([kind, records]) => [
      kind,
      records.filter((record: unknown) => JSON.stringify(record ?? null).includes('SECRET')).length,
    ]),
  );
}

const nothing = { traces: 0, items: 0, examples: 0, conversations: 0, owned: 0 };
const ofOthers = (dumped: Awaited<ReturnType<typeof dump>>) =>
  JSON.stringify(dumped.traces.filter((trace) => trace?.customerId === 'customer-2')) +
  JSON.stringify(dumped.items.filter(({ customerId }) => customerId === 'customer-2')) +
  JSON.stringify(dumped.examples.filter(({ customerId }) => customerId === 'customer-2')) +
  JSON.stringify(dumped.conversations.at(-1));

describe('the world of these tests', () => {
  test('has records of every kind of both customers', async () => {
    const { read } = await createWorld();
    expect(secrets(await read())).toEqual({ traces: 5, items: 4, examples: 2, conversations: 2, owned: 1 });
  });
});

describe('a deleted trace', () => {
  test('goes with its item, its example and its entries, and lets go of the conversation', async () => {
    const { orchestrator, traces, storage, read, eventTexts } = await createWorld();
    const { resolved, held } = traces;
    await orchestrator.traces.delete(resolved.traceId);
    expect(secrets(await read())).toEqual({ traces: 4, items: 3, examples: 1, conversations: 1, owned: 1 });
    expect(await storage.conversations.get('SECRET-thread-b')).toBeUndefined();
    await orchestrator.traces.delete(held.traceId);
    const conversation = await storage.conversations.get('SECRET-thread-a');
    expect(conversation).toMatchObject({ openItemId: null });
    expect(conversation?.entries.map(({ text }) => text)).toEqual([
      'SECRET second',
      'A colleague will answer.',
    ]);
    expect(eventTexts(held.itemId ?? '').at(-1)).toBe('inbox.resolved service withdrawn');
    await expect(orchestrator.traces.get(held.traceId)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('that joined the item of another message leaves that item alone', async () => {
    const { orchestrator, traces, storage, inbox } = await createWorld();
    const { joined, held } = traces;
    expect(joined.itemId).toBe(held.itemId);
    await orchestrator.traces.delete(joined.traceId);
    const { item, conversation } = await inbox.get(held.itemId ?? '');
    expect(item).toMatchObject({ status: 'open', title: 'SECRET first' });
    expect(conversation?.openItemId).toBe(held.itemId);
    expect(JSON.stringify(await storage.conversations.get('SECRET-thread-a'))).not.toContain('second');
  });

  test('takes its example along although the item is long gone', async () => {
    const { orchestrator, traces, storage } = await createWorld();
    const inbox = { ...storage.inbox, get: async () => undefined };
    const without = createOrchestrator(testPorts({ ...storage, inbox }).ports);
    await without.traces.delete(traces.alone.traceId);
    const page = await orchestrator.datasets.examples(INBOX_DATASET, {}, { limit: 10 });
    expect(page.examples.map(({ traceId }) => traceId)).not.toContain(traces.alone.traceId);
  });

  test('leaves an item that no person can change any more', async () => {
    const { orchestrator, traces, inbox } = await createWorld();
    const { itemId, traceId } = traces.drafted;
    await orchestrator.traces.delete(traceId);
    const resolved = inbox.resolve(itemId ?? '', { outcome: 'answered', by: 'ada', response: 'SECRET' });
    await expect(resolved).rejects.toThrow('the item is withdrawn');
    const noted = inbox.addNote(itemId ?? '', { by: 'ada', note: 'SECRET' });
    await expect(noted).rejects.toThrow('the item is withdrawn');
    expect(await inbox.get(itemId ?? '')).toMatchObject({ trace: null, conversation: null });
  });

  test('that is unknown, or deleted before, is not_found', async () => {
    const { orchestrator, traces } = await createWorld();
    await expect(orchestrator.traces.delete('x')).rejects.toMatchObject({ code: 'not_found' });
    await orchestrator.traces.delete(traces.alone.traceId);
    const again = orchestrator.traces.delete(traces.alone.traceId);
    await expect(again).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a deleted conversation', () => {
  test('goes with the traces, items and examples of its messages, and nothing else', async () => {
    const { orchestrator, read } = await createWorld();
    const before = ofOthers(await read());
    await orchestrator.conversations.delete('SECRET-thread-b');
    expect(secrets(await read())).toEqual({ traces: 4, items: 3, examples: 1, conversations: 1, owned: 1 });
    await orchestrator.conversations.delete('SECRET-thread-a');
    expect(secrets(await read())).toEqual({ traces: 2, items: 2, examples: 1, conversations: 0, owned: 0 });
    expect(ofOthers(await read())).toBe(before);
    const again = orchestrator.conversations.delete('SECRET-thread-a');
    await expect(again).rejects.toMatchObject({ code: 'not_found' });
  });

  test('goes with traces whose entries it does not keep any more', async () => {
    const { orchestrator, send, storage, inbox } = createLongService();
    const first = await send('SECRET', 'thread-1');
    await inbox.resolve(first.itemId ?? '', { outcome: 'dismissed', by: 'ada' });
    for (let count = 0; count < MAX_CONVERSATION_ENTRIES / 2; count++) await send('SECRET', 'thread-1');
    const { entries } = await orchestrator.conversations.get('thread-1');
    expect(entries.map(({ traceId }) => traceId)).not.toContain(first.traceId);
    await orchestrator.conversations.delete('thread-1');
    expect(await storage.traces.list({ limit: 10, offset: 0 })).toMatchObject({ total: 0 });
    expect(JSON.stringify(await storage.inbox.list({}, { limit: 200 }))).not.toContain('SECRET');
  });
});

function createLongService() {
  const storage = memoryStorage();
  return { ...createInboxService({ ports: storage }), storage };
}

describe('a customer who is erased', () => {
  test('leaves nothing readable behind, and others have everything as before', async () => {
    const { orchestrator, read, storage } = await createWorld();
    const before = ofOthers(await read());
    expect(await orchestrator.erase('SECRET-customer')).toEqual({
      traces: 5,
      conversations: 2,
      inboxItems: 4,
      examples: 2,
      runs: 0,
      routes: 0,
    });
    expect(secrets(await read())).toEqual(nothing);
    expect(ofOthers(await read())).toBe(before);
    const { items } = await storage.inbox.list({ statuses: ['withdrawn'] }, { limit: 10 });
    expect(items).toHaveLength(4);
    expect(items).toMatchObject(Array(4).fill({ title: 'Withdrawn', customerId: null, notes: [] }));
  });

  test('who is unknown, or was erased before, has nothing', async () => {
    const { orchestrator } = await createWorld();
    const none = { traces: 0, conversations: 0, inboxItems: 0, examples: 0, runs: 0, routes: 0 };
    expect(await orchestrator.erase('nobody')).toEqual(none);
    await orchestrator.erase('SECRET-customer');
    expect(await orchestrator.erase('SECRET-customer')).toEqual(none);
  });

  test('has more records than one page holds', async () => {
    const { orchestrator, send } = createLongService();
    for (let count = 0; count < 450; count++) await send('SECRET');
    expect(await orchestrator.erase('customer-1')).toMatchObject({ traces: 450, inboxItems: 450 });
  });
});

/** The operations that delete something, each with what it must leave of the first customer. */
const deletions: readonly [string, (world: World) => (own: Orchestrator) => Promise<unknown>, object][] = [
  [
    'a trace with an example',
    ({ traces }) =>
      (own) =>
        own.traces.delete(traces.resolved.traceId),
    { traces: 4, items: 3, examples: 1, conversations: 1, owned: 1 },
  ],
  [
    'a conversation',
    () => (own) => own.conversations.delete('SECRET-thread-a'),
    { traces: 3, items: 3, examples: 2, conversations: 1, owned: 1 },
  ],
  ['a customer', () => (own) => own.erase('SECRET-customer'), nothing],
];

type Orchestrator = ReturnType<typeof createOrchestrator>;

/** Storage whose call number `failing` fails: before it acts, or after it has acted and only the answer is lost. */
function failingStorage(storage: StoragePorts, failing: number, isAfter: boolean) {
  let calls = 0;
  const wrap = <T extends object>(store: T): T =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...parameters: readonly unknown[]) => {
          calls += 1;
          const isFailing = calls === failing;
          if (isFailing && !isAfter) throw unavailable('the store is unavailable');
          const result: unknown = await Reflect.apply(member, target, parameters);
          if (isFailing) throw unavailable('the store is unavailable');
          return result;
        };
      },
    });
  const { traces, inbox, conversations, examples } = storage;
  const wrapped = {
    traces: wrap(traces),
    inbox: wrap(inbox),
    conversations: wrap(conversations),
    examples: wrap(examples),
  };
  return { ...storage, ...wrapped };
}

describe.each([
  ['before a command', false],
  ['after a command whose answer is lost', true],
])('a store failure %s, at each step in turn', (_, isAfter) => {
  test.each(deletions)('leaves the deletion repeatable: %s', async (_name, remove, left) => {
    let failures = 0;
    for (let failing = 1; ; failing++) {
      const world = await createWorld();
      const before = ofOthers(await world.read());
      const { ports } = testPorts(failingStorage(world.storage, failing, isAfter));
      const failed = await remove(world)(createOrchestrator(ports)).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failed === undefined) break;
      failures += 1;
      expect(failed).toMatchObject({ code: 'unavailable' });
      await remove(world)(world.orchestrator).catch((error: unknown) => {
        // Only the answer of the last command was lost.
        if (!isAfter || !isOrchestrationError(error, 'not_found')) throw error;
      });
      expect(secrets(await world.read()), `with a failure of call ${failing}`).toEqual(left);
      expect(ofOthers(await world.read())).toBe(before);
    }
    expect(failures).toBeGreaterThan(5);
  });
});

describe('an erasure while a run does not stop', () => {
  test('is unavailable, leaves the cancel, and deletes the rest when it is repeated', async () => {
    const runs = memoryRunLog({ maxRows: 100 });
    const { signal } = runs;
    let isDeaf = true;
    const deaf: RunLog = {
      ...runs,
      // As of a process that hangs: the request to cancel waits for it.
      signal: async (runId, given) => (isDeaf ? 'sent' : signal(runId, given)),
    };
    const core = createCore({ ports: { runs: deaf } });
    const customerId = 'SECRET';
    const ended = await core.start([call('a', 'echo')], { customerId });
    const runId = await core.start([pause('a', 3_600_000)], { customerId });
    const erasing = core.orchestrator.erase(customerId).catch((error: unknown) => error);
    await core.clock.advance(19_999);
    expect((await core.get(runId)).status).toBe('WAITING');
    await core.clock.advance(2);
    expect(await erasing).toSatisfy((error) => isOrchestrationError(error, 'unavailable'));
    expect(await runs.ofCustomer(customerId, 10)).toEqual([runId]);
    await expect(core.runs.get(ended)).rejects.toMatchObject({ code: 'not_found' });
    isDeaf = false;
    const repeated = core.orchestrator.erase(customerId);
    await core.settle();
    expect(await repeated).toMatchObject({ runs: 1 });
    expect(await runs.ofCustomer(customerId, 10)).toEqual([]);
    // The next search for runs that are due finds none.
    await core.clock.advance(5_000);
    expect(core.clock.pending()).toBe(0);
  });
});
