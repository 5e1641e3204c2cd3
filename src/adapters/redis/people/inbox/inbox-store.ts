import { unavailable } from '../../../../domain/errors.ts';
import { exampleStatuses } from '../../../../domain/inbox/example.ts';
import { type InboxItem, type ItemKind, isWaiting, itemKinds } from '../../../../domain/inbox/item.ts';
import type { InboxCounts } from '../../../../domain/inbox/order.ts';
import type { InboxStore, ItemUpdate, NextClaim } from '../../../../ports/storage/inbox-store.ts';
import { ignoreWrongType, StoreError, throwUnavailable } from '../../client/errors.ts';
import { encodeEntry } from '../conversation-encoding.ts';
import { datasetKeys } from '../example-store.ts';
import type { PeopleParts } from '../parts.ts';
import { toStoredId } from '../stored-ids.ts';
import { decodeItem, encodeClaim, itemKeys, itemValues } from './item-encoding.ts';
import { listItems } from './item-listing.ts';

/** Creates the inbox of all replicas, in which at most `maxWaitingItems` that `create` stores wait. */
export function createRedisInbox(parts: PeopleParts, maxWaitingItems: number): InboxStore {
  const { keys, connection, writes, retentionMs } = parts;
  const kindKeys = [keys.openItems, keys.claimedItems].flatMap((prefix) =>
    itemKinds.map((kind) => prefix + kind),
  );

  async function create(item: InboxItem) {
    const values = [String(maxWaitingItems), ...itemValues(item, retentionMs)];
    return writes.run((client, deadline) => client.createItem(itemKeys(keys, item), [deadline, ...values]));
  }

  async function get(itemId: string): Promise<InboxItem | undefined> {
    const id = toStoredId(itemId);
    const fields = ['item', 'claim', 'version', 'seq'];
    const found = await connection
      .run('HMGET', (client) => client.hmGet(keys.items + id, fields))
      .catch(ignoreWrongType);
    const [item, claim, version, seq] = found ?? [];
    if (item == null || claim == null || version == null || seq == null) return undefined;
    return decodeItem({ id, item, claim, version, seq });
  }

  async function update({ item, expectedVersion, reply, example }: ItemUpdate): Promise<boolean> {
    const noExample = ['', '', ...exampleStatuses.map(() => '')];
    const exampleKeys = example === undefined ? noExample : datasetKeys(keys, example.datasetId);
    const scriptKeys = [...itemKeys(keys, item), keys.allConversations, ...exampleKeys];
    const values = [
      ...[String(expectedVersion), ...itemValues(item, retentionMs)],
      ...[keys.conversations, String(retentionMs), isWaiting(item) ? '1' : '0'],
      JSON.stringify(item.customerId),
      ...(reply === undefined ? ['', '', ''] : [JSON.stringify(reply.traceId), reply.at, encodeEntry(reply)]),
      ...(example === undefined
        ? ['', '', '']
        : [toStoredId(example.exampleId), JSON.stringify(example), example.status]),
    ];
    const changed = await writes.run((client, deadline) =>
      client.updateItem(scriptKeys, [deadline, ...values]),
    );
    return changed === 1;
  }

  async function counts(): Promise<InboxCounts> {
    const { open, claimed, overdue, oldestOpenedAt } = await connection.run('EVALSHA', (client) =>
      client.countItems([keys.allItems, ...kindKeys], []),
    );
    const waiting = (kind: ItemKind) => {
      const place = itemKinds.indexOf(kind);
      return { open: open[place] ?? 0, claimed: claimed[place] ?? 0 };
    };
    return {
      waiting: {
        ...{ escalation: waiting('escalation'), draft: waiting('draft') },
        ...{ approval: waiting('approval'), recovery: waiting('recovery') },
      },
      ...{ overdue, oldestOpenedAt },
    };
  }

  async function claimNext({ kinds = itemKinds, assignee, claimedUntil }: NextClaim) {
    const claim = encodeClaim({ status: 'claimed', assignee, claimedUntil });
    const wanted = itemKinds.map((kind) => (kinds.includes(kind) ? '1' : '0'));
    const values = [claim, String(Date.parse(claimedUntil)), keys.items, ...wanted];
    const stored = await writes.run((client, deadline) =>
      client.claimNextItem([keys.allItems, keys.itemTimers, ...kindKeys], [deadline, ...values]),
    );
    if (stored === undefined) return undefined;
    const item = decodeItem(stored);
    if (item === undefined) throw new StoreError('reply', 'UNEXPECTED');
    return item;
  }

  async function due(now: number, limit: number): Promise<readonly InboxItem[]> {
    const values = [String(now), String(limit), keys.items, String(retentionMs)];
    const stored = await connection.run('EVALSHA', (client) =>
      client.dueItems([keys.itemTimers, keys.allItems], values),
    );
    return stored.flatMap((item) => decodeItem(item) ?? []);
  }

  return {
    async create(item) {
      const outcome = await create(item).catch(throwUnavailable);
      if (outcome === 'full') throw unavailable(`the inbox is full: ${maxWaitingItems} items wait`);
    },
    get: (itemId) => get(itemId).catch(throwUnavailable),
    list: (filter, page) => listItems(parts, filter, page).catch(throwUnavailable),
    counts: () => counts().catch(throwUnavailable),
    update: (change) => update(change).catch(throwUnavailable),
    claimNext: (claim) => claimNext(claim).catch(throwUnavailable),
    due: (now, limit) => due(now, limit).catch(throwUnavailable),
  };
}
