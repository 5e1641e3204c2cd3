import type { Redis } from '../process/redis.ts';
import type { SectionResult } from '../report/section.ts';
import { median, medianRatio } from '../report/statistics.ts';
import { decimal, integer, markdownTable } from '../report/table.ts';
import { atLeast, type TargetResult, targetCell } from '../report/target.ts';
import { dags } from '../workloads/dag.ts';
import { type LoopSamples, measureLoops } from './loop-process.ts';
import { type OwnCase, startMemory, startShared, startSqlite } from './own-runs.ts';
import { chainWork, IN_FLIGHT, loopRounds } from './plan.ts';

/** Runs a second that durable runs reach at least. */
const MIN_SQLITE = 1_000;
const MIN_REDIS = 400;

/** The factor that two processes reach over the runs of one. */
const MIN_TWO_PROCESSES = 1.7;

/** Background runs of a chain and of one wide layer, durable and not. Leaves out Redis where none is installed. */
export async function measureThroughput(redis: Redis | undefined, quick: boolean): Promise<SectionResult> {
  await using stack = new AsyncDisposableStack();
  const start = async (started: Promise<OwnCase>): Promise<OwnCase> => stack.use(await started);
  const local = [
    await start(startMemory()),
    await start(startSqlite('interrupt')),
    await start(startSqlite('resume')),
  ];
  const shared =
    redis === undefined
      ? []
      : [
          await start(startShared(redis, 'interrupt', 1)),
          await start(startShared(redis, 'resume', 1)),
          await start(startShared(redis, 'resume', 2)),
        ];
  const rounds = loopRounds(quick);
  const cases = [...local, ...shared];
  const chain = await measureLoops(cases, chainWork(quick), rounds);
  const single = cases.filter(({ processes }) => processes.length === 1);
  const layer = await measureLoops(
    single,
    { ...chainWork(quick), workload: dags.wide200.name, inFlight: 1 },
    rounds,
  );
  const chains = reportChains(chain);
  return { targets: chains.targets, blocks: [...chains.blocks, ...reportLayers(layer)] };
}

function reportChains(samples: readonly LoopSamples[]): SectionResult {
  const [memory, , sqlite, , one, two] = samples;
  const targets: TargetResult[] = [];
  const rows = samples.map((own) => {
    const target = targetOf(own);
    if (target !== undefined) targets.push(target);
    return [
      own.name,
      integer(median(own.perSecond)),
      decimal(median(own.cpuMs), 2),
      decimal(median(own.storeCpuMs), 2),
      decimal(medianRatio(own.perSecond, memory?.perSecond ?? []), 2),
      targetCell(target),
    ];
  });
  function targetOf(own: LoopSamples): TargetResult | undefined {
    const perSecond = median(own.perSecond);
    const name = `chain of 10 in the background, ${own.name}`;
    if (own === sqlite) return atLeast(name, perSecond, MIN_SQLITE, ' a second');
    if (own === one) return atLeast(name, perSecond, MIN_REDIS, ' a second');
    if (own !== two || one === undefined) return undefined;
    const ratio = medianRatio(own.perSecond, one.perSecond);
    return atLeast(`${name}, of one process`, ratio, MIN_TWO_PROCESSES, ' times');
  }
  const head = ['Storage', 'runs a second', 'CPU ms a run', 'Redis CPU ms a run', 'of memory', 'target'];
  return {
    targets,
    blocks: [
      `A chain of 10 steps that do nothing, started in the background, until its end: ${IN_FLIGHT} runs under way for each process.`,
      markdownTable(head, rows, ['target']),
    ],
  };
}

function reportLayers(samples: readonly LoopSamples[]): string[] {
  const [memory] = samples;
  const rows = samples.map((own) => [
    own.name,
    decimal(1_000 / median(own.perSecond), 2),
    decimal(median(own.cpuMs), 2),
    decimal(medianRatio(memory?.perSecond ?? [], own.perSecond), 1),
  ]);
  return [
    'A run of one layer of 200 steps, one run at a time:',
    markdownTable(['Storage', 'ms a run', 'CPU ms a run', 'of memory'], rows),
  ];
}
