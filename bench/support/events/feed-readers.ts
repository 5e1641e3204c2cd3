import { startEventReaders } from '../load/event-readers.ts';
import { type LoadSamples, loadCells, loadColumns, loadPlan, measureLoads } from '../load/rounds.ts';
import { startService } from '../process/servers.ts';
import type { SectionResult } from '../report/section.ts';
import { medianRatio } from '../report/statistics.ts';
import { decimal, markdownTable } from '../report/table.ts';
import { atLeast, atMost, targetCell } from '../report/target.ts';
import { fillTraces, postMessage } from '../workloads/requests.ts';

/** The bounds of `POST /messages` with readers of the feed, relative to those without. */
const MIN_SHARE = 0.95;
const MAX_CPU = 1.05;

const READERS = 100;

/** `POST /messages` with and without readers of the feed, in turn. */
export async function measureFeedReaders(quick: boolean): Promise<SectionResult> {
  await using service = await startService();
  await using readers = await startEventReaders();
  await fillTraces(service);
  const { warmUpMs, connections } = loadPlan(quick);
  const plan = { rounds: 1, roundMs: quick ? 500 : 2_000, warmUpMs: 100, connections };
  const measureOnce = (name: string, warmUp = plan.warmUpMs) =>
    measureLoads([{ name, server: service, requests: [postMessage] }], { ...plan, warmUpMs: warmUp });
  await measureOnce('warm-up', warmUpMs);
  const without: LoadSamples[] = [];
  const withReaders: LoadSamples[] = [];
  const measureWithout = async () => void without.push(...(await measureOnce('no readers')));
  // The effect is small: many short rounds, which begin with each in turn.
  for (let round = 0; round < (quick ? 10 : 20); round++) {
    if (round % 2 === 0) await measureWithout();
    await readers.open(service, '/events', READERS);
    withReaders.push(...(await measureOnce(`${READERS} readers of the feed`)));
    if ((await readers.received()).bytes < 100_000) throw new Error('the readers received no events');
    await readers.close();
    if (round % 2 === 1) await measureWithout();
  }
  return reportFeed(joinRounds(without), joinRounds(withReaders));
}

function joinRounds(samples: readonly LoadSamples[]): LoadSamples {
  return {
    name: samples[0]?.name ?? '',
    perSecond: samples.flatMap(({ perSecond }) => perSecond),
    p99Ms: samples.flatMap(({ p99Ms }) => p99Ms),
    cpuMicroseconds: samples.flatMap(({ cpuMicroseconds }) => cpuMicroseconds),
    failures: samples.reduce((sum, { failures }) => sum + failures, 0),
  };
}

function reportFeed(without: LoadSamples, own: LoadSamples): SectionResult {
  const isValid = own.failures + without.failures === 0;
  const share = isValid ? medianRatio(own.perSecond, without.perSecond) : Number.NaN;
  const cpu = isValid ? medianRatio(own.cpuMicroseconds, without.cpuMicroseconds) : Number.NaN;
  const name = `\`POST /messages\` with ${own.name}`;
  const targets = [
    atLeast(`${name}, throughput`, share, MIN_SHARE, ' of that without'),
    atMost(`${name}, CPU time a request`, cpu, MAX_CPU, ' times that without'),
  ];
  const head = [
    '`POST /messages`',
    ...loadColumns,
    'throughput, of that without',
    'CPU, of that without',
    'target',
  ];
  const ratios = [decimal(share, 2), decimal(cpu, 2)];
  const rows = [
    [...loadCells(without), '1.00', '1.00', ''],
    [...loadCells(own), ...ratios, targets.map(targetCell).join('; ')],
  ];
  return {
    targets,
    blocks: [
      'Messages over 64 connections, in memory, full stores of traces. The readers, in another process on the same machine, follow `GET /events` without a filter.',
      markdownTable(head, rows, ['target']),
      `The ratios of single rounds: throughput ${spread(own.perSecond, without.perSecond)}, CPU time ${spread(own.cpuMicroseconds, without.cpuMicroseconds)}.`,
    ],
  };
}

/** The smallest and the largest ratio of both samples of a round. */
function spread(samples: readonly number[], others: readonly number[]): string {
  const ratios = samples.map((sample, round) => sample / (others[round] ?? Number.NaN));
  return `${decimal(Math.min(...ratios), 2)} to ${decimal(Math.max(...ratios), 2)}`;
}
