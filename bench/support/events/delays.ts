import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '../../../src/entries/client.ts';
import { REDIS_MISSING, type Redis, startRedis } from '../process/redis.ts';
import { type Server, startService } from '../process/servers.ts';
import type { SectionResult } from '../report/section.ts';
import { quantile } from '../report/statistics.ts';
import { integer, markdownTable } from '../report/table.ts';
import { atMost, type TargetResult, targetCell } from '../report/target.ts';
import {
  createGatedWorkflow,
  createWorkflow,
  startInBackground,
  stepToolSettings,
} from '../workloads/gated-runs.ts';

/** The longest p99 from an event of a run to a reader of another replica. */
const MAX_RUN_EVENT_MS = 50;

/** The longest delays from the request for a background run to its first step. */
export const MAX_START_P50_MS = 10;
export const MAX_START_P99_MS = 50;

/** The duration of a step whose events are read, so that one is read long before the next. */
const STEP_MS = 50;

/** The samples of a delay and its targets, in milliseconds. */
interface Delay {
  readonly name: string;
  readonly ms: readonly number[];
  readonly maxP50?: number;
  readonly maxP99?: number;
}

/** Delays on Redis, on two replicas that do nothing else. */
export async function measureDelays(quick: boolean): Promise<SectionResult> {
  await using redis = await startRedis();
  if (redis === undefined) return { blocks: [REDIS_MISSING], targets: [] };
  const kvstore = { TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url, KVSTORE_TIMEOUT_MS: '5000' };
  await using first = await startService({ ...kvstore, ...stepToolSettings });
  await using second = await startService({ ...kvstore, ...stepToolSettings });
  const count = quick ? 200 : 1_000;
  const starts = await measureStarts(first, count);
  const { run, feed } = await measureEvents(first, second, count);
  return report(redis, [
    {
      name: 'background run, from the request to its first step',
      ms: starts,
      maxP50: MAX_START_P50_MS,
      maxP99: MAX_START_P99_MS,
    },
    { name: 'event of a run, to a reader of another replica', ms: run, maxP99: MAX_RUN_EVENT_MS },
    // The feed travels with the heartbeats of its replicas, every second.
    { name: 'event of a run in the feed of another replica', ms: feed },
  ]);
}

function report({ version }: Redis, delays: readonly Delay[]): SectionResult {
  const targets: TargetResult[] = [];
  const rows = delays.map(({ name, ms, maxP50, maxP99 }) => {
    const sorted = ms.toSorted((one, other) => one - other);
    const [p50, p99, longest] = [quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)];
    const own = [
      ...(maxP50 === undefined ? [] : [atMost(`${name}, p50`, p50, maxP50, ' ms')]),
      ...(maxP99 === undefined ? [] : [atMost(`${name}, p99`, p99, maxP99, ' ms')]),
    ];
    targets.push(...own);
    return [name, ms.length, ...[p50, p99, longest].map(integer), own.map(targetCell).join('; ')];
  });
  return {
    targets,
    blocks: [
      `Two replicas on ${version}, one run at a time, in whole milliseconds. An event is timed from its \`at\`, just before it is saved, until a client of the replica that does not run it has read it. Its run has steps of ${STEP_MS} ms.`,
      markdownTable(['Delay', 'samples', 'p50 ms', 'p99 ms', 'longest ms', 'target'], rows, ['target']),
    ],
  };
}

/** Milliseconds from the request for a background run to its first step, one run at a time. */
export async function measureStarts(service: Server, count: number): Promise<number[]> {
  const path = await createWorkflow(service, [
    { id: 'first', tool_name: 'bench_wait', static_input: { ms: 0 } },
  ]);
  const delays: number[] = [];
  for (let sample = -10; sample < count; sample++) {
    const requestedAt = Date.now();
    const { step_results: results } = await (await startInBackground(service, path)).completed();
    if (sample >= 0) delays.push((results['first']?.output?.began ?? Number.NaN) - requestedAt);
    await sleep(20);
  }
  return delays;
}

/** Reads the events of a run, alone and in the feed, on a replica that does not run it. */
async function measureEvents(
  first: Server,
  second: Server,
  count: number,
): Promise<{ run: number[]; feed: number[] }> {
  const workflow = await createGatedWorkflow(first, count, STEP_MS);
  const url = `http://127.0.0.1:${second.port}`;
  const feed = readStarts(`${url}/events?types=step.started`, count);
  // Until the feed is open.
  await sleep(1_500);
  const { eventsPath } = await workflow.start();
  const run = readStarts(url + eventsPath, count);
  await sleep(1_500);
  await workflow.openGate();
  return { run: await run, feed: await feed };
}

/** Milliseconds from the start of each step to its event. Leaves out the gate, which waits for the readers. */
async function readStarts(url: string, count: number): Promise<number[]> {
  const delays: number[] = [];
  for await (const { type, at, data } of readEvents(url)) {
    if (type !== 'step.started' || !data.step_id.startsWith('step-')) continue;
    delays.push(Date.now() - Date.parse(at));
    if (delays.length === count) return delays;
  }
  throw new Error(`the stream ended after ${delays.length} of ${count} steps`);
}
