import type { FilterFields, RecordFilter } from '../../../domain/record-filter.ts';
import { digestOf } from '../private-values.ts';
import type { Sql } from '../scan.ts';

/** The values of the columns that filters compare. */
export interface FilterColumns {
  /** In milliseconds since the epoch. */
  readonly createdAt: number | null;
  readonly status: string | null;
  readonly intent: string | null;
  readonly escalated: number | null;
  readonly customer: string | null;
}

/** Converts the fields of a record to columns. Texts become JSON strings, which keep what is not well formed, or a digest. */
export function toColumns({ createdAt, status, intent, escalated, customerId }: FilterFields): FilterColumns {
  const ms = Date.parse(createdAt ?? '');
  return {
    createdAt: Number.isNaN(ms) ? null : ms,
    status: toText(status),
    intent: toText(intent),
    escalated: escalated === undefined ? null : Number(escalated),
    customer: customerId === undefined ? null : digestOf(customerId),
  };
}

function toText(value: string | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The columns that {@link toConditions} names. */
export const filterColumns = ', created_at, status, intent, escalated';

/**
 * How much later than its creation a record was put at most, where the clock of this machine was set back in between, in
 * milliseconds.
 */
const CLOCK_TOLERANCE_MS = 60 * 60 * 1_000;

/** The condition of a filter: what an index finds, and what is compared row by row. */
export function toConditions(filter: RecordFilter, expiredUpTo: number): { seek: Sql; filter: Sql } {
  const { statuses, intent, escalated, customerId, since, until } = filter;
  const seek: [string, string | number][] = [['position > ?', lowestPosition(since, expiredUpTo)]];
  if (customerId !== undefined) seek.unshift(['customer = ?', digestOf(customerId)]);
  const compared: [string, string | number][] = [];
  if (statuses !== undefined) {
    // JSON within JSON: a status is stored as a JSON string.
    const stored = JSON.stringify(statuses.map((status) => JSON.stringify(status)));
    compared.push(['status IN (SELECT value FROM json_each(?))', stored]);
  }
  if (intent !== undefined) compared.push(['intent = ?', JSON.stringify(intent)]);
  if (escalated !== undefined) compared.push(['escalated = ?', Number(escalated)]);
  if (since !== undefined) compared.push(['created_at >= ?', since]);
  if (until !== undefined) compared.push(['created_at < ?', until]);
  return { seek: allOf(seek), filter: allOf(compared) };
}

function lowestPosition(since: number | undefined, expiredUpTo: number): number {
  const lowest = since === undefined ? Number.NaN : (since - CLOCK_TOLERANCE_MS) * 1_000;
  return Number.isFinite(lowest) ? Math.max(lowest, expiredUpTo) : expiredUpTo;
}

function allOf(conditions: readonly (readonly [string, string | number])[]): Sql {
  if (conditions.length === 0) return { text: 'TRUE', values: [] };
  return {
    text: conditions.map(([text]) => text).join(' AND '),
    values: conditions.map(([, value]) => value),
  };
}
