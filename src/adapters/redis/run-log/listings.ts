import { hasEnded, type RunSummary } from '../../../domain/run/run.ts';
import type { Page, PageRequest } from '../../../ports/storage/record-store.ts';
import type { CursorPage, CursorRequest, RunFilter, RunListFilter } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../client/connection.ts';
import { StoreError } from '../client/errors.ts';
import type { Keys } from '../keys.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import { decodeSummary } from './encoding.ts';
import type { PendingAppends } from './pending-appends.ts';
import type { ListedRun, SearchReply } from './read-scripts.ts';
import { createOldRunIndexer } from './version-06.ts';

/** The listings of the port. They reject with `StoreError`. */
export interface Listings {
  /** See `RunLog.list`. */
  list(workflowId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>;
  /** See `RunLog.listAll`. A page that searched long for matches may have fewer items than its limit. */
  listAll(filter: RunListFilter, page: CursorRequest): Promise<CursorPage<RunSummary>>;
}

/** Number of runs that one command looks at. */
const BATCH = 500;

/** Maximum number of commands of one page of `listAll`: it goes on with the next page. */
const MAX_SEARCHES = 20;

/** Maximum difference of the clocks of the store and of a replica, in milliseconds. */
const MAX_CLOCK_DIFFERENCE_MS = 3_600_000;

/** One command of a search. */
interface Search {
  readonly from: string;
  readonly batch: number;
  readonly skip: number;
  readonly wanted: number;
  readonly stopsWhenFound: boolean;
}

/** Creates {@link Listings}, in which the appends of this replica that wait count. */
export function createListings(
  retentionMs: number,
  keys: Keys,
  connection: Pick<Connection, 'run'>,
  buffer: Pick<WriteBuffer<PendingAppends, unknown>, 'pending' | 'ids'>,
): Listings {
  const oldRuns = createOldRunIndexer(keys, connection);

  /** The summary as it is now; undefined where it is damaged. */
  function current({ runId, summary, state }: Omit<ListedRun, 'score'>): RunSummary | undefined {
    const decoded = decodeSummary(runId, summary, state);
    if (decoded === undefined || hasEnded(decoded.status)) return decoded;
    return { ...decoded, ...buffer.pending(runId).at(-1)?.appends.at(-1)?.change };
  }

  /** The statuses of the runs whose appends wait, as JSON; empty where no status is asked for. */
  function pendingStatuses({ statuses = [] }: RunFilter): string {
    if (statuses.length === 0) return '';
    const byId = buffer.ids().flatMap((id) => {
      const status = buffer.pending(id).at(-1)?.appends.at(-1)?.change.status;
      return status === undefined ? [] : [[id, status] as const];
    });
    return byId.length === 0 ? '' : JSON.stringify(Object.fromEntries(byId));
  }

  function search(index: string, filter: RunFilter, request: Search): Promise<SearchReply> {
    const { statuses = [], since, until } = filter;
    const { from, batch, skip, wanted, stopsWhenFound } = request;
    const values = [
      ...[from, oldestScore(since), String(batch), keys.runs, String(skip), String(wanted)],
      ...[stopsWhenFound ? '1' : '0', statuses.length === 0 ? '' : `,${statuses.join()},`],
      ...[isoOf(since), isoOf(until), pendingStatuses(filter)],
    ];
    return connection.run('EVALSHA', (client) => client.searchRuns([index], values));
  }

  async function listFiltered(index: string, filter: RunFilter, { limit, offset }: PageRequest) {
    const items: RunSummary[] = [];
    let total = 0;
    let from = '+inf';
    let before = Number.POSITIVE_INFINITY;
    for (;;) {
      const wanted = limit - items.length;
      const skip = Math.max(0, offset - total);
      const found = await search(index, filter, { from, batch: BATCH, skip, wanted, stopsWhenFound: false });
      items.push(...found.runs.flatMap((run) => current(run) ?? []));
      total += found.matches;
      if (found.next === null) return { total, limit, offset, items };
      // Without this, a store with unexpected replies would be searched forever.
      if (found.next >= before) throw new StoreError('reply', 'UNEXPECTED');
      before = found.next;
      from = `(${before}`;
    }
  }

  async function listUnfiltered(index: string, { limit, offset }: PageRequest) {
    const values = [String(retentionMs * 1_000), String(offset), String(limit), keys.runs];
    const { total, items } = await connection.run('EVALSHA', (client) =>
      client.listRunSummaries([index], values),
    );
    const summaries = items.flatMap(([runId, summary, state]) => current({ runId, summary, state }) ?? []);
    return { total, limit, offset, items: summaries };
  }

  return {
    list(workflowId, filter, page) {
      const index = keys.runIndices + workflowId;
      return isEmpty(filter) ? listUnfiltered(index, page) : listFiltered(index, filter, page);
    },
    async listAll(filter, { limit, cursor }) {
      const { workflowId } = filter;
      if (workflowId === undefined) await oldRuns.index();
      const index = workflowId === undefined ? keys.allRuns : keys.runIndices + workflowId;
      const batch = isEmpty(filter) ? limit + 1 : BATCH;
      const runs: ListedRun[] = [];
      let from = cursor === undefined ? '+inf' : `(${cursor}`;
      let next: number | null = null;
      for (let searches = 0; searches < MAX_SEARCHES; searches++) {
        // One more than the page: where it is found, there is a next page.
        const wanted = limit + 1 - runs.length;
        const found = await search(index, filter, {
          from,
          batch,
          skip: 0,
          wanted,
          stopsWhenFound: true,
        });
        runs.push(...found.runs);
        next = found.next;
        if (next === null || runs.length > limit) break;
        from = `(${next}`;
      }
      const shown = runs.slice(0, limit);
      const nextCursor = runs.length > limit ? (shown.at(-1)?.score ?? null) : next;
      return { items: shown.flatMap((run) => current(run) ?? []), nextCursor };
    },
  };
}

function isEmpty({ statuses = [], since, until }: RunFilter): boolean {
  return statuses.length === 0 && since === undefined && until === undefined;
}

/** The score below which no run matches: scores are microseconds of the store, `since` is a time of some replica. */
function oldestScore(since: number | undefined): string {
  return since === undefined ? '-inf' : String(Math.floor(since - MAX_CLOCK_DIFFERENCE_MS) * 1_000);
}

/** A time of creation as it is compared: empty for none. */
function isoOf(ms: number | undefined): string {
  if (ms === undefined) return '';
  return new Date(Math.max(0, Math.min(MAX_TIME_MS, Math.ceil(ms)))).toISOString();
}

/** The last time that ISO texts of four-digit years can name, in milliseconds since the epoch. */
const MAX_TIME_MS = Date.UTC(9999, 11, 31);
