import { describe, expect, test } from 'vitest';
import { createItemWriter } from '../../../src/application/inbox/item-writer.ts';
import { claimItem, noteOnItem, releaseItem, withdrawItem } from '../../../src/domain/inbox/changes.ts';
import type { InboxItem } from '../../../src/domain/inbox/item.ts';
import type { InboxStore } from '../../../src/ports/storage/inbox-store.ts';
import { inboxEventsIn, inboxEventText, sampleItem, timeAfter } from '../../support/inbox.ts';
import { testPorts } from '../../support/ports.ts';

/** A store in which somebody else adds a note before each of the first `races` updates. */
function racingStore(inbox: InboxStore, races: number): InboxStore & { readonly raced: () => number } {
  let raced = 0;
  return {
    ...inbox,
    raced: () => raced,
    async update(update) {
      if (raced < races) {
        raced += 1;
        const item = await inbox.get(update.item.itemId);
        if (item === undefined) throw new Error('the item is gone');
        const { item: noted } = noteOnItem(item, 'rival', `note ${raced}`, 0);
        await inbox.update({ item: noted, expectedVersion: item.version });
      }
      return inbox.update(update);
    },
  };
}

function setUp({ races = 0, item = sampleItem() }: { races?: number; item?: InboxItem } = {}) {
  const { ports, clock, recorded } = testPorts();
  const inbox = racingStore(ports.inbox, races);
  const writer = createItemWriter({ ...ports, inbox });
  const events = () => inboxEventsIn(recorded.events);
  const get = () => ports.inbox.get('item-1');
  return { clock, recorded, inbox, writer, events, get, opened: writer.open(item) };
}

const claim = (item: InboxItem, now: number) => claimItem(item, 'ada', now, 1_000);

describe('a change of an item', () => {
  test('is stored, emitted and resolved to', async () => {
    const { writer, events, get, opened } = setUp();
    await opened;
    const item = await writer.change('item-1', claim);
    expect(item).toMatchObject({ status: 'claimed', assignee: 'ada', version: 2 });
    expect(await get()).toEqual(item);
    expect(events()).toEqual([
      expect.objectContaining({ type: 'inbox.opened', by: 'service', seq: 1, itemKind: 'escalation' }),
      expect.objectContaining({ type: 'inbox.claimed', by: 'ada', seq: 2, ageMs: 0 }),
    ]);
  });

  test('tells how old the item is', async () => {
    const { writer, clock, events, opened } = setUp();
    await opened;
    await clock.advance(90_000);
    await writer.change('item-1', claim);
    expect(events().at(-1)).toMatchObject({ ageMs: 90_000, at: clock.now() });
  });

  test('loses no change that somebody else makes meanwhile, however often', async () => {
    const { writer, events, get, opened } = setUp({ races: 60 });
    await opened;
    await writer.change('item-1', claim);
    const item = await get();
    expect(item).toMatchObject({ status: 'claimed', assignee: 'ada', version: 62, lastSeq: 2 });
    expect(item?.notes.map(({ note }) => note)).toEqual(
      Array.from({ length: 60 }, (_, index) => `note ${index + 1}`),
    );
    expect(events().map(inboxEventText)).toEqual(['inbox.opened service', 'inbox.claimed ada']);
  });

  test('is given up as unavailable in a store that always races, with nothing of it stored or emitted', async () => {
    const { writer, inbox, events, get, opened } = setUp({ races: Number.POSITIVE_INFINITY });
    await opened;
    await expect(writer.change('item-1', claim)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await get()).toMatchObject({ status: 'open', assignee: null, version: 1 + inbox.raced() });
    expect(events()).toHaveLength(1);
  });

  test('is decided again on what somebody else has made of the item', async () => {
    const { ports } = testPorts();
    const writer = createItemWriter(ports);
    await writer.open(sampleItem());
    const rivals = Array.from({ length: 20 }, (_, index) =>
      writer.change('item-1', (item, now) => claimItem(item, `person-${index}`, now, 1_000)),
    );
    const outcomes = await Promise.allSettled(rivals);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
    }
  });

  test('that is none stores and emits nothing', async () => {
    const { writer, events, get, opened } = setUp();
    await opened;
    expect(await writer.change('item-1', () => undefined)).toEqual(sampleItem());
    expect(await get()).toEqual(sampleItem());
    expect(events()).toHaveLength(1);
  });

  test('of an unknown item is not_found, also when it goes meanwhile', async () => {
    const { writer } = setUp();
    await expect(writer.change('item-2', claim)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('that throws stores and emits nothing', async () => {
    const { writer, events, get, opened } = setUp();
    await opened;
    const release = (item: InboxItem, now: number) => releaseItem(item, 'ada', now);
    await expect(writer.change('item-1', release)).rejects.toMatchObject({ code: 'conflict' });
    expect(await get()).toEqual(sampleItem());
    expect(events()).toHaveLength(1);
  });
});

describe('a change after a claim has lapsed', () => {
  const lapsed = sampleItem({
    status: 'claimed',
    assignee: 'bo',
    claimedUntil: timeAfter(1_000),
    version: 2,
    lastSeq: 2,
  });

  test('is told after the lapse, each with its own number', async () => {
    const { writer, clock, events, get, opened } = setUp({ item: lapsed });
    await opened;
    await clock.advance(1_000);
    expect(await writer.change('item-1', claim)).toMatchObject({ assignee: 'ada', version: 4, lastSeq: 4 });
    expect((await get())?.lastSeq).toBe(4);
    const told = events()
      .slice(1)
      .map((event) => `${event.seq} ${inboxEventText(event)}`);
    expect(told).toEqual(['3 inbox.released service lapsed', '4 inbox.claimed ada']);
  });

  test('is a conflict once the item has expired, although nobody has seen that yet', async () => {
    const { writer, clock, opened } = setUp({ item: lapsed });
    await opened;
    await clock.advance(86_400_000);
    await expect(writer.change('item-1', claim)).rejects.toThrow('the item is expired');
  });
});

describe('an overdue item', () => {
  test('is told once, by whoever sees it first', async () => {
    const { writer, clock, recorded, opened } = setUp();
    await opened;
    await clock.advance(3_600_000);
    await writer.change('item-1', claim);
    await clock.advance(10);
    await writer.change('item-1', (item, now) => noteOnItem(item, 'bo', 'late', now));
    const overdue = recorded.events.filter(({ type }) => type === 'inbox.overdue');
    expect(overdue).toEqual([{ type: 'inbox.overdue', itemId: 'item-1', itemKind: 'escalation' }]);
  });
});

describe('the version that a caller has seen', () => {
  const note = (item: InboxItem, now: number) => noteOnItem(item, 'ada', 'x', now);

  test('lets the change through where the item still has it', async () => {
    const { writer, opened } = setUp();
    await opened;
    const seen = { version: 1, isPrecondition: true };
    expect(await writer.change('item-1', note, { seen })).toMatchObject({ version: 2 });
  });

  test.each([
    [false, 'conflict'],
    [true, 'precondition_failed'],
  ])('fails a change of another version (as precondition: %s) with %s', async (isPrecondition, code) => {
    const { writer, get, opened } = setUp();
    await opened;
    await writer.change('item-1', note);
    const stale = writer.change('item-1', note, { seen: { version: 1, isPrecondition } });
    await expect(stale).rejects.toMatchObject({
      code,
      message: 'the item has changed: its version is 2, not 1',
    });
    expect((await get())?.notes).toHaveLength(1);
  });

  test('fails a change that somebody else overtakes', async () => {
    const { writer, get, opened } = setUp({ races: 1 });
    await opened;
    const overtaken = writer.change('item-1', claim, { seen: { version: 1, isPrecondition: true } });
    await expect(overtaken).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await get()).toMatchObject({ status: 'open', version: 2 });
  });
});

describe('what is stored with a change', () => {
  test('is made from the changed item, and stored only with it', async () => {
    const { ports } = testPorts();
    const updates: unknown[] = [];
    let refused = 3;
    const inbox: InboxStore = {
      ...ports.inbox,
      async update(update) {
        updates.push(update.reply?.itemId);
        refused -= 1;
        return refused < 0 && ports.inbox.update(update);
      },
    };
    const writer = createItemWriter({ ...ports, inbox });
    await writer.open(sampleItem());
    const said = {
      text: 'Hello',
      at: timeAfter(0),
      traceId: null,
      disposition: null,
      intent: null,
      reasons: [],
    };
    const replied: (readonly [string, number])[] = [];
    await writer.change('item-1', withdrawItem, {
      withItem: ({ itemId, status, version }) => {
        replied.push([status, version]);
        const from = 'person' as const;
        return { reply: { ...said, from, itemId } };
      },
    });
    expect(replied).toEqual(Array(4).fill(['withdrawn', 2]));
    expect(updates).toEqual(Array(4).fill('item-1'));
  });
});
