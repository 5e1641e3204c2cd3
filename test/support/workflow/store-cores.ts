import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import { defaultRecoveryPolicy } from '../../../src/domain/run/recover.ts';
import { defaultPorts } from '../../../src/entries/defaults.ts';
import { sqliteStorage } from '../../../src/entries/sqlite.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import { startRedisServer } from '../redis/server.ts';
import { createStoresFactory } from '../redis/stores.ts';
import { quickTimes } from '../stores.ts';

/** The stores that cores are tested over. With `sqlite` runs are durable. */
export type StoreName = 'memory' | 'sqlite' | 'redis';

/** Starts cores over one store; several with Redis. Time is real. */
export async function startCores(
  store: StoreName,
  limits: Partial<Limits> = {},
  overrides: Partial<Ports> = {},
) {
  const ends: (() => Promise<unknown>)[] = [];
  const given = { toolMaxAttempts: 1, ...limits };

  async function create() {
    if (store === 'memory') {
      return [createOrchestrator(defaultPorts(overrides), given, { builtInAgents: [] })];
    }
    if (store === 'sqlite') {
      const folder = await mkdtemp(join(tmpdir(), 'cores-'));
      ends.push(() => rm(folder, { recursive: true, force: true }));
      const storage = sqliteStorage({ path: join(folder, 'runs.db') });
      ends.push(() => storage.close());
      const options = { builtInAgents: [], recovery: defaultRecoveryPolicy } as const;
      return [createOrchestrator(defaultPorts({ ...storage.ports, ...overrides }), given, options)];
    }
    const redis = await startRedisServer();
    const factory = createStoresFactory();
    ends.push(
      () => redis.close(),
      () => factory.closeAll(),
    );
    const first = await factory.make(redis.url, quickTimes);
    const second = await factory.make(redis.url, { ...quickTimes, prefix: first.prefix });
    return [first, second].map(({ ports }) =>
      createOrchestrator(defaultPorts({ ...ports, ...overrides }), given, {
        builtInAgents: [],
      }),
    );
  }

  const cores = await create();
  for (const core of cores) core.start();
  return {
    cores,
    async close(): Promise<void> {
      await Promise.all(cores.map((core) => core.close(0)));
      for (const end of ends.reverse()) await end();
    },
  };
}
