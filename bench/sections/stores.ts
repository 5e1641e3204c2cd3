import { setTimeout as sleep } from 'node:timers/promises';
import { measureStoreOperations } from '../support/in-process/stores.ts';
import type { Request } from '../support/load/raw-http.ts';
import { countRoundTrips } from '../support/load/round-trips.ts';
import {
  type LoadSamples,
  type LoadWorkload,
  loadCells,
  loadColumns,
  loadPlan,
  measureLoads,
} from '../support/load/rounds.ts';
import { sendJson } from '../support/load/send.ts';
import { POSTGRES_MISSING, type Postgres, startPostgres } from '../support/process/postgres.ts';
import { REDIS_MISSING, type Redis, startRedis } from '../support/process/redis.ts';
import { type Server, startService } from '../support/process/servers.ts';
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

/** The minimum share of the throughput with memory; none is asked of PostgreSQL. */
const MIN_SHARE = 0.5;

const POSTGRES = 'PostgreSQL';

/** The longest time that a service may take to reach its store, in milliseconds. */
const MAX_CONNECT_MS = 60_000;

export const stores: Section = {
  name: 'stores',
  title: 'Memory, SQLite, Redis and PostgreSQL',
  async measure(quick) {
    await using redis = await startRedis();
    if (redis === undefined) {
      process.stderr.write(`${REDIS_MISSING}\n`);
      return { blocks: [REDIS_MISSING], targets: [] };
    }
    await using postgres = await startPostgres();
    const service = await measureService(redis, postgres, quick);
    const operations = await measureStoreOperations({ redis: redis.url, postgres: postgres?.url }, quick);
    return {
      targets: service.targets,
      blocks: [
        ...(postgres === undefined ? [POSTGRES_MISSING] : []),
        `${[redis, ...(postgres === undefined ? [] : [postgres])].map(({ version }) => version).join('; ')}; on the same machine; SQLite with full synchronization, in a temporary folder. 64 keep-alive connections; a run saves each of its ten layers. With the shared limiter, each request is also counted in the store.`,
        ...service.blocks,
        'The stores without HTTP, in one process, 64 operations at a time:',
        ...operations,
      ],
    };
  },
};

async function measureService(
  redis: Redis,
  postgres: Postgres | undefined,
  quick: boolean,
): Promise<SectionResult> {
  const kvstore = { TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url, KVSTORE_TIMEOUT_MS: '5000' };
  await using memory = await startService();
  await using sqlite = await startService({ TRACE_BACKEND: 'sqlite' });
  await using shared = await startService({ ...kvstore, KVSTORE_PREFIX: 'redis:' });
  const bothShared = { ...kvstore, RATE_LIMIT_BACKEND: 'kvstore', KVSTORE_PREFIX: 'both:' };
  await using both = await startService(bothShared);
  const rows = { TRACE_BACKEND: 'postgres', DATABASE_URL: postgres?.url ?? '' };
  await using inPostgres = postgres && (await startService({ ...rows, DATABASE_SCHEMA: 'records' }));
  const limited = { ...rows, RATE_LIMIT_BACKEND: 'postgres', DATABASE_SCHEMA: 'limited' };
  await using limitedByPostgres = postgres && (await startService(limited));
  const servers: (readonly [string, Server])[] = [
    ['memory', memory],
    ['SQLite', sqlite],
    ['Redis', shared],
    ['Redis, shared limiter too', both],
  ];
  if (inPostgres !== undefined) servers.push([POSTGRES, inPostgres]);
  if (limitedByPostgres !== undefined) servers.push([`${POSTGRES}, shared limiter too`, limitedByPostgres]);
  const workloads: LoadWorkload[] = [];
  for (const [name, server] of servers) {
    await untilConnected(server);
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

/** The service listens before it is connected to its store, which takes long on a busy machine. */
async function untilConnected(server: Server): Promise<void> {
  const health: Request = { method: 'GET', path: '/health' };
  const until = performance.now() + MAX_CONNECT_MS;
  while ((await sendJson<{ status: string }>(server, health)).status !== 'ok') {
    if (performance.now() > until) throw new Error('a service could not reach its store');
    await sleep(100);
  }
}

const hasTarget = ({ name }: LoadSamples): boolean => !name.includes(POSTGRES);

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
    const checked = hasTarget(own)
      ? [atLeast(`${own.name}, throughput`, share, MIN_SHARE_WITH_KEY, ' of that without')]
      : [];
    targets.push(...checked);
    return [...loadCells(own), decimal(share, 2), checked.map(targetCell).join('')];
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
    const isChecked = own !== memory && hasTarget(own);
    const checked = isChecked ? [atLeast(`${own.name}, throughput`, share, MIN_SHARE, ' of memory')] : [];
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
