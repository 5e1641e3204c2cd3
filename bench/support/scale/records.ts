import { createRedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import { redisStorage } from '../../../src/adapters/redis/storage.ts';
import { createIds, systemClock } from '../../../src/adapters/shared/system.ts';
import { RUN_RETENTION_MS } from '../../../src/domain/collections.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import { NO_REDIS, type Redis, startRedis } from '../redis.ts';
import { makeOrchestrator } from '../rigs.ts';
import type { Findings } from '../section.ts';
import { median, medianRatio } from '../statistics.ts';
import { markdownTable, whole } from '../table.ts';
import { atMost } from '../verdict.ts';
import { customerMessage, message } from '../workload.ts';

const PAGE = 50;

/** Puts under way at the same time while a collection is filled. */
const TOGETHER = 256;

/** The collection that the largest is held against. */
const COMPARED = 10_000;

/** How many times longer a page of the largest may take. */
const BOUND = 2;

/** Records that are read, spread over all of a collection. */
const READ = 1_000;

/** A collection of traces, which has a prefix and so an index of its own. */
interface Filled extends AsyncDisposable {
  readonly records: number;
  readonly traces: Ports['traces'];
  /** Ids of some of its records. */
  readonly ids: readonly string[];
  readonly putsPerSecond: number;
  /** Bytes of Redis' memory that a record takes. */
  readonly bytes: number;
}

/** Reads and writes collections of up to 1,000,000 records, all of which lie in one Redis. */
export async function measureRecords(quick: boolean): Promise<Findings> {
  await using redis = await startRedis({ appendOnly: false });
  if (redis === undefined) return { blocks: [NO_REDIS], verdicts: [] };
  await using stack = new AsyncDisposableStack();
  const sample = await smallTrace();
  const sizes = [1_000, COMPARED, 100_000, ...(quick ? [] : [1_000_000])];
  const filled: Filled[] = [];
  for (const records of sizes) filled.push(stack.use(await fill(redis, records, sample)));
  const figures = await measure(filled, sample, quick ? 5 : 25);
  return report(redis, filled, figures, JSON.stringify(sample).length);
}

/** A real trace without its timeline. */
async function smallTrace(): Promise<Trace> {
  const orchestrator = makeOrchestrator();
  const trace = await orchestrator.messages.process(customerMessage(message));
  await orchestrator.close(0);
  return { ...trace, timeline: [] };
}

async function fill(redis: Redis, records: number, sample: Trace): Promise<Filled> {
  await using stack = new AsyncDisposableStack();
  const adapters = createRedisAdapters({
    url: redis.url,
    prefix: `scale-${records}:`,
    timeoutMs: 10_000,
    runRetentionMs: RUN_RETENTION_MS,
    clock: systemClock,
    logger: silentLogger,
  });
  stack.defer(() => adapters.close());
  const { traces } = redisStorage(adapters);
  await adapters.start();
  const newId = createIds();
  const ids: string[] = [];
  const memoryBefore = await redis.info('used_memory');
  const begun = performance.now();
  let put = 0;
  const lane = async (): Promise<void> => {
    while (put < records) {
      const traceId = newId();
      if (put % (records / READ) === 0) ids.push(traceId);
      put += 1;
      await traces.put({ ...sample, traceId });
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, lane));
  const seconds = (performance.now() - begun) / 1_000;
  const bytes = ((await redis.info('used_memory')) - memoryBefore) / records;
  // A put resolves even where the store is away: the record waits for it then.
  const { total } = await traces.list({ limit: 1, offset: 0 });
  if (total !== records) throw new Error(`only ${total} of ${records} records were stored`);
  const kept = stack.move();
  const made = { records, traces, ids, putsPerSecond: records / seconds, bytes };
  return { ...made, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Does the operation once and resolves to the milliseconds that it took. */
type Operation = (filled: Filled, round: number) => Promise<number>;

const operations = {
  first: (filled) => timeOfPage(filled, 0),
  middle: (filled) => timeOfPage(filled, filled.records / 2),
  last: (filled) => timeOfPage(filled, filled.records - PAGE),
  get: ({ traces, ids }, round) => {
    const id = ids[(round * 7_919) % ids.length] ?? '';
    return timeOf(async () => {
      if ((await traces.get(id)) === undefined) throw new Error('a record was not found');
    });
  },
} as const satisfies Record<string, Operation>;

type Name = keyof typeof operations | 'put';

const names = ['first', 'middle', 'last', 'get', 'put'] as const satisfies readonly Name[];

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function timeOfPage({ traces, records }: Filled, offset: number): Promise<number> {
  return timeOf(async () => {
    const { items, total } = await traces.list({ limit: PAGE, offset });
    if (items.length !== PAGE || total !== records) throw new Error('a page was not whole');
  });
}

/** Puts a new record, which is taken away again, so that the collection keeps its size. */
function putOf(sample: Trace): Operation {
  const newId = createIds();
  return async ({ traces }) => {
    const traceId = newId();
    const ms = await timeOf(() => traces.put({ ...sample, traceId }));
    await traces.delete(traceId);
    return ms;
  };
}

/** Times of one operation, in milliseconds: one figure a round, for each collection. */
type Figures = ReadonlyMap<Filled, Readonly<Record<Name, readonly number[]>>>;

/** All collections have their turn in every round, one operation at a time. The first round warms up. */
async function measure(filled: readonly Filled[], sample: Trace, rounds: number): Promise<Figures> {
  const all = { ...operations, put: putOf(sample) };
  const figures = new Map(
    filled.map((own) => {
      const none: Record<Name, number[]> = { first: [], middle: [], last: [], get: [], put: [] };
      return [own, none];
    }),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      for (const [own, into] of figures) {
        const times: number[] = [];
        for (let time = 0; time < 40; time++) times.push(await all[name](own, round * 40 + time));
        if (round > 0) into[name].push(median(times));
      }
    }
  }
  return figures;
}

function report(redis: Redis, filled: readonly Filled[], figures: Figures, bytes: number): Findings {
  const of = (own: Filled | undefined, name: Name) => (own && figures.get(own)?.[name]) ?? [];
  const compared = filled.find(({ records }) => records === COMPARED);
  const most = filled.at(-1);
  const beside = `${whole(most?.records ?? 0)} records beside ${whole(COMPARED)}`;
  const places = [
    ['first', 'at offset 0'],
    ['middle', 'in the middle'],
    ['last', 'at the end'],
  ] as const;
  return {
    verdicts: places.map(([name, place]) => {
      const ratio = medianRatio(of(most, name), of(compared, name));
      return atMost(`a page ${place}, ${beside}`, ratio, BOUND, ' times');
    }),
    blocks: [
      `${redis.version} and no snapshots, filled through the adapter by ${TOGETHER} puts at a time with traces of ${bytes} bytes (without timelines). Then one operation at a time, all collections by turns; a page has ${PAGE} records.`,
      markdownTable(
        [
          'Records',
          ...places.map(([, place]) => `page ${place}, µs`),
          'get, µs',
          'put, µs',
          'puts a second while filling',
          'bytes of Redis a record',
        ],
        filled.map((own) => [
          whole(own.records),
          ...names.map((name) => whole(median(of(own, name)) * 1_000)),
          whole(own.putsPerSecond),
          whole(own.bytes),
        ]),
      ),
    ],
  };
}
