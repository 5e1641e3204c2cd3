import { createNodeRedisClient, FlowProducer, type Job, RedisConnection, Worker } from 'bullmq';
import { createClient } from 'redis';
import type { WorkflowDefinition } from '../../src/domain/workflow/definition.ts';
import { startRedis } from '../support/process/redis.ts';
import type { Peer } from './peer.ts';

const queueName = 'bench';

/** Concurrent jobs of the worker. */
const CONCURRENCY = 256;

interface Flow {
  readonly name: string;
  readonly queueName: string;
  readonly children?: Flow[];
}

/** Runs flows of a Redis. */
export interface Flows extends AsyncDisposable {
  /** Prepares a flow and returns the function that runs it to its end. */
  prepare(definition: WorkflowDefinition): () => Promise<void>;
}

/** BullMQ flows with their own Redis; `undefined` if no Redis is installed. */
export async function startBullMq(): Promise<Peer | undefined> {
  await using stack = new AsyncDisposableStack();
  const redis = await startRedis();
  if (redis === undefined) return undefined;
  stack.use(redis);
  const flows = stack.use(openFlows(redis.url));
  const owned = stack.move();
  return {
    name: 'BullMQ flow',
    async workflow(definition) {
      const run = flows.prepare(definition);
      await run();
      return run;
    },
    routing: {},
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Runs flows of the Redis at `url`. */
export function openFlows(url: string): Flows {
  const stack = new AsyncDisposableStack();
  RedisConnection.clientFactory = () => createNodeRedisClient(createClient({ url }));
  const connection = { url };
  const waiting = new Map<string, () => void>();
  const worker = new Worker(queueName, async () => ({}), { connection, concurrency: CONCURRENCY });
  stack.defer(() => worker.close(true));
  worker.on('error', () => undefined);
  worker.on('completed', ({ id = '' }: Job) => {
    waiting.get(id)?.();
    waiting.delete(id);
  });
  const producer = new FlowProducer({ connection });
  stack.defer(() => producer.close());
  let runs = 0;
  return {
    prepare(definition) {
      const flow = treeOf(definition);
      return async () => {
        runs += 1;
        const jobId = `run-${runs}`;
        const completed = new Promise<void>((resolve) => waiting.set(jobId, resolve));
        await producer.add({ ...flow, opts: { jobId } });
        await completed;
      };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/**
 * The tree closest to the layers: the same number of jobs and the same depth, but each job has one parent only, since a
 * flow is a tree. If the last layer has several jobs, one more job waits for them.
 */
function treeOf({ layers }: WorkflowDefinition): Flow {
  let below: Flow[] = [];
  for (const ids of layers) {
    const jobs = ids.map((name): { name: string; queueName: string; children: Flow[] } => ({
      name,
      queueName,
      children: [],
    }));
    for (const [index, child] of below.entries()) jobs[index % jobs.length]?.children.push(child);
    below = jobs.map(({ children, ...job }) => (children.length === 0 ? job : { ...job, children }));
  }
  const [only] = below;
  return below.length === 1 && only !== undefined ? only : { name: 'end', queueName, children: below };
}
