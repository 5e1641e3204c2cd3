import { type InboxItem, type ItemKind, isWaiting, itemKinds } from '../../../domain/inbox/item.ts';
import { type InboxCounts, RANK_LIMIT, rankOfEnd } from '../../../domain/inbox/order.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { InboxStore, NextClaim } from '../../../ports/storage/inbox-store.ts';
import type { Connection } from '../connection.ts';
import { idOf, keyOf } from '../private-values.ts';
import { numberOf, type Row, textOf } from '../rows.ts';
import { type ConversationRows, encodeEntries } from './conversation-rows.ts';
import { type ExampleRows, encodeExample } from './example-rows.ts';
import { findItems } from './item-listing.ts';
import { encodeItem, ITEM_ROW_BYTES, type ItemRows, positionOf } from './item-rows.ts';

/** The inbox in the file. */
export interface StoredInbox {
  readonly store: InboxStore;
  /** Removes at most `limit` items that have expired after their end. Resolves to their number. */
  removeExpired(limit: number): Promise<number>;
}

/** The rows that an update of an item changes. */
export interface InboxRows {
  readonly items: ItemRows;
  readonly conversations: Pick<ConversationRows, 'add' | 'letGo'>;
  readonly examples: Pick<ExampleRows, 'put'>;
}

/** Creates the {@link StoredInbox}. `cutoff` is the time at or before which items must have ended to have expired. */
export function createStoredInbox(
  connection: Connection,
  { items, conversations, examples }: InboxRows,
  cutoff: () => number,
): StoredInbox {
  const { prepare, read, write, erase } = connection;
  const firstOpen = prepare(
    `SELECT position, place, id FROM items INDEXED BY items_waiting
     WHERE ended_at IS NULL AND kind = ? AND status = 'open' ORDER BY place, id LIMIT 1`,
  );
  const countWaiting = prepare(
    `SELECT kind, status, count(*) AS count, sum(overdue) AS overdue, min(opened_at) AS oldest
     FROM items INDEXED BY items_waiting WHERE ended_at IS NULL GROUP BY kind, status`,
  );
  const findDue = prepare('SELECT position FROM items WHERE next_at <= ? ORDER BY next_at LIMIT ?');
  const findExpired = prepare('SELECT position FROM items WHERE place >= ? AND place < ? LIMIT ?');

  function find(itemId: string): Row | undefined {
    const row = items.find(keyOf(itemId));
    const endedAt = row?.['ended_at'];
    return typeof endedAt === 'number' && endedAt <= cutoff() ? undefined : row;
  }

  function findFirstOpen(kinds: readonly ItemKind[]): Row | undefined {
    let first: Row | undefined;
    for (const kind of kinds) {
      const row = firstOpen.get(kind);
      if (row !== undefined && (first === undefined || isBefore(row, first))) first = row;
    }
    return first;
  }

  function claimFirst({ kinds = itemKinds, assignee, claimedUntil }: NextClaim): InboxItem | undefined {
    const row = findFirstOpen(kinds);
    const item = row && items.read(positionOf(row));
    if (row === undefined || item === undefined) return undefined;
    const { version, lastSeq } = item;
    const claimed = { ...item, status: 'claimed', assignee, claimedUntil } as const;
    const changed = { ...claimed, version: version + 1, lastSeq: lastSeq + 1 };
    items.replace(positionOf(row), encodeItem(changed));
    return changed;
  }

  async function readAll(positions: readonly number[]): Promise<readonly InboxItem[]> {
    const found: InboxItem[] = [];
    for (const position of positions) {
      const item = read(() => items.read(position));
      if (item !== undefined) found.push(item);
      await yieldIfDue();
    }
    return found;
  }

  return {
    store: {
      async create(item) {
        const encoded = encodeItem(item);
        await write(() => {
          if (items.find(encoded.id) === undefined) items.add(encoded);
        }, encoded.bytes);
      },
      async get(itemId) {
        return read(() => {
          const row = find(itemId);
          return row === undefined ? undefined : items.read(positionOf(row));
        });
      },
      async list(filter, page) {
        const rows = await findItems(connection, filter, page, rankOfEnd(cutoff()));
        const shown = rows.slice(0, page.limit);
        const last = shown.at(-1);
        const next =
          rows.length > page.limit && last !== undefined ? { rank: last.place, itemId: idOf(last.id) } : null;
        return { items: await readAll(shown.map(({ position }) => position)), next };
      },
      async counts() {
        return countsOf(read(() => countWaiting.all()));
      },
      async update({ item, expectedVersion, reply, example }) {
        const encoded = encodeItem(item);
        const encodedReply = reply && encodeEntries([reply]);
        const encodedExample = example && encodeExample(example);
        const bytes = encoded.bytes + (encodedReply?.bytes ?? 0) + (encodedExample?.bytes ?? 0);
        // A withdrawn item has lost what it had.
        const run = item.status === 'withdrawn' ? erase : write;
        return run(() => {
          const row = find(item.itemId);
          if (row === undefined || numberOf(row, 'version') !== expectedVersion) return false;
          items.replace(positionOf(row), encoded);
          if (encodedReply !== undefined)
            conversations.add(row['conversation'], row['customer'], encodedReply);
          if (!isWaiting(item)) conversations.letGo(row['conversation'], encoded.id);
          if (encodedExample !== undefined) examples.put(encodedExample);
          return true;
        }, bytes);
      },
      claimNext: (claim) => write(() => claimFirst(claim), ITEM_ROW_BYTES),
      async due(now, limit) {
        return readAll(read(() => findDue.all(now, limit)).map(positionOf));
      },
    },
    removeExpired: (limit) =>
      write(() => {
        const rows = findExpired.all(rankOfEnd(cutoff()), RANK_LIMIT, limit);
        for (const row of rows) items.remove(positionOf(row));
        return rows.length;
      }, ITEM_ROW_BYTES * limit),
  };
}

function isBefore(a: Row, b: Row): boolean {
  const difference = numberOf(a, 'place') - numberOf(b, 'place');
  return difference === 0 ? textOf(a, 'id') < textOf(b, 'id') : difference < 0;
}

function countsOf(rows: readonly Row[]): InboxCounts {
  const count = (kind: ItemKind, status: 'open' | 'claimed'): number => {
    const row = rows.find((each) => each['kind'] === kind && each['status'] === status);
    return row === undefined ? 0 : numberOf(row, 'count');
  };
  const of = (kind: ItemKind) => ({ open: count(kind, 'open'), claimed: count(kind, 'claimed') });
  return {
    waiting: {
      ...{ escalation: of('escalation'), draft: of('draft') },
      ...{ approval: of('approval'), recovery: of('recovery') },
    },
    overdue: rows.reduce((sum, row) => sum + numberOf(row, 'overdue'), 0),
    oldestOpenedAt: rows.length === 0 ? null : Math.min(...rows.map((row) => numberOf(row, 'oldest'))),
  };
}
