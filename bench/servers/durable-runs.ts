/**
 * A process that runs workflows in the background, for `serveLoop`. The workloads are names of DAGs. The argument is
 * {@link DurableRunsOptions} as JSON.
 */
import { defaultPorts } from '../../src/adapters/defaults.ts';
import { createBullmqRunQueue } from '../../src/adapters/redis/bullmq.ts';
import { systemClock } from '../../src/adapters/shared/system.ts';
import { createOrchestrator } from '../../src/application/orchestrator.ts';
import { defaultRecoveryPolicy } from '../../src/domain/run/recover.ts';
import { createRedisStore } from '../../src/entries/redis.ts';
import { sqliteStorage } from '../../src/entries/sqlite.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { Ports } from '../../src/ports/ports.ts';
import { serveLoop } from '../support/durable/loop.ts';
import type { DurableRunsOptions } from '../support/durable/own-runs.ts';
import { type Dag, dags, toDraft } from '../support/workloads/dag.ts';

const options = JSON.parse(process.argv[2] ?? '') as DurableRunsOptions;

/** Starts the queue of runs once all tools are registered. */
let startQueue = async (): Promise<void> => {};

const orchestrator = createOrchestrator(
  defaultPorts({
    ...(await openStorage()),
    events(event) {
      if (event.type !== 'run.finished') return;
      if (event.status !== 'COMPLETED') throw new Error(`a run ended as ${event.status}: ${event.error}`);
      ended();
    },
  }),
  {},
  { recovery: options.recovery === 'resume' ? defaultRecoveryPolicy : undefined },
);
orchestrator.tools.register({
  name: 'nothing',
  description: 'Does nothing',
  effect: 'read',
  input: { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) },
  execute: () => ({}),
});

await startQueue();
orchestrator.start();

const ids = new Map<string, Promise<string>>();
const ended = serveLoop(async (workload) => {
  const created = ids.get(workload) ?? create(workload);
  ids.set(workload, created);
  await orchestrator.workflows.run(await created, { background: true });
});

async function create(workload: string): Promise<string> {
  const dag = Object.values<Dag>(dags).find(({ name }) => name === workload);
  if (dag === undefined) throw new Error(`unknown workload: ${workload}`);
  return (await orchestrator.workflows.create(toDraft(dag))).id;
}

async function openStorage(): Promise<Partial<Ports>> {
  const { store, place, prefix = '', recovery } = options;
  if (store === 'memory') return {};
  if (store === 'sqlite') return sqliteStorage({ path: place }).ports;
  const shared = { url: place, prefix, timeoutMs: 5_000, clock: systemClock, logger: silentLogger };
  const redis = createRedisStore(shared);
  await redis.start();
  if (recovery !== 'resume') return redis.ports;
  const { queue, start } = createBullmqRunQueue(shared);
  startQueue = start;
  return { ...redis.ports, runQueue: queue };
}
