import type { Client } from '../../../src/entries/client.ts';
import type { Answered } from '../../api/answer.ts';

/** The request of the overview: `GET /stats`. */
export const readStats = (window: StatsWindow) => (api: Client) =>
  api.stats.$get({ query: { window, step: steps[window] } });

/** Statistics of a time that ends now. */
export type Stats = Answered<ReturnType<typeof readStats>>;

/** The times that the reader can choose, and the length of their steps. */
const steps = { '15m': '1m', '1h': '1m', '6h': '6m', '24h': '24m' } as const;

/** A time that ends now. */
export type StatsWindow = keyof typeof steps;

/** The times with their words. */
export const windows: readonly (readonly [StatsWindow, string])[] = [
  ['15m', 'last 15 minutes'],
  ['1h', 'last hour'],
  ['6h', 'last 6 hours'],
  ['24h', 'last 24 hours'],
];

/** The time that a query names. When it names none: an hour, or less while the process is younger than half of it. */
export function windowOf(query: URLSearchParams, upMs = Number.POSITIVE_INFINITY): StatsWindow {
  const name = query.get('window');
  return windows.find(([window]) => window === name)?.[0] ?? (upMs < 1_800_000 ? '15m' : '1h');
}

type Counts = Readonly<Record<string, number>>;

/** The sum of some counts. */
export const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The number of unclaimed items of the inbox. */
export const openItemsOf = ({ escalation, draft, approval, recovery }: Stats['now']['inbox']): number =>
  escalation.open + draft.open + approval.open + recovery.open;

/** The share of messages that a person must answer; null without messages. */
export function escalatedShare(messages: Stats['series'][number]['messages']): number | null {
  const all = sumOf(messages);
  return all === 0 ? null : (messages.escalated + messages.failed) / all;
}

/** The minutes over which {@link messagesPerMinute} counts. */
export const minutesOf = ({ step_seconds }: Stats): number => Math.max(5, step_seconds / 60);

/** Messages a minute over the last whole steps, up to five minutes; null when no step is whole yet. */
export function messagesPerMinute({ series, step_seconds }: Stats): number | null {
  const whole = series.slice(0, -1).slice(-Math.max(1, Math.round(300 / step_seconds)));
  if (whole.length === 0) return null;
  const sum = whole.reduce((total, { messages }) => total + sumOf(messages), 0);
  return sum / ((whole.length * step_seconds) / 60);
}
