import type { Routing } from '../../src/application/routing/route-goal.ts';
import { interleave } from '../support/interleave.ts';
import { bareSettling, makeRouting, makeRoutingWithoutRecords, subtasksFor } from '../support/rigs.ts';
import type { Section } from '../support/section.ts';
import { median, medianRatio } from '../support/statistics.ts';
import { decimal, markdownTable, whole } from '../support/table.ts';
import { atMost, type Verdict, verdictCell } from '../support/verdict.ts';

/** As many subtasks as the target speaks of. */
const JUDGED = 1_000;

export const routing: Section = {
  name: 'routing',
  title: 'Routing',
  async measure(quick) {
    const stored = makeRouting();
    const unstored = makeRoutingWithoutRecords();
    const verdicts: Verdict[] = [];
    const rows: string[][] = [];
    for (const count of [10, 100, 1_000]) {
      const figures = await measure(count, { stored, unstored }, quick);
      const { floor, atOnce } = figures;
      const verdict =
        count === JUDGED
          ? atMost('1,000 subtasks, no record', medianRatio(atOnce, floor), 3, ' times `Promise.allSettled`')
          : undefined;
      if (verdict !== undefined) verdicts.push(verdict);
      const beside = (figure: readonly number[]): string =>
        `${decimal(median(figure) * 1_000, 1)} (${decimal(medianRatio(figure, floor), 1)})`;
      rows.push([
        whole(count),
        decimal(median(floor) * 1_000, 1),
        beside(atOnce),
        beside(figures.later),
        beside(figures.kept),
        verdictCell(verdict),
      ]);
    }
    return { verdicts, blocks: [explanation, markdownTable(head, rows, ['target'])] };
  },
};

const explanation =
  'In one process, without HTTP: microseconds for a goal whose subtasks do nothing, dispatched at the same time over the bus, and in brackets how many times that is of a bare `Promise.allSettled` of as many functions.';

const head = [
  'Subtasks',
  '`Promise.allSettled`',
  'agents reply at once',
  'agents reply with a promise',
  'at once, record stored',
  'target',
];

/** Milliseconds a goal, round by round. */
interface Figures {
  readonly floor: readonly number[];
  readonly atOnce: readonly number[];
  readonly later: readonly number[];
  readonly kept: readonly number[];
}

async function measure(
  count: number,
  { stored, unstored }: { readonly stored: Routing; readonly unstored: Routing },
  quick: boolean,
): Promise<Figures> {
  const atOnce = { goal: 'bench', subtasks: subtasksFor('at-once', count) };
  const later = { goal: 'bench', subtasks: subtasksFor('later', count) };
  const { status } = await stored.route(later);
  if (status !== 'completed') throw new Error(`routing ended as ${status}`);
  const figures = await interleave(
    [
      { name: 'floor', work: bareSettling(count) },
      { name: 'at once', work: () => unstored.route(atOnce) },
      { name: 'later', work: () => unstored.route(later) },
      { name: 'kept', work: () => stored.route(atOnce) },
    ],
    { rounds: quick ? 5 : 21, roundMs: quick ? 30 : 150 },
  );
  return {
    floor: figures[0] ?? [],
    atOnce: figures[1] ?? [],
    later: figures[2] ?? [],
    kept: figures[3] ?? [],
  };
}
