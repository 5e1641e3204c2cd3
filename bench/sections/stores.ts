import { measureStoreOperations } from '../support/in-process/stores.ts';
import { countRoundTrips } from '../support/load/round-trips.ts';
import {
  type LoadSamples,
  type LoadWorkload,
  loadCells,
  loadColumns,
  loadPlan,
  measureLoads,
} from '../support/load/rounds.ts';
import { REDIS_MISSING, type Redis, startRedis } from '../support/process/redis.ts';
import { startService } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { medianRatio } from '../support/report/statistics.ts';
import { decimal, markdownTable } from '../support/report/table.ts';
import { atLeast, atMost, type TargetResult, targetCell } from '../support/report/target.ts';
import { dags } from '../support/workloads/dag.ts';
import {
  createRunRequest,
  postMessage,
  postMessageOnce,
  sendAndExpectCompleted,
} from '../support/workloads/requests.ts';

/** The minimum share of the throughput without an `Idempotency-Key`. */
const MIN_SHARE_WITH_KEY = 0.7;

/** The minimum share of the throughput with memory. */
const MIN_SHARE = 0.5;

export const stores: Section = {
  name: 'stores',
  title: 'Memory, SQLite and Redis',
  async measure(quick) {
    await using redis = await startRedis();
    if (redis === undefined) {
      process.stderr.write(`${REDIS_MISSING}\n`);
      return { blocks: [REDIS_MISSING], targets: [] };
    }
    const service = await measureService(redis, quick);
    const operations = await measureStoreOperations(redis.url, quick);
    return {
      targets: service.targets,
      blocks: [
        `${redis.version}, on the same machine; SQLite with full synchronization, in a temporary folder. 64 keep-alive connections; a run saves each of its ten layers. With the shared limiter, each request is also counted in Redis.`,
        ...service.blocks,
        'The stores without HTTP, in one process, 64 operations at a time:',
        ...operations,
      ],
    };
  },
};

async function measureService(redis: Redis, quick: boolean): Promise<SectionResult> {
  const kvstore = { TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url, KVSTORE_TIMEOUT_MS: '5000' };
  await using memory = await startService();
  await using sqlite = await startService({ TRACE_BACKEND: 'sqlite' });
  await using shared = await startService({ ...kvstore, KVSTORE_PREFIX: 'redis:' });
  const bothShared = { ...kvstore, RATE_LIMIT_BACKEND: 'kvstore', KVSTORE_PREFIX: 'both:' };
  await using both = await startService(bothShared);
  const servers = [
    ['memory', memory],
    ['SQLite', sqlite],
    ['Redis', shared],
    ['Redis, shared limiter too', both],
  ] as const;
  const workloads: LoadWorkload[] = [];
  for (const [name, server] of servers) {
    await sendAndExpectCompleted(server, postMessage);
    workloads.push({ name: `\`POST /messages\`: ${name}`, server, requests: [postMessage] });
  }
  for (const [name, server] of servers) {
    const keyed = `\`POST /messages\` with \`Idempotency-Key\`: ${name}`;
    workloads.push({ name: keyed, server, requests: [postMessageOnce] });
  }
  for (const [name, server] of servers) {
    const run = await createRunRequest(server, dags.square);
    await sendAndExpectCompleted(server, run);
    workloads.push({ name: `a run of 10 layers of 10: ${name}`, server, requests: [run] });
  }
  const trips = await countRoundTrips(redis, both, postMessage);
  const tripsWithKey = await countRoundTrips(redis, both, postMessageOnce);
  const samples = await measureLoads(workloads, loadPlan(quick));
  const count = servers.length;
  const [messages, withKey] = [samples.slice(0, count), samples.slice(count, 2 * count)];
  const runs = samples.slice(2 * count);
  const stored = report(messages, runs, trips);
  const keyed = reportKeys(withKey, messages, tripsWithKey - trips);
  return { targets: [...stored.targets, ...keyed.targets], blocks: [...stored.blocks, ...keyed.blocks] };
}

/** Compares messages with a key with those without, on the same stores. */
function reportKeys(
  withKey: readonly LoadSamples[],
  messages: readonly LoadSamples[],
  moreTrips: number,
): SectionResult {
  const targets: TargetResult[] = [];
  const rows = withKey.map((own, index) => {
    const without = messages[index] ?? own;
    const share = own.failures > 0 ? Number.NaN : medianRatio(own.perSecond, without.perSecond);
    const target = atLeast(`${own.name}, throughput`, share, MIN_SHARE_WITH_KEY, ' of that without');
    targets.push(target);
    return [...loadCells(own), decimal(share, 2), targetCell(target)];
  });
  const roundTrips = atMost('commands to Redis more for an `Idempotency-Key`', moreTrips, 2);
  return {
    targets: [...targets, roundTrips],
    blocks: [
      markdownTable(['Request: store', ...loadColumns, 'of that without', 'target'], rows, ['target']),
      `Commands to Redis more for a key, the claim that is waited for and the answer that is not: ${roundTrips.measured} (${targetCell(roundTrips)}).`,
    ],
  };
}

function report(
  messages: readonly LoadSamples[],
  runs: readonly LoadSamples[],
  trips: number,
): SectionResult {
  const targets: TargetResult[] = [];
  const compared = [messages, runs].flatMap((samples) =>
    samples.map((own) => ({ own, memory: samples[0] ?? own })),
  );
  const rows = compared.map(({ own, memory }) => {
    const share = own.failures > 0 ? Number.NaN : medianRatio(own.perSecond, memory.perSecond);
    const checked =
      own === memory ? [] : [atLeast(`${own.name}, throughput`, share, MIN_SHARE, ' of memory')];
    targets.push(...checked);
    return [...loadCells(own), decimal(share, 2), checked.map(targetCell).join('')];
  });
  const roundTrips = atMost('round trips to Redis per message, shared limiter and trace', trips, 2);
  return {
    targets: [...targets, roundTrips],
    blocks: [
      markdownTable(['Request: store', ...loadColumns, 'of memory', 'target'], rows, ['target']),
      `Round trips to Redis per message, one for the shared limiter and one for the trace: ${roundTrips.measured} (${targetCell(roundTrips)}).`,
    ],
  };
}
