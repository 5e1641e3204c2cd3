import { measureDelays } from '../support/durable/delays.ts';
import { measureThroughput } from '../support/durable/throughput.ts';
import { REDIS_MISSING, startRedis } from '../support/process/redis.ts';
import { observeLoad } from '../support/report/machine.ts';
import type { Section } from '../support/report/section.ts';

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
