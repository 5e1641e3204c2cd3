import type { Effect } from './plan.ts';
import type { Wait } from './reads.ts';

/** The statuses of the filter. */
export const statusOptions = [
  ['', 'all'],
  ['FAILED', 'failed'],
  ['WAITING', 'waiting'],
  ['RUNNING', 'running'],
  ['PENDING,RUNNING,WAITING', 'under way'],
  ['COMPLETED', 'completed'],
  ['CANCELLED', 'cancelled'],
] as const;

/** The times of the filter. */
export const sinceOptions = [
  ['', 'ever'],
  ['15m', 'the last 15 minutes'],
  ['1h', 'the last hour'],
  ['6h', 'the last 6 hours'],
  ['24h', 'the last day'],
  ['7d', 'the last 7 days'],
  ['30d', 'the last 30 days'],
] as const;

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The time that a filter means, as ISO 8601: `24h` before `now` in milliseconds. Any other text is sent as it is, so
 * that a link may name a time; the empty one is undefined.
 */
export function sinceOf(text: string, now: number): string | undefined {
  const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const ms = units[unit];
  if (ms === undefined) return text === '' ? undefined : text;
  return new Date(now - Number(count) * ms).toISOString();
}

/** The kinds of waits, in words. */
const waitWords: Readonly<Record<Wait['kind'], string>> = {
  approval: 'approval',
  wait: 'a time',
  workflow: 'another run',
  recovery: 'word on what happened',
};

/** The waits of a run, in one line. */
export function waitText(waits: readonly Wait[]): string {
  const [first, ...more] = waits;
  if (first === undefined) return '';
  return `${waitWords[first.kind]} · ${first.step_id}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

/** The consequence of running a step again, by its effect. */
export const againWords: Readonly<Record<Effect, string>> = {
  read: 'changes nothing',
  idempotent: 'a repeat with the same key does nothing twice',
  write: 'acts',
  runs: 'the steps of the child run act',
  asks: 'asks anew',
  waits: 'waits anew',
  unknown: 'may act',
};
