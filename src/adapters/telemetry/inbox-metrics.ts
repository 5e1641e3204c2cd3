import { Counter, Gauge, type Registry } from 'prom-client';
import type { EventSink } from '../../domain/events.ts';
import type { InboxChanged } from '../../domain/inbox/inbox-events.ts';
import { itemKinds, waitingStatuses } from '../../domain/inbox/item.ts';
import type { InboxCounts } from '../../domain/inbox/order.ts';
import { withTimeout } from '../../lib/async/timeout.ts';
import { systemClock } from '../shared/system.ts';

/** Milliseconds that the metrics wait for the numbers of items. */
const WAIT_MS = 1_000;

/** Reads how much waits for a person. */
export type ReadInboxCounts = () => Promise<InboxCounts>;

/**
 * Creates an event sink that counts what happens to items of the inbox. With `readCounts` there are gauges of the items
 * that wait, which are read with the metrics. They keep their last values where that fails or takes longer than a
 * second.
 */
export function createInboxMetrics(registry: Registry, readCounts?: ReadInboxCounts): EventSink {
  const registers = [registry];
  const overdue = new Counter({
    name: 'service_inbox_overdue_total',
    help: 'Inbox items that became overdue while they waited.',
    registers,
  });
  const changes = new Counter({
    name: 'service_inbox_changes_total',
    help: 'Changes of inbox items, by kind and change: opened, claimed, released, lapsed, resolved, withdrawn or expired.',
    labelNames: ['kind', 'change'],
    registers,
  });
  if (readCounts !== undefined) createWaitingGauges(registry, readCounts);
  return (event) => {
    if (event.type === 'inbox.overdue') overdue.inc();
    else if ('itemId' in event) changes.labels(event.itemKind, changeOf(event)).inc();
  };
}

/** A claim that lapses is told as released, and an item that goes with its subject as resolved. */
function changeOf({ type, outcome }: InboxChanged): string {
  if (outcome === 'lapsed' || outcome === 'withdrawn') return outcome;
  return type.slice('inbox.'.length);
}

function createWaitingGauges(registry: Registry, readCounts: ReadInboxCounts): void {
  const readOnce = shareReads(readCounts);
  const registers = [registry];
  new Gauge({
    name: 'service_inbox_items',
    help: 'Inbox items that wait for a person now, by kind and status.',
    labelNames: ['kind', 'status'],
    registers,
    async collect() {
      const counts = await readOnce();
      if (counts === undefined) return;
      for (const kind of itemKinds) {
        for (const status of waitingStatuses) this.set({ kind, status }, counts.waiting[kind][status]);
      }
    },
  });
  new Gauge({
    name: 'service_inbox_age_seconds',
    help: 'Seconds since the opening of the inbox item that waits longest; 0 while none waits.',
    registers,
    async collect() {
      const counts = await readOnce();
      if (counts !== undefined) this.set(ageSeconds(counts));
    },
  });
}

function ageSeconds({ oldestOpenedAt }: InboxCounts): number {
  return oldestOpenedAt === null ? 0 : Math.max(0, (systemClock.now() - oldestOpenedAt) / 1_000);
}

/** Reads the counts once for all gauges that ask at the same time. Resolves to undefined where that fails. */
function shareReads(readCounts: ReadInboxCounts): () => Promise<InboxCounts | undefined> {
  let reading: Promise<InboxCounts | undefined> | undefined;
  return () => {
    reading ??= withTimeout(readCounts, { clock: systemClock, timeoutMs: WAIT_MS })
      // The store is away: the metrics must be readable then above all.
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
}
