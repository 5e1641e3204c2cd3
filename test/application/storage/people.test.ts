import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { conversationTable } from '../../../src/application/storage/conversations.ts';
import { exampleTable } from '../../../src/application/storage/examples.ts';
import { inboxTable } from '../../../src/application/storage/inbox.ts';
import { createPeople, type PeopleOptions } from '../../../src/application/storage/people.ts';
import type { StorageParts } from '../../../src/application/storage/update.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import { summarizeTrace, type Trace } from '../../../src/domain/message/trace.ts';
import { sleep } from '../../../src/lib/async/sleep.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import { remove, type Store, type Table, write } from '../../../src/ports/storage/store.ts';
import {
  at,
  claimed,
  handled,
  type PeopleStores,
  replyTo,
  resolved,
  sampleExample,
  sampleItem,
} from '../../contracts/inbox-store-samples.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { sharedMemoryStore } from '../../support/memory.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const traceTable: Table<{ readonly record: Trace }> = {
  name: 'traces',
  texts: {},
  numbers: {},
  expiresAt: () => null,
};

/** Traces in the store, as far as messages need them. */
function createTraces(store: Store): Ports['traces'] {
  return {
    async put(trace) {
      await store.commit([write(traceTable, trace.traceId, { record: trace })]);
    },
    async get(traceId) {
      const [stored] = await store.read(traceTable, [traceId]);
      return stored?.row.record;
    },
    async list(page) {
      const found = await store.range(traceTable, { ...page, descending: true });
      const items = found.map(({ row }) => summarizeTrace(row.record));
      return { ...page, items, total: await store.count(traceTable, {}) };
    },
    async delete(traceId) {
      await store.commit([remove(traceTable, traceId)]);
      return true;
    },
  };
}

/** Stores traces as `put` decides, which is given what writes one with all that belongs to it. */
function storeTracesBy(
  put: (id: string, write: () => Promise<unknown>) => Promise<void>,
): PeopleOptions['traces'] {
  return {
    change: (trace) => write(traceTable, trace.traceId, { record: trace }),
    store: (change, commit) => put(change.id, commit),
  };
}

/** The stores over one engine; several of them are several processes. */
function makeStores(
  { store, clock = systemClock }: Partial<StorageParts> = {},
  options: Partial<PeopleOptions> = {},
): PeopleStores {
  const engine = store ?? sharedMemoryStore(clock);
  const people = createPeople(
    { store: engine, clock, random: Math.random },
    {
      traceRetentionMs: 7 * DAY_MS,
      maxWaitingItems: 100_000,
      traces: storeTracesBy(async (_id, write) => void (await write())),
      ...options,
    },
  );
  return { traces: createTraces(engine), ...people };
}

/** A store that is as far away as one of another machine. */
function distantStore(): Store {
  const engine = sharedMemoryStore(systemClock);
  const travel = () => sleep(systemClock, 0.5 + Math.random());
  return {
    ...engine,
    async commit(changes) {
      await travel();
      const versions = await engine.commit(changes);
      await travel();
      return versions;
    },
    async range(table, request) {
      await travel();
      const found = await engine.range(table, request);
      await travel();
      return found;
    },
  };
}

/** A store that counts what it is asked for. */
function countedStore(engine = sharedMemoryStore(systemClock)) {
  const counts = { commits: 0, reads: 0 };
  const store: Store = {
    ...engine,
    commit(changes, notices) {
      counts.commits++;
      return engine.commit(changes, notices);
    },
    read(table, ids) {
      if (ids.length > 0) counts.reads++;
      return engine.read(table, ids);
    },
    range(table, request) {
      counts.reads++;
      return engine.range(table, request);
    },
    count(table, selection) {
      counts.reads++;
      return engine.count(table, selection);
    },
  };
  /** The commits and reads of `work`. */
  async function during(work: () => Promise<unknown>) {
    const { commits, reads } = counts;
    await work();
    return { commits: counts.commits - commits, reads: counts.reads - reads };
  }
  return { store, during };
}

describe('a message is stored', () => {
  test('by one commit and without reading, with its item, once its conversation is entered', async () => {
    const { store, during } = countedStore();
    const { conversations } = makeStores({ store });
    for (const [number, withItem] of [true, false, true].entries()) {
      await conversations.enter('c-1', 'customer-1', at(0));
      const message = handled(`trace-${number}`, 'c-1', { withItem });
      expect(await during(() => conversations.record(message))).toEqual({ commits: 1, reads: 0 });
    }
    expect((await conversations.get('c-1'))?.entries).toHaveLength(6);
  });

  test('by one commit and without reading where it has no conversation', async () => {
    const { store, during } = countedStore();
    const { conversations } = makeStores({ store });
    for (const withItem of [true, false]) {
      const message = handled(`trace-${withItem}`, null, { withItem });
      expect(await during(() => conversations.record(message))).toEqual({ commits: 1, reads: 0 });
    }
  });

  test('after what another process has stored in its conversation meanwhile', async () => {
    const store = sharedMemoryStore(systemClock);
    const [one, other] = [makeStores({ store }), makeStores({ store })];
    for (const { conversations } of [one, other]) await conversations.enter('c-1', 'customer-1', at(0));
    const messages = [handled('trace-1', 'c-1', { withItem: true }), handled('trace-2', 'c-1')];
    for (const [number, { conversations }] of [one, other].entries())
      await conversations.record(messages[number] ?? handled('', null));
    expect(await one.conversations.get('c-1')).toMatchObject({
      openItemId: 'item-of-trace-1',
      entries: messages.flatMap(({ entries }) => entries),
    });
  });

  test('once where the reply of the store was lost and it is written again', async () => {
    const engine = sharedMemoryStore(systemClock);
    let isLost = false;
    const store: Store = {
      ...engine,
      async commit(changes) {
        const versions = await engine.commit(changes);
        if (isLost) throw unavailable('the reply was lost');
        return versions;
      },
    };
    const kept: (() => Promise<unknown>)[] = [];
    const traces = storeTracesBy(async (_id, write) => void (await write().catch(() => kept.push(write))));
    const { conversations, inbox } = makeStores({ store }, { traces });
    await conversations.enter('c-1', 'customer-1', at(0));
    const message = handled('trace-1', 'c-1', { withItem: true });
    isLost = true;
    await conversations.record(message);
    isLost = false;
    const item = message.item ?? sampleItem('');
    expect(await inbox.update({ item: resolved(item), expectedVersion: 1 })).toBe(true);
    for (const writeAgain of kept) await writeAgain();
    expect(kept).toHaveLength(1);
    expect(await conversations.get('c-1')).toMatchObject({ openItemId: null, entries: message.entries });
    expect(await inbox.get(item.itemId)).toEqual(resolved(item));
  });

  test('again without holding its conversation through an item that has ended', async () => {
    const { conversations, inbox } = makeStores();
    await conversations.enter('c-1', 'customer-1', at(0));
    const message = handled('trace-1', 'c-1', { withItem: true });
    await conversations.record(message);
    const ended = resolved(message.item ?? sampleItem(''));
    await inbox.update({ item: ended, expectedVersion: 1 });
    await conversations.enter('c-1', 'customer-1', at(0));
    await conversations.record(message);
    expect(await conversations.get('c-1')).toMatchObject({ openItemId: null, entries: message.entries });
    expect(await inbox.get(ended.itemId)).toEqual(ended);
  });

  test('as it was when it was handed over', async () => {
    const puts: { id: string; write: () => Promise<unknown> }[] = [];
    const { conversations, traces, inbox } = makeStores(
      {},
      { traces: storeTracesBy(async (id, write) => void puts.push({ id, write })) },
    );
    await conversations.enter('c-1', 'customer-1', at(0));
    const message = handled('trace-1', 'c-1', { withItem: true });
    await conversations.record(message);
    expect(await traces.get('trace-1')).toBeUndefined();
    const [put] = puts;
    expect(put?.id).toBe('trace-1');
    const before = structuredClone(message);
    Object.assign(message.trace, { response: 'Changed.' });
    Object.assign(message.item ?? {}, { itemId: 'changed', title: 'Changed' });
    Object.assign(message.entries[0] ?? {}, { text: 'Changed.' });
    await put?.write();
    expect(await traces.get('trace-1')).toEqual(before.trace);
    expect(await inbox.get('item-of-trace-1')).toEqual(before.item);
    expect((await conversations.get('c-1'))?.entries).toEqual(before.entries);
  });

  test('also where its conversation has expired since it was entered, which takes nothing', async () => {
    const clock = createFakeClock();
    const { conversations, traces, inbox } = makeStores({ clock }, { traceRetentionMs: 1_000 });
    await conversations.enter('c-1', 'customer-1', at(0));
    clock.jump(1_000);
    await conversations.record(handled('trace-1', 'c-1', { withItem: true }));
    expect(await conversations.get('c-1')).toBeUndefined();
    expect(await traces.get('trace-1')).toBeDefined();
    expect(await inbox.get('item-of-trace-1')).toBeDefined();
  });
});

test('50 workers that claim 1,000 items end after few attempts, with each item once', async () => {
  const { store, during } = countedStore(distantStore());
  const { inbox } = makeStores({ store });
  const items = Array.from({ length: 1_000 }, (_, number) => sampleItem(`item-${1_000 + number}`));
  await Promise.all(items.map((item) => inbox.create(item)));
  const given: string[] = [];
  const claim = { assignee: 'ann', claimedUntil: at(3_600_000) };
  const worker = async () => {
    for (let item = await inbox.claimNext(claim); item; item = await inbox.claimNext(claim))
      given.push(item.itemId);
  };
  const { commits } = await during(() => Promise.all(Array.from({ length: 50 }, worker)));
  expect(given.toSorted()).toEqual(items.map(({ itemId }) => itemId));
  expect(commits / items.length).toBeLessThan(5);
});

test.each([inboxTable, conversationTable, exampleTable])(
  'the table $name and its indexes have names that engines can use, each once',
  ({ name, texts, numbers }) => {
    const names = [name, ...Object.keys(texts), ...Object.keys(numbers)];
    for (const each of names) expect(each).toMatch(/^[a-z_]+$/);
    expect(new Set(names).size).toBe(names.length);
  },
);

describe('records expire', () => {
  test('items after the retention from their end, and never while they wait', async () => {
    const clock = createFakeClock();
    const { inbox } = makeStores({ clock });
    const time = (ms: number) => new Date(clock.now() + ms).toISOString();
    const waiting = sampleItem('waits', { openedAt: time(0) });
    const ended = sampleItem('ends', { openedAt: time(0) });
    for (const item of [waiting, ended]) await inbox.create(item);
    await inbox.update({ item: resolved(ended, time(1_000)), expectedVersion: 1 });
    clock.jump(7 * DAY_MS + 999);
    expect(await inbox.get('ends')).toBeDefined();
    clock.jump(1);
    expect(await inbox.get('ends')).toBeUndefined();
    expect((await inbox.list({}, { limit: 9 })).items).toEqual([waiting]);
  });

  test('conversations after the retention from the last message or reply', async () => {
    const clock = createFakeClock();
    const { conversations, inbox } = makeStores({ clock });
    const message = handled('trace-1', 'c-1', { withItem: true });
    const item = message.item ?? sampleItem('');
    await conversations.enter('c-1', 'customer-1', at(0));
    const reply = replyTo(item);
    const steps = [
      () => conversations.record(message),
      () => inbox.update({ item: claimed(item), expectedVersion: 1, reply }),
    ];
    for (const step of steps) {
      clock.jump(5 * DAY_MS);
      await step();
    }
    clock.jump(7 * DAY_MS - 1);
    expect(await conversations.get('c-1')).toBeDefined();
    await conversations.removeEntries('c-1', 'unknown');
    clock.jump(1);
    expect(await conversations.get('c-1')).toBeUndefined();
    expect(await conversations.ofCustomer('customer-1')).toEqual([]);
  });

  test('conversations later, where a message enters them shortly before', async () => {
    const clock = createFakeClock();
    const { conversations } = makeStores({ clock });
    await conversations.enter('c-1', 'customer-1', at(0));
    await conversations.record(handled('trace-1', 'c-1'));
    clock.jump(7 * DAY_MS - 1_000);
    expect((await conversations.enter('c-1', 'customer-1', at(0)))?.entries).toHaveLength(2);
    clock.jump(2_000);
    await conversations.record(handled('trace-2', 'c-1'));
    expect((await conversations.get('c-1'))?.entries).toHaveLength(4);
  });

  test('examples never', async () => {
    const clock = createFakeClock();
    const { inbox, examples } = makeStores({ clock });
    const item = sampleItem('item-1');
    await inbox.create(item);
    const example = sampleExample('item-1');
    await inbox.update({
      item: resolved(item, new Date(clock.now()).toISOString()),
      expectedVersion: 1,
      example,
    });
    clock.jump(10_000 * DAY_MS);
    expect(await inbox.get('item-1')).toBeUndefined();
    expect(await examples.get(example.datasetId, 'item-1')).toEqual(example);
  });
});

test('a full inbox refuses further items, but for those of messages and those that it has', async () => {
  const { inbox, conversations } = makeStores({}, { maxWaitingItems: 2 });
  for (const id of ['a', 'b']) await inbox.create(sampleItem(id));
  const full = { code: 'unavailable', message: 'the inbox is full: 2 items wait' };
  await expect(inbox.create(sampleItem('c'))).rejects.toMatchObject(full);
  expect(await inbox.get('c')).toBeUndefined();
  await inbox.create(sampleItem('a'));
  await conversations.record(handled('trace-1', null, { withItem: true }));
  expect(await inbox.get('item-of-trace-1')).toBeDefined();
  for (const id of ['a', 'b']) await inbox.update({ item: resolved(sampleItem(id)), expectedVersion: 1 });
  await inbox.create(sampleItem('c'));
  expect(await inbox.get('c')).toBeDefined();
});

test('all of the many conversations of a customer are found', async () => {
  const { conversations } = makeStores();
  const ids = Array.from({ length: 250 }, (_, number) => `c-${number}`);
  for (const id of ids) await conversations.enter(id, 'customer-1', at(0));
  expect(await conversations.ofCustomer('customer-1')).toEqual(ids);
});
