import type { Routing } from '../../src/application/routing/route-goal.ts';
import { measureInRounds } from '../support/in-process/rounds.ts';
import type { Section } from '../support/report/section.ts';
import { median, medianRatio } from '../support/report/statistics.ts';
import { decimal, integer, markdownTable } from '../support/report/table.ts';
import { atMost, type TargetResult, targetCell } from '../support/report/target.ts';
import {
  createAllSettled,
  createBenchRouting,
  createRoutingWithoutStore,
  createSubtasks,
} from '../support/workloads/core.ts';

/** The number of subtasks with a target. */
const TARGETED_COUNT = 1_000;

export const routing: Section = {
  name: 'routing',
  title: 'Routing',
  async measure(quick) {
    const stored = createBenchRouting();
    const unstored = createRoutingWithoutStore();
    const targets: TargetResult[] = [];
    const rows: string[][] = [];
    for (const count of [10, 100, 1_000]) {
      const samples = await measure(count, { stored, unstored }, quick);
      const { floor, atOnce } = samples;
      const target =
        count === TARGETED_COUNT
          ? atMost(
              '1,000 subtasks, record not stored',
              medianRatio(atOnce, floor),
              3,
              ' times `Promise.allSettled`',
            )
          : undefined;
      if (target !== undefined) targets.push(target);
      const withRatio = (sample: readonly number[]): string =>
        `${decimal(median(sample) * 1_000, 1)} (${decimal(medianRatio(sample, floor), 1)})`;
      rows.push([
        integer(count),
        decimal(median(floor) * 1_000, 1),
        withRatio(atOnce),
        withRatio(samples.later),
        withRatio(samples.stored),
        targetCell(target),
      ]);
    }
    return { targets, blocks: [explanation, markdownTable(head, rows, ['target'])] };
  },
};

const explanation =
  'In one process, without HTTP: microseconds for a goal of no-op subtasks, dispatched concurrently over the bus, and in brackets the ratio to a plain `Promise.allSettled` of as many functions.';

const head = [
  'Subtasks',
  '`Promise.allSettled`',
  'agents return an object',
  'agents return a promise',
  'an object, record stored',
  'target',
];

/** Milliseconds per goal, one sample per round. */
interface GoalTimes {
  readonly floor: readonly number[];
  readonly atOnce: readonly number[];
  readonly later: readonly number[];
  readonly stored: readonly number[];
}

async function measure(
  count: number,
  { stored, unstored }: { readonly stored: Routing; readonly unstored: Routing },
  quick: boolean,
): Promise<GoalTimes> {
  const atOnce = { goal: 'bench', subtasks: createSubtasks('at-once', count) };
  const later = { goal: 'bench', subtasks: createSubtasks('later', count) };
  const { status } = await stored.route(later);
  if (status !== 'completed') throw new Error(`routing ended as ${status}`);
  const samples = await measureInRounds(
    [
      { name: 'floor', run: createAllSettled(count) },
      { name: 'at once', run: () => unstored.route(atOnce) },
      { name: 'later', run: () => unstored.route(later) },
      { name: 'stored', run: () => stored.route(atOnce) },
    ],
    { rounds: quick ? 5 : 21, roundMs: quick ? 30 : 150 },
  );
  return {
    floor: samples[0] ?? [],
    atOnce: samples[1] ?? [],
    later: samples[2] ?? [],
    stored: samples[3] ?? [],
  };
}
