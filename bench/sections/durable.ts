import { setTimeout as sleep } from 'node:timers/promises';
import { measureThroughput } from '../support/durable/throughput.ts';
import { MAX_START_P50_MS, MAX_START_P99_MS, measureStarts } from '../support/events/delays.ts';
import { REDIS_MISSING, type Redis, startRedis } from '../support/process/redis.ts';
import { type Server, type Settings, startService } from '../support/process/servers.ts';
import { observeLoad } from '../support/report/machine.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { quantile } from '../support/report/statistics.ts';
import { decimal, markdownTable } from '../support/report/table.ts';
import { atMost, targetCell } from '../support/report/target.ts';
import {
  type BackgroundRun,
  createWorkflow,
  type RunResponse,
  startInBackground,
  stepToolSettings,
} from '../support/workloads/gated-runs.ts';

/** Measures runs that outlive their process, beside runs that do not. */
export const durable: Section = {
  name: 'durable',
  title: 'Durable runs',
  async measure(quick) {
    const describeLoad = observeLoad();
    await using redis = await startRedis();
    const throughput = await measureThroughput(redis, quick);
    const delays = redis && (await measureDelays(redis, quick));
    return {
      targets: [...throughput.targets, ...(delays?.targets ?? [])],
      blocks: [
        `${redis?.version ?? REDIS_MISSING}, on the same machine; SQLite with full synchronization, in a temporary folder. Each process is one of Node; runs and their CPU time are measured without HTTP.`,
        ...throughput.blocks,
        ...(delays?.blocks ?? []),
        describeLoad(),
      ],
    };
  },
};

/** The longest time from SIGTERM to a process until another one runs the next step. */
const MAX_HAND_OVER_MS = 2_000;

/** Runs under way when a process is stopped: both processes run some of them. */
const RUNS = 16;

/** The steps of a run that is handed over, and the duration of each: long enough for the hand-over. */
const STEPS = 250;
const STEP_MS = 20;

/** Milliseconds after which a process is stopped, once its runs were started. */
const STOP_AFTER_MS = 1_000;

/** Delays of durable runs on Redis, over HTTP: until a run starts, and until another process continues it. */
async function measureDelays(redis: Redis, quick: boolean): Promise<SectionResult> {
  const settings: Settings = {
    ...stepToolSettings,
    TRACE_BACKEND: 'kvstore',
    KVSTORE_URL: redis.url,
    KVSTORE_PREFIX: 'delays:',
    KVSTORE_TIMEOUT_MS: '5000',
    RUN_RECOVERY: 'resume',
    SHUTDOWN_GRACE_SECONDS: '5',
  };
  await using service = await startService(settings);
  const starts = await measureStarts(service, quick ? 100 : 1_000);
  const handOvers: number[] = [];
  for (let round = 0; round < (quick ? 2 : 5); round++)
    handOvers.push(...(await handOver(service, settings)));
  const startName = 'from `POST …/run` to the first step';
  const handOverName = 'from SIGTERM of a process to the next step in another one';
  const [start, handedOver] = [sorted(starts), sorted(handOvers)];
  const p50 = atMost(`durable run, ${startName}, p50`, quantile(start, 0.5), MAX_START_P50_MS, ' ms');
  const p99 = atMost(`durable run, ${startName}, p99`, quantile(start, 0.99), MAX_START_P99_MS, ' ms');
  const longest = atMost(
    `durable run, ${handOverName}, longest`,
    quantile(handedOver, 1),
    MAX_HAND_OVER_MS,
    ' ms',
  );
  const row = (name: string, ms: readonly number[], targets: string) => [
    name,
    ms.length,
    ...[0.5, 0.99, 1].map((share) => decimal(quantile(ms, share), 0)),
    targets,
  ];
  return {
    targets: [p50, p99, longest],
    blocks: [
      `Delays on Redis, in whole milliseconds: a run alone, from the request for it; and ${RUNS} runs of steps of ${STEP_MS} ms on two processes, one of which is stopped. It ends the steps that are under way first.`,
      markdownTable(
        ['Delay', 'samples', 'p50 ms', 'p99 ms', 'longest ms', 'target'],
        [
          row(startName, start, `${targetCell(p50)}; ${targetCell(p99)}`),
          row(handOverName, handedOver, targetCell(longest)),
        ],
        ['target'],
      ),
    ],
  };
}

function sorted(ms: readonly number[]): number[] {
  return ms.toSorted((one, other) => one - other);
}

/**
 * Stops a second process while both run. Returns for each of its runs the milliseconds until `stays` runs the next
 * step.
 */
async function handOver(stays: Server, settings: Settings): Promise<number[]> {
  await using leaves = await startService(settings);
  const path = await createWorkflow(
    stays,
    Array.from({ length: STEPS }, (_, index) => ({
      id: `step-${index}`,
      tool_name: 'bench_wait',
      static_input: { ms: STEP_MS },
      depends_on: index === 0 ? [] : [`step-${index - 1}`],
    })),
  );
  const runs: BackgroundRun[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await startInBackground(stays, path));
  await sleep(STOP_AFTER_MS);
  const stoppedAt = Date.now();
  leaves.child.kill('SIGTERM');
  const ended = await Promise.all(runs.map((run) => run.completed()));
  return ended.flatMap((run) => continuedAfter(run, stoppedAt, leaves.child.pid));
}

/** Milliseconds until the first step in another process, of a run that the stopped one has begun. */
function continuedAfter({ step_results: results }: RunResponse, stoppedAt: number, pid?: number): number[] {
  const steps = Array.from({ length: STEPS }, (_, index) => results[`step-${index}`]?.output);
  const next = steps.find((step, index) => index > 0 && step?.pid !== pid && steps[index - 1]?.pid === pid);
  return next?.began === undefined ? [] : [next.began - stoppedAt];
}
