/**
 * Compares the performance of this checkout with another one, on the same machine and in one run:
 *
 *     npm run bench:compare -- <path of the other checkout> [--quick] [--only engine,routing,pipeline,http]
 *
 * The other checkout (such as the last release, after `npm ci`) is `before`, this one `after`. Both run the workloads
 * of this checkout, through the entries of the package and over HTTP. Each checkout runs in its own process, so that
 * they share no compiled code. The processes alternate (A B, B A, …), and are restarted several times, because two
 * processes with the same code already differ by some percent.
 *
 * Times are medians of all rounds. `change` is the median change of a round, and in brackets the middle half of the
 * changes: if it spans zero, the difference is noise. CPU time includes the threads of the compiler and the garbage
 * collector; it depends less on other load of the machine than wall time. `fast change` compares the lower quartiles of
 * CPU time, the best estimate on a busy machine, whose noise only ever adds time. Comparing a checkout with itself
 * shows the noise of the machine.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Group, groups, type Sample, startTarget, type Target } from './compare/target.ts';
import { exitOnSignals } from './support/process/programs.ts';
import { printError } from './support/report/document.ts';
import { describeMachine } from './support/report/machine.ts';
import { median, quantile } from './support/report/statistics.ts';
import { decimal, markdownTable } from './support/report/table.ts';

const usage = 'usage: npm run bench:compare -- <checkout> [--quick] [--only engine,routing,pipeline,http]';

interface Plan {
  /** The number of starts of both processes. */
  readonly starts: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
}

/**
 * Many short rounds, so that other load of the machine affects both sides alike; over HTTP, CPU time needs longer ones.
 */
function planOf(group: Group, quick: boolean): Plan {
  if (group === 'http') {
    return quick
      ? { starts: 2, rounds: 4, roundMs: 300, warmUpMs: 500 }
      : { starts: 3, rounds: 6, roundMs: 1_000, warmUpMs: 1_000 };
  }
  return quick
    ? { starts: 3, rounds: 6, roundMs: 120, warmUpMs: 600 }
    : { starts: 5, rounds: 10, roundMs: 200, warmUpMs: 1_000 };
}

/** The samples of one workload; samples with the same index belong to the same round. */
interface Comparison {
  readonly before: Sample[];
  readonly after: Sample[];
}

exitOnSignals();
try {
  await main();
} catch (error) {
  printError(error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { baseline, wanted, quick } = readArguments();
  const own = fileURLToPath(new URL('..', import.meta.url));
  print(...(await describeMachine()));
  for (const group of wanted) {
    process.stderr.write(`comparing ${group} …\n`);
    const compared = await compare(group, [baseline, own], planOf(group, quick));
    print(`## ${group}`, tableOf(compared));
  }
}

function readArguments(): { baseline: string; wanted: Group[]; quick: boolean } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
  });
  const known = Object.keys(groups) as Group[];
  const named = values.only?.split(',') ?? known;
  const [baseline] = positionals;
  if (baseline === undefined || positionals.length > 1) throw new Error(usage);
  if (named.some((name) => !known.some((group) => group === name))) throw new Error(usage);
  return {
    baseline: resolve(baseline),
    wanted: known.filter((group) => named.includes(group)),
    quick: values.quick,
  };
}

async function compare(
  group: Group,
  checkouts: readonly [before: string, after: string],
  plan: Plan,
): Promise<ReadonlyMap<string, Comparison>> {
  const results = new Map(
    groups[group].map((name): [string, Comparison] => [name, { before: [], after: [] }]),
  );
  for (let start = 0; start < plan.starts; start++) {
    await using before = await startTarget(group, checkouts[0]);
    await using after = await startTarget(group, checkouts[1]);
    for (const [name, result] of results) await measure(name, { before, after }, plan, result);
  }
  return results;
}

async function measure(
  name: string,
  targets: { readonly before: Target; readonly after: Target },
  { rounds, roundMs, warmUpMs }: Plan,
  result: Comparison,
): Promise<void> {
  for (const target of [targets.before, targets.after]) await target.sample(name, warmUpMs);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const);
    for (const side of order) result[side].push(await targets[side].sample(name, roundMs));
  }
}

function tableOf(results: ReadonlyMap<string, Comparison>): string {
  const head = [
    'Workload',
    'wall µs before',
    'after',
    'change',
    'CPU µs before',
    'after',
    'change',
    'fast change',
  ];
  const rows = [...results].map(([name, result]) => [
    name,
    ...cells(result, ({ wallUs }) => wallUs),
    ...cells(result, ({ cpuUs }) => cpuUs),
    percent(lowerQuartile(result.after) / lowerQuartile(result.before) - 1),
  ]);
  return markdownTable(head, rows);
}

function cells({ before, after }: Comparison, pick: (sample: Sample) => number): string[] {
  const [old, now] = [before.map(pick), after.map(pick)];
  const changes = now
    .map((value, round) => value / (old[round] ?? Number.NaN) - 1)
    .sort((one, two) => one - two);
  const middleHalf = `${percent(quantile(changes, 0.25))} to ${percent(quantile(changes, 0.75))}`;
  return [decimal(median(old), 1), decimal(median(now), 1), `${percent(median(changes))} (${middleHalf})`];
}

/** The lower quartile of the CPU times. */
function lowerQuartile(samples: readonly Sample[]): number {
  const sorted = samples.map(({ cpuUs }) => cpuUs).sort((one, other) => one - other);
  return quantile(sorted, 0.25);
}

function percent(share: number): string {
  return `${share < 0 ? '' : '+'}${decimal(share * 100, 1)} %`;
}

function print(...blocks: readonly string[]): void {
  for (const block of blocks) process.stdout.write(`${block}\n\n`);
}
