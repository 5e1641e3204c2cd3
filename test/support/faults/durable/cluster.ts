import { type SharedStore, type SharedStoreKind, startSharedStore } from '../../process/shared-store.ts';
import { call } from '../calls.ts';
import { sleep } from '../fleet.ts';
import type { EffectLog } from './effect-log.ts';
import { type Life, startLife } from './process.ts';

/** A life that listens. */
export type Serving = Life & { readonly service: { readonly baseUrl: string } };

/** Where runs are kept: a file of one process, or a server that replicas share. */
export type StoreKind = 'sqlite' | SharedStoreKind;

/** Options of {@link startCluster}. */
export interface ClusterOptions {
  readonly store: StoreKind;
  /** Number of processes; 1 with SQLite. */
  readonly slots: number;
  /** Settings of the service beside those of the store. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Milliseconds from the exit of a process until it is started again; 0 when absent. */
  readonly restartDelay?: () => number;
  /** True for a process that may end by itself. */
  readonly mayDie?: boolean;
}

/** Processes of the service on one store. A process that exits is started again. */
export interface Cluster {
  readonly store: StoreKind;
  /** All processes since the start, in order. */
  readonly lives: readonly Life[];
  /** Processes that are ready, not suspended, and not about to end. */
  serving(): readonly Serving[];
  /** The process in a slot, from 0: the latest one. */
  life(slot: number): Life;
  /** Waits until the latest process of every slot is ready. */
  untilReady(): Promise<void>;
  /** Processes that ended by themselves although they may not, with their output. */
  readonly crashes: readonly string[];
  /** The server of the store; undefined with SQLite. */
  readonly server: SharedStore | undefined;
  close(): Promise<void>;
}

/** Generous, because the processes of a busy machine take long to start. */
const READY_MS = 150_000;

/** Starts the processes; resolves when all are ready. */
export async function startCluster(log: EffectLog, options: ClusterOptions): Promise<Cluster> {
  const { store, slots, restartDelay = () => 0, mayDie = false } = options;
  const server = store === 'sqlite' ? undefined : await startSharedStore(store, { isDurable: true });
  const lives: Life[] = [];
  const crashes: string[] = [];
  const latest: Life[] = [];
  let closed = false;

  const settings = {
    RATE_LIMIT_REQUESTS: '1000000',
    LOG_LEVEL: 'info',
    EXTENSIONS: log.extension,
    RUN_RECOVERY: 'resume',
    TRACE_BACKEND: 'sqlite',
    SQLITE_PATH: `${log.folder}/store.db`,
    ...server?.settings(),
    ...options.settings,
  };
  const endWithTests = (): void => {
    for (const { process: child } of latest) child.kill('SIGKILL');
  };
  process.on('exit', endWithTests);

  function start(slot: number): void {
    const life = startLife(slot, settings, log.folder);
    lives.push(life);
    latest[slot] = life;
    void watch(life);
    void becomeReady(life);
  }

  async function watch(life: Life): Promise<void> {
    const exit = await life.exited;
    if (closed) return;
    if (life.killedAt === undefined && !mayDie) crashes.push(`exit ${exit}: ${life.output().slice(-3_000)}`);
    if (life.killedAt !== undefined && exit !== 'SIGKILL' && exit !== '0')
      crashes.push(`exit ${exit} after a signal: ${life.output().slice(-3_000)}`);
    await sleep(restartDelay());
    if (!closed) start(life.slot);
  }

  async function becomeReady(life: Life): Promise<void> {
    while (life.exitedAt === undefined) {
      if (life.service !== undefined) {
        const { service } = life;
        if ((await call({ service }, '/health?probe=ready')).status === 200) {
          life.isReady = true;
          return;
        }
      }
      await sleep(20);
    }
  }

  const isServing = (life: Life): life is Serving =>
    life.isReady &&
    life.service !== undefined &&
    life.killedAt === undefined &&
    life.exitedAt === undefined &&
    life.frozen.every(({ to }) => to !== Number.POSITIVE_INFINITY);

  const cluster: Cluster = {
    store,
    lives,
    crashes,
    server,
    serving: () => latest.filter(isServing),
    life(slot) {
      const life = latest[slot];
      if (life === undefined) throw new RangeError(`there is no slot ${slot}`);
      return life;
    },
    async untilReady() {
      const until = Date.now() + READY_MS;
      while (!(latest.length === slots && latest.every(isServing))) {
        if (Date.now() > until)
          throw new Error(`not ready: ${latest.map((life) => life.output().slice(-2_000))}`);
        await sleep(20);
      }
    },
    async close() {
      closed = true;
      server?.thaw();
      await Promise.all(latest.map((life) => life.kill()));
      process.off('exit', endWithTests);
      await server?.stop();
    },
  };
  for (let slot = 0; slot < slots; slot++) start(slot);
  try {
    await cluster.untilReady();
    return cluster;
  } catch (error) {
    await cluster.close();
    throw error;
  }
}
