import { describe, expect, test } from 'vitest';
import { isOrchestrationError } from '../../../src/domain/errors.ts';
import type { InboxItem } from '../../../src/domain/inbox/item.ts';
import {
  createInboxService,
  inboxEventsIn,
  sampleItem,
  sampleItems,
  timeAfter,
} from '../../support/inbox.ts';

const WORKERS = 50;
const ITEMS = 1_000;

/** Runs workers that call `work` with their name until it resolves to false. */
function runWorkers(work: (by: string) => Promise<boolean>): Promise<unknown> {
  const names = Array.from({ length: WORKERS }, (_, index) => `worker-${index}`);
  return Promise.all(
    names.map(async (by) => {
      while (await work(by));
    }),
  );
}

/** Every item whose events are not numbered 1, 2, 3 … as often as it says, or that has an event twice. */
function gapsIn(events: readonly unknown[], items: readonly InboxItem[]): readonly string[] {
  return items.flatMap(({ itemId, lastSeq }) => {
    const seqs = inboxEventsIn(events, itemId)
      .map(({ seq }) => seq)
      .sort((a, b) => a - b);
    const expected = Array.from({ length: lastSeq - 1 }, (_, index) => index + 2);
    return JSON.stringify(seqs) === JSON.stringify(expected) ? [] : [`${itemId}: ${seqs}`];
  });
}

async function createFilledService(items: readonly InboxItem[]) {
  const service = createInboxService();
  for (const item of items) await service.ports.inbox.create(item);
  const stored = async () => {
    const all = await Promise.all(items.map(({ itemId }) => service.ports.inbox.get(itemId)));
    return all.flatMap((item) => item ?? []);
  };
  return { ...service, stored };
}

describe(`${WORKERS} people who take the next of ${ITEMS} items at once`, () => {
  test('claim and resolve each exactly once', async () => {
    const { inbox, recorded, stored } = await createFilledService(sampleItems(ITEMS));
    const taken: string[] = [];
    await runWorkers(async (by) => {
      const item = await inbox.next({ by });
      if (item === undefined) return false;
      expect(item).toMatchObject({ status: 'claimed', assignee: by });
      taken.push(item.itemId);
      const resolved = await inbox.resolve(item.itemId, { outcome: 'answered', by });
      expect(resolved).toMatchObject({ status: 'resolved', resolution: { by } });
      return true;
    });
    expect(taken).toHaveLength(ITEMS);
    expect(new Set(taken).size).toBe(ITEMS);
    const items = await stored();
    expect(items.filter(({ status, version }) => status !== 'resolved' || version !== 3)).toEqual([]);
    expect(gapsIn(recorded.events, items)).toEqual([]);
    expect(inboxEventsIn(recorded.events)).toHaveLength(2 * ITEMS);
  });

  test('get them in their order', async () => {
    const { inbox } = await createFilledService(
      sampleItems(90).map((item, index) => ({ ...item, priority: ([3, 1, 2] as const)[index % 3] ?? 3 })),
    );
    const taken: InboxItem[] = [];
    for (let item = await inbox.next({ by: 'ada' }); item !== undefined; ) {
      taken.push(item);
      item = await inbox.next({ by: 'ada' });
    }
    expect(taken.map(({ priority }) => priority)).toEqual([
      ...Array(30).fill(1),
      ...Array(30).fill(2),
      ...Array(30).fill(3),
    ]);
    expect(taken[0]?.itemId).toBe('item-1');
  });
});

describe(`${WORKERS} people who claim the same ${ITEMS} items by their ids`, () => {
  test('have one winner an item, and everybody else is told who that is', async () => {
    const items = sampleItems(ITEMS);
    const { inbox, recorded, stored } = await createFilledService(items);
    let won = 0;
    let lost = 0;
    const next = new Map<string, number>();
    await runWorkers(async (by) => {
      const index = next.get(by) ?? 0;
      next.set(by, index + 1);
      const item = items[index];
      if (item === undefined) return false;
      try {
        await inbox.claim(item.itemId, by);
        won += 1;
      } catch (error) {
        if (!isOrchestrationError(error, 'conflict')) throw error;
        expect(error.message).toMatch(/^the item is claimed by "worker-\d+" until /);
        lost += 1;
      }
      return true;
    });
    expect([won, lost]).toEqual([ITEMS, ITEMS * (WORKERS - 1)]);
    expect(gapsIn(recorded.events, await stored())).toEqual([]);
  });
});

describe('in 500 rounds of a claim against its lapse against a resolution', () => {
  test('one decision counts, and each change has one event without gaps in the numbers', async () => {
    const { inbox, clock, recorded, ports, orchestrator } = createInboxService({
      limits: { inboxClaimMs: 10 },
    });
    const statuses = new Set<string>();
    for (let round = 0; round < 500; round++) {
      const itemId = `item-${round}`;
      await ports.inbox.create(
        sampleItem({
          itemId,
          status: 'claimed',
          assignee: 'bo',
          version: 2,
          lastSeq: 2,
          claimedUntil: new Date(clock.now() + 10).toISOString(),
          openedAt: timeAfter(round),
          dueAt: null,
          expiresAt: null,
        }),
      );
      clock.jump(10);
      const attempts = await Promise.allSettled(
        shuffled(round, [
          () => inbox.claim(itemId, 'ada'),
          () => inbox.resolve(itemId, { outcome: 'answered', by: 'bo' }),
          () => inbox.list({}, { limit: 1 }),
          () => inbox.resolve(itemId, { outcome: 'dismissed', by: 'cy' }),
        ]).map(async (attempt, index) => {
          await turns((round * 7 + index * 5) % 23);
          return attempt();
        }),
      );
      for (const attempt of attempts) {
        if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'conflict' });
      }
      const item = await ports.inbox.get(itemId);
      if (item === undefined) throw new Error('the item is gone');
      statuses.add(item.status);
      const decided = item.status === 'claimed' ? 'inbox.claimed' : 'inbox.resolved';
      const events = inboxEventsIn(recorded.events, itemId);
      expect(events.map(({ seq, type }) => `${seq} ${type}`).sort()).toEqual([
        '3 inbox.released',
        `4 ${decided}`,
      ]);
      expect(item).toMatchObject({ lastSeq: 4, version: 4 });
    }
    expect(statuses).toEqual(new Set(['claimed', 'resolved']));
    await orchestrator.close(0);
  });
});

/** Waits while promises settle, so that those who wait less come first. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

/** The same values in an order that depends on the round. */
function shuffled<T>(round: number, values: readonly T[]): readonly T[] {
  const start = round % values.length;
  const turned = [...values.slice(start), ...values.slice(0, start)];
  return round % 8 < 4 ? turned : turned.reverse();
}
