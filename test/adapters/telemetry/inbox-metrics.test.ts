import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../../src/adapters/telemetry/prometheus.ts';
import type { InboxChanged } from '../../../src/domain/inbox/inbox-events.ts';
import { itemKinds } from '../../../src/domain/inbox/item.ts';
import type { InboxCounts } from '../../../src/domain/inbox/order.ts';
import { scrape, value } from './exposition.ts';

function counts(open: number, oldestOpenedAt: number | null): InboxCounts {
  const none = { open: 0, claimed: 0 };
  return {
    waiting: { escalation: { open, claimed: 2 }, draft: none, approval: none, recovery: none },
    overdue: 0,
    oldestOpenedAt,
  };
}

const changed: Omit<InboxChanged, 'type'> = {
  itemId: 'i',
  itemKind: 'escalation',
  seq: 1,
  at: 0,
  by: 'maria',
  outcome: null,
  ageMs: 0,
};

describe('the counters of the inbox', () => {
  test('count changes by kind, and tell lapsed claims and withdrawn items apart', async () => {
    const metrics = createMetrics();
    const events: readonly InboxChanged[] = [
      { ...changed, type: 'inbox.opened' },
      { ...changed, type: 'inbox.opened' },
      { ...changed, type: 'inbox.claimed' },
      { ...changed, type: 'inbox.released' },
      { ...changed, type: 'inbox.released', outcome: 'lapsed' },
      { ...changed, type: 'inbox.resolved', outcome: 'answered' },
      { ...changed, type: 'inbox.resolved', outcome: 'withdrawn' },
      { ...changed, type: 'inbox.expired', itemKind: 'draft' },
    ];
    for (const event of events) metrics.sink(event);
    const families = await scrape(metrics);
    const samples = families.get('service_inbox_changes_total')?.samples ?? [];
    expect(samples.map(({ labels, value }) => [labels['kind'], labels['change'], value])).toEqual([
      ['escalation', 'opened', 2],
      ['escalation', 'claimed', 1],
      ['escalation', 'released', 1],
      ['escalation', 'lapsed', 1],
      ['escalation', 'resolved', 1],
      ['escalation', 'withdrawn', 1],
      ['draft', 'expired', 1],
    ]);
  });

  test('count each item once that becomes overdue', async () => {
    const metrics = createMetrics();
    expect(value(await scrape(metrics), 'service_inbox_overdue_total')).toBe(0);
    metrics.sink({ type: 'inbox.overdue', itemId: 'i', itemKind: 'approval' });
    expect(value(await scrape(metrics), 'service_inbox_overdue_total')).toBe(1);
  });
});

describe('the gauges of the inbox', () => {
  test('are read from the store once for each scrape', async () => {
    let reads = 0;
    const inboxCounts = async () => {
      reads += 1;
      return counts(reads, Date.now() - 60_000);
    };
    const metrics = createMetrics({ inboxCounts });
    for (const open of [1, 2]) {
      const families = await scrape(metrics);
      const items = (kind: string, status: string) =>
        value(families, 'service_inbox_items', { kind, status });
      expect(itemKinds.map((kind) => items(kind, 'open'))).toEqual([open, 0, 0, 0]);
      expect(itemKinds.map((kind) => items(kind, 'claimed'))).toEqual([2, 0, 0, 0]);
      const age = value(families, 'service_inbox_age_seconds') ?? 0;
      expect(age >= 60 && age < 120).toBe(true);
    }
    expect(reads).toBe(2);
  });

  test('have the age 0 while nothing waits', async () => {
    const metrics = createMetrics({ inboxCounts: async () => counts(0, null) });
    expect(value(await scrape(metrics), 'service_inbox_age_seconds')).toBe(0);
  });

  test('do not exist where the inbox is off', async () => {
    const families = await scrape(createMetrics());
    expect([families.has('service_inbox_items'), families.has('service_inbox_age_seconds')]).toEqual([
      ...[false, false],
    ]);
  });

  test.each([
    ['fails', () => Promise.reject(new Error('away'))],
    ['throws', () => expect.fail('away')],
    ['does not answer', () => new Promise<InboxCounts>(() => {})],
  ])('keep their last values where the store %s, and hold up no other metric', async (_how, fails) => {
    let inboxCounts: () => Promise<InboxCounts> = async () => counts(3, null);
    const metrics = createMetrics({ inboxCounts: () => inboxCounts() });
    const open = async () =>
      value(await scrape(metrics), 'service_inbox_items', { kind: 'escalation', status: 'open' });
    expect(await open()).toBe(3);
    inboxCounts = fails;
    expect(await open()).toBe(3);
    inboxCounts = async () => counts(4, null);
    expect(await open()).toBe(4);
  });
});
