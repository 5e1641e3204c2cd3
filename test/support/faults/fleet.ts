import type { Random } from '../../../src/adapters/evaluation/random.ts';
import { type Service, startService } from '../process/service.ts';
import { type RedisServer, startRedisServer } from '../redis/server.ts';

/** A process of the service. Times are those of `performance.now`. */
export interface Replica {
  readonly service: Service;
  killedAt: number | undefined;
}

/** A time in which the store was unavailable, or not every replica was ready again. */
export interface StoreWindow {
  readonly from: number;
  to: number;
}

/** Replicas of the service on one Redis. */
export interface Fleet {
  /** Replicas that were ready once and have not been killed. */
  serving(): readonly Replica[];
  readonly windows: readonly StoreWindow[];
  /** Replicas that crashed, with their output. */
  readonly crashes: readonly string[];
  /**
   * Injects a fault. Starts a killed replica again, without waiting for it; resolves when the store is available again.
   */
  inject(fault: Fault): Promise<void>;
  /** Waits until every replica is ready. */
  untilReady(): Promise<void>;
  close(): Promise<void>;
}

/** Starts `slots` replicas that load `extension`; `onKilled` is called for each replica that was killed. */
export async function startFleet(
  slots: number,
  extension: string,
  onKilled: (replica: Replica) => void,
): Promise<Fleet> {
  const redis = await startRedisServer();
  const windows: StoreWindow[] = [];
  const crashes: string[] = [];
  const replicas = new Set<Replica>();
  const starting = new Map<number, Promise<Replica>>();
  let closed = false;

  const endWithTests = (): void => {
    for (const { service } of replicas) service.process.kill('SIGKILL');
  };
  process.on('exit', endWithTests);

  async function startReplica(): Promise<Replica> {
    const service = await startService({
      KVSTORE_URL: redis.url,
      TRACE_BACKEND: 'kvstore',
      RATE_LIMIT_REQUESTS: '1000000',
      LOG_LEVEL: 'info',
      EXTENSIONS: extension,
    });
    const replica: Replica = { service, killedAt: undefined };
    void service.exited.then(({ code, signal }) => {
      if (replica.killedAt !== undefined || closed) return;
      crashes.push(`ended with ${code ?? signal}: ${service.output().slice(-2_000)}`);
      replicas.delete(replica);
    });
    if (closed) await service.stop();
    else replicas.add(replica);
    return replica;
  }

  async function killReplica(slot: number): Promise<void> {
    const replica = await starting.get(slot);
    if (replica === undefined) return;
    replicas.delete(replica);
    replica.killedAt = performance.now();
    await replica.service.stop();
    onKilled(replica);
    const next = startReplica();
    // Callers that await the replica receive the error too.
    next.catch((error: unknown) => void crashes.push(String(error)));
    starting.set(slot, next);
  }

  async function untilAllReady(): Promise<void> {
    await Promise.all([...starting.values()].map(async (replica) => untilReady((await replica).service)));
  }

  /** Breaks the store for the duration of the fault, and records the window. */
  async function disruptStore(disrupt: () => unknown, heal: () => unknown, fault: Fault): Promise<void> {
    await untilAllReady();
    const window: StoreWindow = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    windows.push(window);
    await disrupt();
    await sleep(fault.lasting);
    if (fault.kind === 'both') await killReplica(fault.slot);
    await heal();
    await untilAllReady();
    window.to = performance.now();
  }

  const inject: Readonly<Record<Fault['kind'], (fault: Fault) => Promise<void>>> = {
    replica: ({ slot }) => killReplica(slot),
    store: (fault) => disruptStore(redis.kill, redis.restart, fault),
    both: (fault) => disruptStore(redis.freeze, redis.thaw, fault),
    freeze: (fault) => disruptStore(redis.freeze, redis.thaw, fault),
    full: (fault) => disruptStore(limitMemory(redis, '1mb'), limitMemory(redis, '0'), fault),
  };

  for (let slot = 0; slot < slots; slot++) starting.set(slot, startReplica());
  const fleet: Fleet = {
    serving: () => [...replicas],
    windows,
    crashes,
    async inject(fault) {
      await sleep(fault.after);
      await inject[fault.kind](fault);
    },
    untilReady: untilAllReady,
    async close() {
      closed = true;
      redis.thaw();
      for (const replica of await Promise.allSettled(starting.values())) {
        if (replica.status === 'fulfilled') await replica.value.service.stop();
      }
      process.off('exit', endWithTests);
      await redis.close();
    },
  };
  try {
    await untilAllReady();
    return fleet;
  } catch (error) {
    await fleet.close();
    throw error;
  }
}

function limitMemory(redis: RedisServer, limit: string): () => Promise<unknown> {
  return () => redis.command('CONFIG', 'SET', 'maxmemory', limit);
}

async function untilReady({ baseUrl, exited }: Service): Promise<void> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const until = performance.now() + 20_000;
  while (!ended && performance.now() < until) {
    const reply = await fetch(`${baseUrl}/health?probe=ready`).catch(() => undefined);
    await reply?.arrayBuffer().catch(() => undefined);
    if (reply?.status === 200) return;
    await sleep(50);
  }
  throw new Error('a replica did not become ready within 20 seconds');
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * The faults: `replica` a replica is killed, `store` Redis is killed and started again, `both` a replica is killed
 * while Redis hangs, `freeze` Redis hangs, `full` Redis has no memory for writes.
 */
const faultKinds = ['replica', 'store', 'both', 'freeze', 'full'] as const;

type FaultKind = (typeof faultKinds)[number];

/** A fault that starts `after` milliseconds after the previous one and lasts for `lasting` milliseconds. */
interface Fault {
  readonly kind: FaultKind;
  readonly after: number;
  readonly lasting: number;
  /** Index of the replica, from 0. */
  readonly slot: number;
}

export type FaultCounts = Readonly<Record<FaultKind, number>>;

/** The minimum and maximum duration in milliseconds. */
const lasting: Readonly<Record<FaultKind, readonly [number, number]>> = {
  replica: [0, 0],
  store: [0, 800],
  both: [50, 800],
  freeze: [300, 3_000],
  full: [300, 1_200],
};

/** Creates faults in random order, at random times. */
export function planFaults(counts: FaultCounts, slots: number, random: Random): readonly Fault[] {
  const kinds = faultKinds.flatMap((kind) => Array.from({ length: counts[kind] }, () => kind));
  const faults = kinds.map((kind): Fault => {
    const [min, max] = lasting[kind];
    return {
      kind,
      after: 30 + random.next() * 300,
      lasting: min + random.next() * (max - min),
      slot: Math.floor(random.next() * slots),
    };
  });
  return faults
    .map((fault) => ({ fault, order: random.next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ fault }) => fault);
}

/** The number of faults that kill a process. */
export function killsIn({ replica, store, both }: FaultCounts): number {
  return replica + store + both;
}

/** A random graph of steps, each of which logs a line and waits for a few milliseconds. */
export function randomSteps(random: Random): readonly object[] {
  const count = 2 + Math.floor(random.next() * 6);
  return Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    tool_name: 'log_step',
    depends_on: Array.from({ length: index }, (_, before) => `s${before}`).filter(() => random.flip(0.45)),
    static_input: { ms: Math.floor(5 + random.next() * 40) },
  }));
}
