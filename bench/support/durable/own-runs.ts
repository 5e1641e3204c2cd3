import { join } from 'node:path';
import { createTempFolder } from '../process/programs.ts';
import { type Redis, redisCpuMs } from '../process/redis.ts';
import { type LoopCase, startLoop } from './loop-process.ts';

/** The options of `bench/servers/durable-runs.ts`. */
export interface DurableRunsOptions {
  readonly store: 'memory' | 'sqlite' | 'redis';
  /** The file of SQLite, or the URL of Redis. */
  readonly place: string;
  /** Prefix of the keys in Redis. */
  readonly prefix?: string;
  readonly recovery: 'interrupt' | 'resume';
}

/** A case with what it has started. */
export interface OwnCase extends LoopCase, AsyncDisposable {}

const server = new URL('../../servers/durable-runs.ts', import.meta.url);

/** Runs in memory, which are not durable: what the others are compared with. */
export async function startMemory(): Promise<OwnCase> {
  const program = await startLoop(
    server,
    JSON.stringify({ store: 'memory', place: '', recovery: 'interrupt' }),
  );
  return {
    name: 'memory, `interrupt`',
    processes: [program],
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** Runs in a temporary file of SQLite. */
export async function startSqlite(recovery: DurableRunsOptions['recovery']): Promise<OwnCase> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createTempFolder());
  const options: DurableRunsOptions = { store: 'sqlite', place: join(folder.path, 'runs.db'), recovery };
  const program = stack.use(await startLoop(server, JSON.stringify(options)));
  const owned = stack.move();
  return {
    name: `SQLite, \`${recovery}\``,
    processes: [program],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Runs in Redis, shared by a number of processes. */
export async function startShared(
  redis: Redis,
  recovery: DurableRunsOptions['recovery'],
  count: number,
): Promise<OwnCase> {
  await using stack = new AsyncDisposableStack();
  const prefix = `${recovery}-${count}:`;
  const options: DurableRunsOptions = { store: 'redis', place: redis.url, prefix, recovery };
  const processes = await Promise.all(
    Array.from({ length: count }, async () => stack.use(await startLoop(server, JSON.stringify(options)))),
  );
  const owned = stack.move();
  return {
    name: `Redis, \`${recovery}\`, ${count === 1 ? 'one process' : `${count} processes`}`,
    processes,
    storeCpuMs: () => redisCpuMs(redis),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
