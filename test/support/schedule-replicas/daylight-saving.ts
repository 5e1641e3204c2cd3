import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { OverlapMode } from '../../../src/domain/schedule/schedule.ts';
import { fixedFires, minutesOf, wildcardFires } from '../../adapters/calendar/reference.ts';
import { type Outcome, outcomeOf, timeOf, untilQuiet } from './outcome.ts';
import { openReplica } from './replica.ts';

const HOUR_MS = 3_600_000;

/** The time by which the clock of the second replica is ahead of that of the first, in milliseconds. */
const SKEW_MS = 30;

/** The time by which a fire is put into the queue before it is due, in milliseconds. */
const LEAD_MS = 60;

/** A cron expression, with what fits its fields by the time on the wall. */
interface Expression {
  readonly cron: string;
  readonly overlap: OverlapMode;
  readonly isWildcard: boolean;
  readonly matches: (shown: Date) => boolean;
}

const minute = (shown: Date) => shown.getUTCMinutes();
const hour = (shown: Date) => shown.getUTCHours();

/** Fixed and wildcard hours that fall into the hours which are left out or come twice. */
const expressions: readonly Expression[] = [
  {
    cron: '30 2 * * *',
    overlap: 'skip',
    isWildcard: false,
    matches: (shown) => hour(shown) === 2 && minute(shown) === 30,
  },
  {
    cron: '*/20 1-3 * * *',
    overlap: 'allow',
    isWildcard: false,
    matches: (shown) => hour(shown) >= 1 && hour(shown) <= 3 && minute(shown) % 20 === 0,
  },
  {
    cron: '*/30 * * * *',
    overlap: 'queue',
    isWildcard: true,
    matches: (shown) => minute(shown) % 30 === 0,
  },
];

/** A day on which the clocks of a zone change. */
export interface ChangeOfClocks {
  readonly timezone: string;
  /** ISO 8601, of a day in the future. */
  readonly day: string;
}

/**
 * Moves the clocks of two replicas of one Redis over a change of clocks, from some hours before the day begins (UTC) to
 * some hours after that, and checks that each fire time has started one run.
 */
export async function checkChange(
  url: string,
  { timezone, day }: ChangeOfClocks,
  { before, after }: { readonly before: number; readonly after: number },
): Promise<void> {
  const from = Date.parse(day) - before * HOUR_MS;
  const until = Date.parse(day) + after * HOUR_MS;
  const place = { url, prefix: `test-${randomUUID()}:` };
  const replicas = await Promise.all(
    [0, SKEW_MS].map((ms) => openReplica({ place, now: from - 600_000 + ms })),
  );
  const [first] = replicas;
  if (first === undefined) throw new Error('no replica');
  try {
    for (const replica of replicas) replica.start();
    const minutes = minutesOf(timezone, from - 24 * HOUR_MS, until);
    const schedules = await Promise.all(
      expressions.map(async ({ cron, overlap, isWildcard, matches }) => {
        const workflowId = await first.define();
        const { schedule } = await first.schedules.create({ workflowId, cron, timezone, overlap });
        const all = (isWildcard ? wildcardFires : fixedFires)(minutes, matches);
        return { schedule, expected: all.filter((instant) => instant >= from) };
      }),
    );
    const instants = [...new Set(schedules.flatMap(({ expected }) => expected))].sort((a, b) => a - b);
    for (const [index, instant] of instants.entries()) {
      // By turns the queue wakes one replica, and both find what is overdue at the same time.
      const to = instant - (index % 2 === 0 ? LEAD_MS + SKEW_MS : 0);
      for (const { clock } of replicas) clock.moveTo(Math.max(clock.now(), to));
      await untilQuiet(replicas, instant);
    }
    // An operator sets the clocks back: what has fired does not fire again.
    for (const { clock } of replicas) clock.jump(-HOUR_MS);
    for (const { clock } of replicas) clock.moveTo(clock.now() + HOUR_MS - 1_000);
    await untilQuiet(replicas, 0);

    for (const { schedule, expected } of schedules) {
      const outcome = await outcomeOf(replicas, schedule);
      const fired = expected.map(timeOf);
      expect({ cron: schedule.cron, ...outcome }).toEqual({
        cron: schedule.cron,
        fired,
        skipped: [],
        ...sameRuns(outcome, fired.length),
      });
    }
  } finally {
    await Promise.all(replicas.map((replica) => replica.close()));
  }
}

/** The outcome where each of so many runs is stored, told and called once. */
export function sameRuns({ stored }: Outcome, count: number): Pick<Outcome, 'stored' | 'told' | 'called'> {
  expect(new Set(stored).size).toBe(count);
  expect(stored).toHaveLength(count);
  return { stored, told: stored, called: stored };
}
