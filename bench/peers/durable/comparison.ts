import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type LoopCase,
  type LoopSamples,
  measureLoops,
  startLoop,
} from '../../support/durable/loop-process.ts';
import { type OwnCase, startShared, startSqlite } from '../../support/durable/own-runs.ts';
import { chainWork, IN_FLIGHT, loopRounds } from '../../support/durable/plan.ts';
import { POSTGRES_MISSING, startPostgres } from '../../support/process/postgres.ts';
import { createTempFolder } from '../../support/process/programs.ts';
import { REDIS_MISSING, redisCpuMs, startRedis } from '../../support/process/redis.ts';
import { observeLoad } from '../../support/report/machine.ts';
import type { Section, SectionResult } from '../../support/report/section.ts';
import { median, medianRatio } from '../../support/report/statistics.ts';
import { decimal, integer, markdownTable } from '../../support/report/table.ts';
import { atLeast } from '../../support/report/target.ts';
import type { PeerOptions } from './worker.ts';

/** The factor by which this project must be faster than each other engine. */
const MIN_TIMES = 10;

const worker = new URL('./worker.ts', import.meta.url);

export const durable: Section = {
  name: 'durable',
  title: 'Durable workflows of other engines',
  async measure(quick) {
    const describeLoad = observeLoad();
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await createTempFolder());
    const redis = stack.use((await startRedis()) ?? null);
    const postgres = stack.use((await startPostgres()) ?? null);
    const own: OwnCase[] = [stack.use(await startSqlite('resume'))];
    if (redis !== null) own.push(stack.use(await startShared(redis, 'resume', 1)));
    const startPeer = async (name: string, options: PeerOptions): Promise<LoopCase> => {
      return { name, processes: [stack.use(await startLoop(worker, JSON.stringify(options)))] };
    };
    const file = join(folder.path, 'openworkflow.db');
    const peers = [await startPeer('openworkflow, SQLite', { peer: 'openworkflow', place: file })];
    if (postgres !== null)
      peers.push(await startPeer('DBOS, PostgreSQL', { peer: 'dbos', place: postgres.url }));
    if (redis !== null) {
      const flow = await startPeer('BullMQ flow, Redis', { peer: 'bullmq', place: redis.url });
      peers.push({ ...flow, storeCpuMs: () => redisCpuMs(redis) });
    }
    const samples = await measureLoops([...own, ...peers], chainWork(quick), loopRounds(quick));
    const remarks = [
      redis?.version ?? REDIS_MISSING,
      postgres?.version ?? POSTGRES_MISSING,
      'SQLite of both with a write-ahead log and full synchronization',
    ];
    return report(
      [`${await versions()}. ${remarks.join('; ')}.`],
      samples.slice(0, own.length),
      samples.slice(own.length),
      describeLoad(),
    );
  },
};

function report(
  remarks: readonly string[],
  own: readonly LoopSamples[],
  peers: readonly LoopSamples[],
  load: string,
): SectionResult {
  const row = (samples: LoopSamples): string[] => [
    samples.name,
    integer(median(samples.perSecond)),
    decimal(median(samples.cpuMs), 2),
    ...own.map(({ perSecond }) => decimal(medianRatio(perSecond, samples.perSecond), 1)),
  ];
  const head = [
    'Engine',
    'runs a second',
    'CPU ms a run',
    ...own.map(({ name }) => `times slower than ${name}`),
  ];
  return {
    targets: own.flatMap((ours) =>
      peers.map((theirs) => {
        const times = medianRatio(ours.perSecond, theirs.perSecond);
        return atLeast(
          `durable chain of 10, ${ours.name}: faster than ${theirs.name}`,
          times,
          MIN_TIMES,
          ' times',
        );
      }),
    ),
    blocks: [
      ...remarks,
      `A durable chain of 10 steps that do nothing, started in the background, until its end is stored: ${IN_FLIGHT} runs under way. Each engine has a process of its own, which starts and runs them; CPU time is that of this process, without Redis and PostgreSQL.`,
      markdownTable(head, [...own, ...peers].map(row)),
      load,
    ],
  };
}

async function versions(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return ['@dbos-inc/dbos-sdk', 'openworkflow', 'bullmq']
    .map((name) => `${name} ${dependencies[name]}`)
    .join(', ');
}
