import { z } from 'zod';
import { createBullmqFireQueue, createBullmqRunQueue } from '../../../src/adapters/redis/bullmq.ts';
import { createProcessId, digestOf } from '../../../src/adapters/shared/process-id.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import { createStorage, storageTables } from '../../../src/application/storage/storage.ts';
import type { OrchestrationEvent } from '../../../src/domain/events.ts';
import type { RecoveryPolicy } from '../../../src/domain/run/recover.ts';
import { defaultPorts } from '../../../src/entries/defaults.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { recordLogs } from '../fakes.ts';
import { createStoresFactory } from '../redis/stores.ts';
import { DAY_MS, quickTimes } from '../stores.ts';
import { until } from '../until.ts';
import { callTool } from '../workflow/engine.ts';

/** A clock that goes on as the system's does, and can be moved. */
interface MovableClock extends Clock {
  /** Lets the time until then pass at once: the timers that are due by then run. */
  moveTo(time: number): void;
  /** Sets only the wall clock, as an operator would; timers go by elapsed time. */
  jump(ms: number): void;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
  handle: NodeJS.Timeout;
}

/** Creates a clock that shows `start` now. */
function createMovableClock(start: number): MovableClock {
  /** The time that has passed by {@link MovableClock.moveTo}. */
  let moved = 0;
  let wall = start - performance.now();
  const timers = new Set<Timer>();
  const elapsed = () => performance.now() + moved;
  const now = () => Math.floor(elapsed() + wall);

  return {
    now,
    monotonic: () => performance.now(),
    after(ms, work) {
      const run = () => {
        timers.delete(timer);
        work();
      };
      const timer: Timer = { due: elapsed() + ms, run, handle: setTimeout(run, ms) };
      timers.add(timer);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    moveTo(time) {
      moved += time - now();
      for (const timer of [...timers].sort((a, b) => a.due - b.due)) {
        clearTimeout(timer.handle);
        const ms = timer.due - elapsed();
        if (ms <= 0) timer.run();
        else timer.handle = setTimeout(timer.run, ms);
      }
    },
    jump(ms) {
      wall += ms;
    },
  };
}

/** Where the schedules of a replica are stored: in Redis, with a prefix of the keys, or in a file. */
export type Place = { readonly url: string; readonly prefix: string } | { readonly path: string };

/** Options of {@link openReplica}. */
export interface ReplicaOptions {
  readonly place: Place;
  /** The time of its clock once it is open, in milliseconds since the epoch. */
  readonly now: number;
  /** Puts something between the replica and the log of runs. */
  readonly logOf?: (log: RunLog) => RunLog;
}

const recovery: RecoveryPolicy = { maxRecoveries: 5, unknownOutcome: 'fail' };

/** The ports of a place, connected, and the function that closes them. */
async function openPlace(place: Place, now: () => number) {
  const logger = recordLogs();
  const clock = { ...systemClock, now };
  if ('path' in place) {
    const { store, close } = openSqliteStore({ path: place.path, tables: storageTables, clock, logger });
    const storage = createStorage(
      { store, clock, random: Math.random },
      {
        processId: createProcessId(),
        logger,
        digest: digestOf,
        traceRetentionMs: 7 * DAY_MS,
        runRetentionMs: 30 * DAY_MS,
        isAlone: true,
      },
    );
    const closeAll = async () => {
      await storage.close();
      close();
    };
    return { logger, ports: storage.ports, close: closeAll };
  }
  const shared = { ...place, clock, logger };
  const redis = createStoresFactory().prepare(place.url, {
    prefix: place.prefix,
    logger,
    timeoutMs: 2_000,
    ...quickTimes,
  });
  const runs = createBullmqRunQueue({ ...shared, clock: systemClock, timeoutMs: 2_000 });
  const fires = createBullmqFireQueue({ ...shared, timeoutMs: 2_000 });
  await Promise.all([redis.start(), runs.start(), fires.start()]);
  await until('the store can be reached', async () => (await redis.probe()) === 'ok');
  await until('fires can be queued', () =>
    fires.queue.add({ scheduleId: 'unknown', at: 0 }).then(
      () => true,
      () => false,
    ),
  );
  return {
    logger,
    ports: { ...redis.ports, runQueue: runs.queue, fireQueue: fires.queue },
    close: async () => void (await Promise.all([runs.close(), fires.close(), redis.close()])),
  };
}

/**
 * Opens a replica with the whole core, a clock that can be moved and the tool `work`. Its schedules do nothing before
 * `start`.
 */
export async function openReplica({ place, now, logOf = (log) => log }: ReplicaOptions) {
  const clock = createMovableClock(now);
  const opened = await openPlace(place, clock.now);
  const events: OrchestrationEvent[] = [];
  /** The keys of the calls of the tool. */
  const calls: string[] = [];
  const ports: Ports = defaultPorts({
    ...opened.ports,
    clock,
    logger: opened.logger,
    runs: logOf(opened.ports.runs),
    events: (event) => void events.push(event),
  });
  const orchestrator = createOrchestrator(ports, {}, { builtInAgents: [], recovery });
  orchestrator.tools.register({
    name: 'work',
    description: 'work',
    input: z.record(z.string(), z.json()),
    effect: 'idempotent',
    async execute(_, { idempotencyKey }) {
      calls.push(idempotencyKey);
      return {};
    },
  });
  // Opening it may have taken longer than a test leaves until a fire time.
  clock.jump(now - clock.now());
  return {
    ...orchestrator,
    clock,
    events,
    calls,
    store: ports.schedules,
    log: opened.ports.runs,
    logger: opened.logger,
    /** Creates a workflow that calls the tool once, and returns its id. */
    async define(): Promise<string> {
      const steps = [callTool('a', 'work', {})];
      return (await orchestrator.workflows.create({ name: 'sample', description: '', steps })).id;
    },
    async close(): Promise<void> {
      await orchestrator.close(0);
      await opened.close();
    },
  };
}

/** A replica of {@link openReplica}. */
export type Replica = Awaited<ReturnType<typeof openReplica>>;
