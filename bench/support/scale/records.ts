import { createIds } from '../../../src/adapters/shared/system.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import { createRedisStore } from '../../../src/entries/redis.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import { REDIS_MISSING, type Redis, startRedis } from '../process/redis.ts';
import type { SectionResult } from '../report/section.ts';
import { median, medianRatio } from '../report/statistics.ts';
import { integer, markdownTable } from '../report/table.ts';
import { atMost } from '../report/target.ts';
import { createBenchOrchestrator } from '../workloads/core.ts';
import { sampleMessage, toCustomerMessage } from '../workloads/requests.ts';

const PAGE = 50;

/** Concurrent puts while a collection is filled. */
const CONCURRENT_PUTS = 256;

/** Records of the collection that the largest is compared with. */
const REFERENCE_RECORDS = 10_000;

/** The factor by which a page of the largest collection may take longer. */
const MAX_RATIO = 2;

/** Records that are read, spread over the collection. */
const SAMPLED_RECORDS = 1_000;

/** A collection of traces with its own prefix, and so its own index. */
interface FilledCollection extends AsyncDisposable {
  readonly records: number;
  readonly traces: Ports['traces'];
  /** Ids of the records that are read. */
  readonly ids: readonly string[];
  readonly putsPerSecond: number;
  /** Bytes of Redis memory per record. */
  readonly bytes: number;
}

/** Reads and writes collections of up to 1,000,000 records in one Redis. */
export async function measureRecords(quick: boolean): Promise<SectionResult> {
  await using redis = await startRedis({ appendOnly: false });
  if (redis === undefined) return { blocks: [REDIS_MISSING], targets: [] };
  await using stack = new AsyncDisposableStack();
  const trace = await createSmallTrace();
  const sizes = [1_000, REFERENCE_RECORDS, 100_000, ...(quick ? [] : [1_000_000])];
  const filled: FilledCollection[] = [];
  for (const records of sizes) filled.push(stack.use(await fillCollection(redis, records, trace)));
  const samples = await measure(filled, trace, quick ? 5 : 25);
  return report(redis, filled, samples, JSON.stringify(trace).length);
}

/** A real trace without its timeline. */
async function createSmallTrace(): Promise<Trace> {
  const orchestrator = createBenchOrchestrator();
  const trace = await orchestrator.messages.process(toCustomerMessage(sampleMessage));
  await orchestrator.close(0);
  return { ...trace, timeline: [] };
}

async function fillCollection(redis: Redis, records: number, trace: Trace): Promise<FilledCollection> {
  await using stack = new AsyncDisposableStack();
  const adapters = createRedisStore({ url: redis.url, prefix: `scale-${records}:`, timeoutMs: 10_000 });
  stack.defer(() => adapters.close());
  const { traces } = adapters.ports;
  await adapters.start();
  const newId = createIds();
  const ids: string[] = [];
  const memoryBefore = await redis.info('used_memory');
  const startedAt = performance.now();
  let put = 0;
  const lane = async (): Promise<void> => {
    while (put < records) {
      const traceId = newId();
      if (put % (records / SAMPLED_RECORDS) === 0) ids.push(traceId);
      put += 1;
      await traces.put({ ...trace, traceId });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_PUTS }, lane));
  const seconds = (performance.now() - startedAt) / 1_000;
  const bytes = ((await redis.info('used_memory')) - memoryBefore) / records;
  // `put` also resolves while Redis is disconnected, and writes the record later.
  const { total } = await traces.list({ limit: 1, offset: 0 });
  if (total !== records) throw new Error(`only ${total} of ${records} records were stored`);
  const owned = stack.move();
  const made = { records, traces, ids, putsPerSecond: records / seconds, bytes };
  return { ...made, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Runs one operation and resolves to its duration in milliseconds. */
type Operation = (filled: FilledCollection, round: number) => Promise<number>;

const operations = {
  first: (filled) => timePageMs(filled, 0),
  middle: (filled) => timePageMs(filled, filled.records / 2),
  last: (filled) => timePageMs(filled, filled.records - PAGE),
  get: ({ traces, ids }, round) => {
    const id = ids[(round * 7_919) % ids.length] ?? '';
    return timeMs(async () => {
      if ((await traces.get(id)) === undefined) throw new Error('a record was not found');
    });
  },
} as const satisfies Record<string, Operation>;

type Name = keyof typeof operations | 'put';

const names = ['first', 'middle', 'last', 'get', 'put'] as const satisfies readonly Name[];

async function timeMs(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function timePageMs({ traces, records }: FilledCollection, offset: number): Promise<number> {
  return timeMs(async () => {
    const { items, total } = await traces.list({ limit: PAGE, offset });
    if (items.length !== PAGE || total !== records) throw new Error('a page was incomplete');
  });
}

/** Puts a new record, and deletes it afterwards so that the collection keeps its size. */
function createPut(trace: Trace): Operation {
  const newId = createIds();
  return async ({ traces }) => {
    const traceId = newId();
    const ms = await timeMs(() => traces.put({ ...trace, traceId }));
    await traces.delete(traceId);
    return ms;
  };
}

/** Milliseconds of each operation on each collection, one sample per round. */
type Samples = ReadonlyMap<FilledCollection, Readonly<Record<Name, readonly number[]>>>;

/** Every round runs all operations on all collections, one at a time. The first round is a warm-up. */
async function measure(filled: readonly FilledCollection[], trace: Trace, rounds: number): Promise<Samples> {
  const all = { ...operations, put: createPut(trace) };
  const samples = new Map(
    filled.map((own) => {
      const none: Record<Name, number[]> = { first: [], middle: [], last: [], get: [], put: [] };
      return [own, none];
    }),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      for (const [own, into] of samples) {
        const times: number[] = [];
        for (let time = 0; time < 40; time++) times.push(await all[name](own, round * 40 + time));
        if (round > 0) into[name].push(median(times));
      }
    }
  }
  return samples;
}

function report(
  redis: Redis,
  filled: readonly FilledCollection[],
  samples: Samples,
  bytes: number,
): SectionResult {
  const of = (own: FilledCollection | undefined, name: Name) => (own && samples.get(own)?.[name]) ?? [];
  const compared = filled.find(({ records }) => records === REFERENCE_RECORDS);
  const most = filled.at(-1);
  const comparison = `${integer(most?.records ?? 0)} records compared with ${integer(REFERENCE_RECORDS)}`;
  const places = [
    ['first', 'at offset 0'],
    ['middle', 'in the middle'],
    ['last', 'at the end'],
  ] as const;
  return {
    targets: places.map(([name, place]) => {
      const ratio = medianRatio(of(most, name), of(compared, name));
      return atMost(`a page ${place}, ${comparison}`, ratio, MAX_RATIO, ' times');
    }),
    blocks: [
      `${redis.version} and no snapshots, filled through the adapter by ${CONCURRENT_PUTS} puts at a time with traces of ${bytes} bytes (without timelines). Then one operation at a time, alternating between the collections; a page has ${PAGE} records.`,
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
          integer(own.records),
          ...names.map((name) => integer(median(of(own, name)) * 1_000)),
          integer(own.putsPerSecond),
          integer(own.bytes),
        ]),
      ),
    ],
  };
}
