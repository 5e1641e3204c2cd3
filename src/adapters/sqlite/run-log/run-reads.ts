import type { RunEvent } from '../../../domain/run/events.ts';
import type { RunSummary } from '../../../domain/run/run.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { RunFilter, RunListFilter, RunLog } from '../../../ports/storage/run-log.ts';
import { type StoredDefinition, toDefinition } from '../../shared/stored-definition.ts';
import type { Connection } from '../connection.ts';
import { numberOf, parseOwn, textOf } from '../rows.ts';
import { type Scan, type Sql, scanTable } from '../scan.ts';
import { decodeSummary } from './encoding.ts';
import type { RunRows } from './run-rows.ts';

/** The members of a run log that only read. */
export type RunReads = Pick<RunLog, 'get' | 'read' | 'summary' | 'list' | 'listAll'>;

/** How many rows of events are read at a time: few, because each may have an output of a mebibyte. */
const ROWS_PER_READ = 32;

/** Creates {@link RunReads}. Expired runs are not shown: see `createRunRows`. */
export function createRunReads(
  connection: Connection,
  rows: Pick<RunRows, 'find'>,
  retentionMs: number,
): RunReads {
  const { prepare, read } = connection;
  const getEvents = prepare(
    'SELECT last_seq, json FROM events WHERE run = ? AND last_seq > ? ORDER BY last_seq LIMIT ?',
  );
  const getDefinition = prepare('SELECT json FROM definitions WHERE id = ?');
  const getSummary = prepare(
    'SELECT summary, output, state, wake_at FROM runs JOIN runs_json USING (position) WHERE runs.position = ?',
  );

  /** The events after `after` up to `last`; fewer where the run was deleted meanwhile. */
  async function readEvents(position: number, after: number, last: number): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    let readUpTo = after;
    while (readUpTo < last) {
      const limit = Math.min(ROWS_PER_READ, last - readUpTo);
      const found = read(() => getEvents.all(position, readUpTo, limit));
      if (found.length === 0) return events;
      for (const row of found) {
        for (const event of parseOwn<RunEvent[]>(textOf(row, 'json'))) {
          if (event.seq > after && event.seq <= last) events.push(event);
        }
        readUpTo = numberOf(row, 'last_seq');
        await yieldIfDue();
      }
    }
    return events;
  }

  async function readSummaries(positions: readonly number[]): Promise<RunSummary[]> {
    const summaries: RunSummary[] = [];
    for (const position of positions) {
      const row = read(() => getSummary.get(position));
      if (row !== undefined) summaries.push(decodeSummary(row));
      await yieldIfDue();
    }
    return summaries;
  }

  function scanOf(indexed: Sql, filter: RunFilter): Scan {
    const compared = toConditions(filter);
    const expired = connection.expiredUpTo(retentionMs);
    return {
      table: 'runs',
      columns: compared === undefined ? '' : ', created_at, status',
      seek: {
        text: `${indexed.text} AND (position > ? OR ended = 0 OR kept_from > ?)`,
        values: [...indexed.values, expired, expired],
      },
      filter: compared,
    };
  }

  return {
    async get(runId) {
      const found = read(() => {
        const row = rows.find(runId);
        return row && { row, definition: getDefinition.get(numberOf(row, 'definition')) };
      });
      if (found?.definition === undefined) return undefined;
      const { row, definition } = found;
      const lastSeq = numberOf(row, 'last_seq');
      const events = await readEvents(numberOf(row, 'position'), 0, lastSeq);
      // The run was deleted meanwhile.
      if (events.length < lastSeq) return undefined;
      const workflowId = textOf(row, 'workflow_id');
      return {
        runId,
        workflowId,
        definition: toDefinition(parseOwn<StoredDefinition>(textOf(definition, 'json'))),
        events,
      };
    },
    async read(runId, after, limit) {
      const row = read(() => rows.find(runId));
      if (row === undefined) return undefined;
      const lastSeq = numberOf(row, 'last_seq');
      const events = await readEvents(numberOf(row, 'position'), after, Math.min(after + limit, lastSeq));
      return { events, lastSeq, ended: row['ended'] === 1 };
    },
    async summary(runId) {
      return read(() => {
        const row = rows.find(runId);
        const found = row && getSummary.get(numberOf(row, 'position'));
        return found && decodeSummary(found);
      });
    },
    async list(workflowId, filter, { limit, offset }) {
      const scan = scanOf({ text: 'workflow_id = ?', values: [workflowId] }, filter);
      const { positions, total } = await scanTable(connection, scan, { limit, offset, counts: true });
      return { total, limit, offset, items: await readSummaries(positions) };
    },
    async listAll(filter, { limit, cursor }) {
      const indexed = seekOf(filter);
      // One more than the page shows tells whether there is a next one.
      const request = { offset: 0, limit: limit + 1, before: cursor, counts: false };
      const { positions } = await scanTable(connection, scanOf(indexed, filter), request);
      const shown = positions.slice(0, limit);
      const nextCursor = positions.length > limit ? (shown.at(-1) ?? null) : null;
      return { items: await readSummaries(shown), nextCursor };
    },
  };
}

/** What an index finds of a listing over all runs: those of one workflow, or of one status. */
function seekOf({ workflowId, statuses = [] }: RunListFilter): Sql {
  if (workflowId !== undefined) return { text: 'workflow_id = ?', values: [workflowId] };
  const [status] = statuses;
  return status !== undefined && statuses.length === 1
    ? { text: 'status = ?', values: [status] }
    : { text: 'TRUE', values: [] };
}

function toConditions({ statuses = [], since, until }: RunFilter): Sql | undefined {
  const texts: string[] = [];
  const values: (string | number)[] = [];
  if (statuses.length > 0) {
    texts.push('status IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(statuses));
  }
  for (const [text, value] of [['created_at >= ?', since] as const, ['created_at < ?', until] as const]) {
    if (value === undefined) continue;
    texts.push(text);
    values.push(value);
  }
  return texts.length === 0 ? undefined : { text: texts.join(' AND '), values };
}
