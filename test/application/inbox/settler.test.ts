import { describe, expect, test, vi } from 'vitest';
import { createItemWriter } from '../../../src/application/inbox/item-writer.ts';
import { createSettler } from '../../../src/application/inbox/settler.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import type { InboxItem } from '../../../src/domain/inbox/item.ts';
import type { InboxStore } from '../../../src/ports/storage/inbox-store.ts';
import { settle } from '../../support/fake-clock.ts';
import { inboxEventsIn, inboxEventText, sampleItem, sampleItems, timeAfter } from '../../support/inbox.ts';
import { testPorts } from '../../support/ports.ts';

async function setUp(
  items: readonly InboxItem[],
  own: (inbox: InboxStore) => Partial<InboxStore> = () => ({}),
) {
  const { ports, clock, recorded, logger } = testPorts();
  const inbox = { ...ports.inbox, ...own(ports.inbox) };
  const writer = createItemWriter({ ...ports, inbox });
  for (const item of items) await ports.inbox.create(item);
  const settler = createSettler({ clock, inbox, logger }, writer);
  const texts = () =>
    inboxEventsIn(recorded.events).map((event) => `${event.itemId} ${inboxEventText(event)}`);
  const overdue = () => recorded.events.filter(({ type }) => type === 'inbox.overdue').length;
  return { inbox, clock, logger, settler, texts, overdue };
}

const claimed = sampleItem({
  status: 'claimed',
  assignee: 'ada',
  claimedUntil: timeAfter(10_000),
  version: 2,
  lastSeq: 2,
});

describe('a settler that was started', () => {
  test('lets claims lapse', async () => {
    const { inbox, clock, settler, texts } = await setUp([claimed]);
    settler.start();
    await clock.advance(9_999);
    expect(texts()).toEqual([]);
    await clock.advance(5_000);
    expect(texts()).toEqual(['item-1 inbox.released service lapsed']);
    expect(await inbox.get('item-1')).toMatchObject({
      status: 'open',
      assignee: null,
      version: 3,
      lastSeq: 3,
    });
    await settler.close();
  });

  test('sees each overdue item once', async () => {
    const { inbox, clock, settler, texts, overdue } = await setUp(sampleItems(3));
    settler.start();
    await clock.advance(3_600_000 + 5_000);
    expect(overdue()).toBe(3);
    await clock.advance(600_000);
    expect(overdue()).toBe(3);
    expect(texts()).toEqual([]);
    expect(await inbox.counts()).toMatchObject({ overdue: 3 });
    await settler.close();
  });

  test('expires items that nobody has resolved', async () => {
    const { inbox, clock, settler, texts } = await setUp([sampleItem()]);
    settler.start();
    await clock.advance(86_400_000 + 5_000);
    expect(texts()).toEqual(['item-1 inbox.expired service']);
    expect(await inbox.get('item-1')).toMatchObject({ status: 'expired' });
    await settler.close();
  });

  test('tries again after the store was unavailable', async () => {
    let isDown = true;
    const { clock, logger, settler, texts } = await setUp([claimed], (inbox) => ({
      due: (now, limit) => (isDown ? Promise.reject(unavailable('no store')) : inbox.due(now, limit)),
    }));
    settler.start();
    await clock.advance(20_000);
    expect(texts()).toEqual([]);
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'debug' }));
    isDown = false;
    await clock.advance(5_000);
    expect(texts()).toEqual(['item-1 inbox.released service lapsed']);
    await settler.close();
  });

  test('leaves no timer once it is closed, also when it was at work', async () => {
    let release = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { clock, settler } = await setUp([claimed], () => ({
      due: () => waits.then(() => []),
    }));
    settler.start();
    expect(clock.pending()).toBe(1);
    await clock.advance(5_000);
    expect(clock.pending()).toBe(0);
    const closed = vi.fn();
    void settler.close().then(closed);
    await settle();
    expect(closed).not.toHaveBeenCalled();
    release();
    await settle();
    expect(closed).toHaveBeenCalled();
    expect(clock.pending()).toBe(0);
  });

  test('leaves no timer where it is closed while it waits', async () => {
    const { clock, settler, texts } = await setUp([claimed]);
    settler.start();
    await settler.close();
    expect(clock.pending()).toBe(0);
    await clock.advance(1_000_000);
    expect(texts()).toEqual([]);
  });
});

describe('settling', () => {
  test('does everything that is due, more than one page of it', async () => {
    const { inbox, clock, settler, texts } = await setUp(
      sampleItems(350).map((item) => ({ ...item, expiresAt: timeAfter(1_000) })),
    );
    await clock.advance(1_000);
    await settler.settle();
    expect(texts()).toHaveLength(350);
    expect((await inbox.counts()).waiting.escalation).toEqual({ open: 0, claimed: 0 });
  });

  test('by several processes at once makes each change once', async () => {
    const { ports, clock, recorded } = testPorts();
    for (const item of sampleItems(150)) await ports.inbox.create({ ...item, expiresAt: timeAfter(10) });
    await clock.advance(10);
    const processes = Array.from({ length: 4 }, () => createSettler(ports, createItemWriter(ports)));
    await Promise.all(processes.map((one) => one.settle()));
    const events = inboxEventsIn(recorded.events);
    expect(events).toHaveLength(150);
    expect(new Set(events.map(({ itemId }) => itemId)).size).toBe(150);
    expect(events.every(({ seq }) => seq === 2)).toBe(true);
  });

  test('is shared by callers at the same time, and sees what became due before the last call', async () => {
    let reads = 0;
    let release = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { clock, settler, texts } = await setUp([claimed], (inbox) => ({
      async due(now, limit) {
        reads += 1;
        await waits;
        return inbox.due(now, limit);
      },
    }));
    const first = settler.settle();
    clock.jump(10_000);
    const others = Array.from({ length: 20 }, () => settler.settle());
    release();
    await Promise.all([first, ...others]);
    expect(texts()).toEqual(['item-1 inbox.released service lapsed']);
    expect(reads).toBe(2);
  });

  test('rejects where the store is unavailable, and works again afterwards', async () => {
    let failures = 1;
    const { clock, settler, texts } = await setUp([claimed], (inbox) => ({
      due: (now, limit) => (failures-- > 0 ? Promise.reject(unavailable('no store')) : inbox.due(now, limit)),
    }));
    await clock.advance(10_000);
    await expect(settler.settle()).rejects.toMatchObject({ code: 'unavailable' });
    await settler.settle();
    expect(texts()).toHaveLength(1);
  });

  test('passes over an item that was removed meanwhile', async () => {
    const gone = sampleItem({ itemId: 'gone' });
    const { clock, settler, texts } = await setUp([claimed], (inbox) => ({
      due: async (now, limit) => [gone, ...(await inbox.due(now, limit))],
    }));
    await clock.advance(10_000);
    await settler.settle();
    expect(texts()).toEqual(['item-1 inbox.released service lapsed']);
  });
});
