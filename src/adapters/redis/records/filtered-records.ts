import { type FilterFields, fitsFilter, type RecordFilter } from '../../../domain/record-filter.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { Page, PageRequest } from '../../../ports/storage/record-store.ts';
import type { Connection } from '../client/connection.ts';
import { StoreError } from '../client/errors.ts';

/** The collection that is read, and how. */
export interface FilteredCollection<S> {
  /** In microseconds; 0 for no limit. */
  readonly retentionUs: string;
  readonly index: string;
  readonly recordKeyPrefix: string;
  readonly connection: Pick<Connection, 'run'>;
  /** Undefined for what this service did not store. */
  readonly decodeSummary: (id: string, summaryJson: string, json: string) => S | undefined;
  readonly filterFields: (summary: S) => FilterFields;
}

/** Maximum number of records in memory at a time, as in a page. */
const BATCH_SIZE = 200;

/**
 * How far the clocks of this process and of the store may differ, in milliseconds. A record is put after its creation,
 * so that its score is at most this much lower than `createdAt`. It may be much higher: there is no bound for `until`.
 */
const CLOCK_TOLERANCE_MS = 60 * 60 * 1_000;

/**
 * A page of the records that fit a filter. Reads the index from the newest record to the oldest, or to `since`, a batch at
 * a time: writes need no further index. The store leaves out most records that cannot fit. A record that is put or deleted meanwhile may be missing. Rejects with
 * `StoreError`.
 */
export async function listFiltered<S>(
  { retentionUs, index, recordKeyPrefix, connection, decodeSummary, filterFields }: FilteredCollection<S>,
  { limit, offset }: PageRequest,
  filter: RecordFilter,
): Promise<Page<S>> {
  const lowest = lowestScore(filter.since);
  const texts = JSON.stringify(requiredTexts(filter));
  const items: S[] = [];
  let total = 0;
  let before: number | undefined = Number.POSITIVE_INFINITY;
  while (before !== undefined) {
    const range: string[] = [highestScore(before), lowest, String(BATCH_SIZE)];
    const values = [retentionUs, ...range, recordKeyPrefix, texts];
    const batch = await connection.run('EVALSHA', (client) => client.scanRecords([index], values));
    for (const [id, summaryJson, json] of batch.items) {
      await yieldIfDue();
      const summary = decodeSummary(id, summaryJson, json);
      if (summary === undefined || !fitsFilter(filterFields(summary), filter)) continue;
      if (total >= offset && items.length < limit) items.push(summary);
      total += 1;
    }
    if (batch.next !== undefined && !(batch.next < before)) throw new StoreError('reply', 'UNEXPECTED');
    before = batch.next;
  }
  return { total, limit, offset, items };
}

/**
 * Texts that the JSON of every record that fits contains: one of each list. Other records may contain them as well, in a
 * nested object.
 */
function requiredTexts({ statuses, intent, escalated, customerId }: RecordFilter): string[][] {
  const texts = statuses === undefined ? [] : [statuses.map((status) => memberText({ status }))];
  for (const field of [{ intent }, { escalated }, { customerId }]) {
    const text = memberText(field);
    if (text !== '') texts.push([text]);
  }
  return texts;
}

/**
 * The only member of an object in JSON, without braces: every JSON of an object with that member contains it. Empty when
 * it is undefined.
 */
export function memberText(field: object): string {
  return JSON.stringify(field).slice(1, -1);
}

/** Below the last score that was read: no two records of an index have the same. */
function highestScore(before: number): string {
  return before === Number.POSITIVE_INFINITY ? '+inf' : `(${before}`;
}

function lowestScore(since: number | undefined): string {
  const lowest = since === undefined ? Number.NaN : (since - CLOCK_TOLERANCE_MS) * 1_000;
  return Number.isFinite(lowest) ? String(lowest) : '-inf';
}
