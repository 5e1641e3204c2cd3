import { dags } from '../support/dag.ts';
import { load } from '../support/load.ts';
import { NO_REDIS, type Redis, startRedis } from '../support/redis.ts';
import {
  interleaveLoads,
  type LoadCandidate,
  type LoadFigures,
  loadCells,
  loadColumns,
  loadPlan,
} from '../support/rounds.ts';
import type { Findings, Section } from '../support/section.ts';
import { type Server, startService } from '../support/servers.ts';
import { medianRatio } from '../support/statistics.ts';
import { measureStores } from '../support/store-operations.ts';
import { decimal, markdownTable } from '../support/table.ts';
import { atLeast, atMost, type Verdict, verdictCell } from '../support/verdict.ts';
import { askForSuccess, postMessage, runOf } from '../support/workload.ts';

/** The least share of the throughput with memory. */
const SHARE = 0.5;

export const stores: Section = {
  name: 'stores',
  title: 'Memory and Redis',
  async measure(quick) {
    await using redis = await startRedis();
    if (redis === undefined) {
      process.stderr.write(`${NO_REDIS}\n`);
      return { blocks: [NO_REDIS], verdicts: [] };
    }
    const service = await measureService(redis, quick);
    const operations = await measureStores(redis.url, quick);
    return {
      verdicts: service.verdicts,
      blocks: [
        `${redis.version}, on the same machine. 64 keep-alive connections; a run saves each of its ten layers. With a shared limit too, each request is counted in Redis as well.`,
        ...service.blocks,
        'The stores alone, without HTTP and in one process, 64 operations at a time:',
        ...operations,
      ],
    };
  },
};

async function measureService(redis: Redis, quick: boolean): Promise<Findings> {
  const kvstore = { TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url, KVSTORE_TIMEOUT_MS: '5000' };
  await using memory = await startService();
  await using kept = await startService({ ...kvstore, KVSTORE_PREFIX: 'kept:' });
  const bothShared = { ...kvstore, RATE_LIMIT_BACKEND: 'kvstore', KVSTORE_PREFIX: 'both:' };
  await using both = await startService(bothShared);
  const servers = [
    ['memory', memory],
    ['Redis', kept],
    ['Redis, shared limit too', both],
  ] as const;
  const candidates: LoadCandidate[] = [];
  for (const [name, server] of servers) {
    await askForSuccess(server, postMessage);
    candidates.push({ name: `\`POST /messages\`: ${name}`, server, requests: [postMessage] });
  }
  for (const [name, server] of servers) {
    const run = await runOf(server, dags.square);
    await askForSuccess(server, run);
    candidates.push({ name: `a run of 10 layers of 10: ${name}`, server, requests: [run] });
  }
  const trips = await roundTrips(redis, both);
  const figures = await interleaveLoads(candidates, loadPlan(quick));
  return report(figures, trips);
}

/** How often a message goes to Redis and back, when nothing else does. */
async function roundTrips(redis: Redis, service: Server): Promise<number> {
  const requests = 200;
  const before = await redis.info('total_reads_processed');
  await load(service.port, [postMessage], { connections: 1, requests });
  return Math.round(((await redis.info('total_reads_processed')) - before) / requests);
}

function report(figures: readonly LoadFigures[], trips: number): Findings {
  const verdicts: Verdict[] = [];
  const rows = figures.map((own, index) => {
    const memory = figures[index < 3 ? 0 : 3] ?? own;
    const share = own.failures > 0 ? Number.NaN : medianRatio(own.perSecond, memory.perSecond);
    const judged = own === memory ? [] : [atLeast(`${own.name}, throughput`, share, SHARE, ' of memory')];
    verdicts.push(...judged);
    return [...loadCells(own), decimal(share, 2), judged.map(verdictCell).join('')];
  });
  const tripping = atMost('round trips to Redis for a message, shared limit and trace', trips, 2);
  return {
    verdicts: [...verdicts, tripping],
    blocks: [
      markdownTable(['Request: store', ...loadColumns, 'of memory', 'target'], rows, ['target']),
      `Round trips to Redis for a message, one for the shared limit and one for the trace: ${tripping.figure} (${verdictCell(tripping)}).`,
    ],
  };
}
