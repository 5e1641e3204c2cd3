import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { program as compiled } from '../../../../build/service.ts';
import { compileCache } from '../../process/compile-cache.ts';
import { type SharedStore, type SharedStoreKind, startSharedStore } from '../../process/shared-store.ts';
import { call } from '../calls.ts';
import { sleep } from '../fleet.ts';
import type { EffectLog } from './effect-log.ts';

/** A life that listens. */
export type Serving = Life & { readonly service: { readonly baseUrl: string } };

/** Where runs are kept: a file of one process, or a server that replicas share. */
export type StoreKind = 'sqlite' | SharedStoreKind;

/** Options of {@link startCluster}. */
export interface ClusterOptions {
  readonly store: StoreKind;
  /** Number of processes; 1 with SQLite. */
  readonly slots: number;
  /** True to run the service from its sources, whose modules a loader can replace. */
  readonly fromSources?: boolean;
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

const sourceProgram = fileURLToPath(new URL('../../../../src/main.ts', import.meta.url));

/** Generous, because the processes of a busy machine take long to start. */
const READY_MS = 150_000;

/** Starts the processes; resolves when all are ready. */
export async function startCluster(log: EffectLog, options: ClusterOptions): Promise<Cluster> {
  const { store, slots, fromSources = false, restartDelay = () => 0, mayDie = false } = options;
  const program = fromSources ? sourceProgram : compiled;
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
    const life = startLife(program, slot, settings, log.folder);
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

/** A time in milliseconds since the epoch; `to` is infinite until it is over. */
interface Span {
  readonly from: number;
  to: number;
}

/** One process of the service, from its start to its end. Times are in milliseconds since the epoch. */
export interface Life {
  readonly slot: number;
  readonly pid: number;
  readonly process: ChildProcess;
  /** Where it listens; undefined before that. */
  readonly service: { readonly baseUrl: string } | undefined;
  /** When it was sent a signal that ends it. */
  readonly killedAt: number | undefined;
  /** When it had exited. */
  readonly exitedAt: number | undefined;
  /** The times in which it was suspended. */
  readonly frozen: readonly Span[];
  isReady: boolean;
  readonly exited: Promise<string>;
  /** The last lines of its output. */
  output(): string;
  /** Sends SIGKILL; resolves when it has exited. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves when it has exited. */
  terminate(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

/** Bytes of output that are kept. */
const KEPT = 40_000;

/** Starts the service. Resolves at once, so that it can be killed while it starts. */
function startLife(
  program: string,
  slot: number,
  settings: Readonly<Record<string, string>>,
  cwd: string,
): Life {
  const env = { PATH: process.env['PATH'] ?? '', ...compileCache, PORT: '0', ...settings };
  const child = spawn(process.execPath, [program], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const frozen: Span[] = [];
  let output = '';
  let port: string | undefined;
  let exitedAt: number | undefined;
  let killedAt: number | undefined;
  const collect = (text: string): void => {
    output += text;
    port ??= portOf(output);
    if (output.length > 2 * KEPT) output = output.slice(-KEPT);
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  const exited = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => {
      exitedAt = Date.now();
      resolve(String(code ?? signal));
    });
  });
  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    killedAt ??= Date.now();
    child.kill(signal);
    await exited;
  }
  return {
    slot,
    pid: child.pid ?? -1,
    process: child,
    get service() {
      return port === undefined ? undefined : { baseUrl: `http://127.0.0.1:${port}` };
    },
    get killedAt() {
      return killedAt;
    },
    get exitedAt() {
      return exitedAt;
    },
    frozen,
    isReady: false,
    exited,
    output: () => output,
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGTERM'),
    freeze() {
      frozen.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
      child.kill('SIGSTOP');
    },
    thaw() {
      child.kill('SIGCONT');
      const last = frozen.at(-1);
      if (last !== undefined) last.to = Date.now();
    },
  };
}

/** The port in the line that says where the service listens. */
function portOf(output: string): string | undefined {
  const line = /^.*"msg":"listening".*$/m.exec(output)?.[0] ?? '';
  return /"port":(\d+)/.exec(line)?.[1];
}
