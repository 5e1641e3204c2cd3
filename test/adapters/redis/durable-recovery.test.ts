import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import type { RunSignal } from '../../../src/domain/run/events.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { compileCache } from '../../support/process/compile-cache.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import {
  append,
  ended,
  endOf,
  newEndedRun,
  newRun,
  running,
  stepCompleted,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const stores = createStoresFactory();
const children: ChildProcess[] = [];
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(async () => {
  await stores.closeAll();
  await Promise.all(children.map(kill));
  await server.close();
});

const program = fileURLToPath(new URL('../../support/redis/durable-process.ts', import.meta.url));
const cancel: RunSignal = { type: 'cancel', by: 'alice', reason: null };
const durable = { durableRuns: true, timeoutMs: 5_000, ...quickTimes };

/** Times with which a replica never counts as gone, unless it says so itself. */
const patient = { ...durable, recovery: { ...quickTimes.recovery, goneAfterMs: 3_600_000 } };

const unclaimed = (runId: string) => ({ ...newRun(runId), isUnclaimed: true });

async function startReplica(prefix: string) {
  const child = spawn(process.execPath, [program, server.url, prefix], {
    env: { ...process.env, ...compileCache },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  expect(await nextLine()).toBe('ready');
  return { child, nextLine };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Records what the listener of a log is told. */
function listenTo(log: RunLog) {
  const told = {
    abandoned: new Map<string, RunSignal | undefined>(),
    lost: [] as string[],
    signals: [] as string[],
  };
  log.listen({
    onSignal: (runId) => told.signals.push(runId),
    onLost: (runId) => told.lost.push(runId),
    onAbandoned: async (runId, signal) => void told.abandoned.set(runId, signal),
  });
  return told;
}

const untilAvailable = (adapters: RedisAdapters) =>
  until('the store is available', async () => (await adapters.probe()) === 'ok');

async function makeReplica(prefix: string, options = {}) {
  const { adapters } = await stores.make(server.url, { ...durable, prefix, ...options });
  await untilAvailable(adapters);
  return { adapters, log: adapters.runLog, told: listenTo(adapters.runLog) };
}

describe.concurrent('the durable runs of a replica that is gone', () => {
  test('wait for a claim of another one, which learns who was killed', async () => {
    const prefix = 'durable-killed:';
    const { log, told } = await makeReplica(prefix);
    const other = await makeReplica(prefix);
    const { child } = await startReplica(prefix);
    await kill(child);
    expect(await log.signal('working', cancel)).toBe('sent');
    const abandoned = () => new Map([...told.abandoned, ...other.told.abandoned]);
    await until('all are found', () => abandoned().size === 3);
    expect(abandoned().get('working')).toEqual(cancel);
    expect(abandoned().get('waiting')).toBeUndefined();
    const claims = await Promise.all(
      ['waiting', 'working', 'handed-back', 'done'].map((id) => log.claim(id)),
    );
    expect(claims.map((claim) => claim?.crashed)).toEqual([false, true, false, undefined]);
    expect(claims.map((claim) => claim?.signals)).toEqual([[], [cancel], [], undefined]);
    expect(claims[1]?.run.events).toMatchObject([{}, { type: 'step.started', stepId: 'step-0' }]);
    const keys = await server.keys(prefix);
    expect(keys.filter((key) => /active:|signals:|unclaimed/.test(key))).toHaveLength(1);
  });

  test('are lost to it when it was only suspended, and it is told', async () => {
    const prefix = 'durable-frozen:';
    const { log, told } = await makeReplica(prefix);
    const { child, nextLine } = await startReplica(prefix);
    child.kill('SIGSTOP');
    await until('its run is found', () => told.abandoned.has('working'));
    expect(await log.claim('working')).toMatchObject({ crashed: true });
    expect(await append(log, 'working', 2, [stepStarted('step-1')], running())).toBe('appended');
    child.kill('SIGCONT');
    expect(await nextLine()).toBe('lost working');
    child.stdin?.write('append\n');
    expect(await nextLine()).toBe('conflict');
    expect(await append(log, 'working', 3, [endOf()], ended())).toBe('appended');
    expect(told.lost).toEqual([]);
  });

  test('are all found at once when it closes, and have crashed', async () => {
    const prefix = 'durable-closed:';
    const one = await makeReplica(prefix, patient);
    const other = await makeReplica(prefix, patient);
    const ids = Array.from({ length: 450 }, (_, index) => `run-${index}`);
    await Promise.all(ids.map((id) => one.log.create(newRun(id))));
    await one.log.release('run-0');
    await untilAvailable(one.adapters);
    await one.adapters.close();
    await until('all are found', () => other.told.abandoned.size === 450, 60_000);
    const claims = await Promise.all(ids.map((id) => other.log.claim(id)));
    expect(claims.map((claim) => claim?.crashed)).toEqual([false, ...ids.slice(1).map(() => true)]);
    expect(await server.command('ZCARD', `${prefix}replicas`)).toBe(1);
  });

  test('have crashed until the first append of the next one, also when that is gone too', async () => {
    const prefix = 'durable-twice:';
    const [one, two, three] = [
      await makeReplica(prefix, patient),
      await makeReplica(prefix, patient),
      await makeReplica(prefix, patient),
    ];
    await one.log.create(newRun('a'));
    await untilAvailable(one.adapters);
    await one.adapters.close();
    await until('it is found', () => two.told.abandoned.has('a'));
    expect(await two.log.claim('a')).toMatchObject({ crashed: true });
    await append(two.log, 'a', 1, [stepStarted('step-0')], running());
    await two.log.release('a');
    expect(await three.log.claim('a')).toMatchObject({ crashed: false });
  });
});

describe('a durable run that waits for a claim', () => {
  test('is found when nobody claims it, by one replica at a time, until it is claimed', async () => {
    const prefix = 'durable-forgotten:';
    const replicas = [await makeReplica(prefix), await makeReplica(prefix)];
    const log = replicas[0]?.log ?? expect.fail();
    const ids = Array.from({ length: 1_100 }, (_, index) => `run-${index}`);
    await Promise.all(ids.map((id) => log.create(unclaimed(id))));
    await log.create({ ...newEndedRun('ended'), isUnclaimed: true });
    const found = () => new Set(replicas.flatMap(({ told }) => [...told.abandoned.keys()]));
    await until('all are found', () => found().size === 1_100);
    expect(found()).not.toContain('ended');
    await Promise.all(ids.map((id) => log.claim(id)));
    await sleep(quickTimes.recovery.everyMs);
    for (const { told } of replicas) told.abandoned.clear();
    await sleep(2 * quickTimes.recovery.unclaimedForMs);
    expect(found().size).toBe(0);
    expect(await server.keys(`${prefix}unclaimed`)).toEqual([]);
  });

  test('is given to one of two replicas that claim it, in 500 races, also against its release', async () => {
    const prefix = 'durable-claims:';
    const [one, two, three] = [
      await makeReplica(prefix, patient),
      await makeReplica(prefix, patient),
      await makeReplica(prefix, patient),
    ];
    async function race(number: number): Promise<number> {
      const id = `run-${number}`;
      const isReleased = number % 2 === 0;
      await one.log.create(isReleased ? newRun(id) : unclaimed(id));
      const [, ...claims] = await Promise.all([
        isReleased ? one.log.release(id) : undefined,
        two.log.claim(id),
        three.log.claim(id),
      ]);
      const winners = claims.filter((claim) => claim !== undefined);
      expect(winners.length).toBeLessThanOrEqual(1);
      if (!isReleased) expect(winners).toHaveLength(1);
      const last = winners.length === 1 ? undefined : await two.log.claim(id);
      if (winners.length === 0) expect(last).toMatchObject({ crashed: false });
      const ends = [one, two, three].map(({ log }) => append(log, id, 1, [endOf()], ended()));
      const outcomes = await Promise.all(ends);
      expect(outcomes.toSorted()).toEqual(['appended', 'conflict', 'conflict']);
      expect(outcomes[0]).toBe('conflict');
      return claims[0] === undefined ? 0 : 1;
    }
    let first = 0;
    for (let start = 0; start < 500; start += 50) {
      const wins = await Promise.all(Array.from({ length: 50 }, (_, index) => race(start + index)));
      first += wins.reduce((sum, win) => sum + win, 0);
    }
    expect(first).toBeGreaterThan(0);
    expect(await server.keys(`${prefix}active`)).toEqual([]);
    expect(await server.keys(`${prefix}unclaimed`)).toEqual([]);
  });

  test('tells a signal to the replica where it was sent, and gives it to the one that claims it', async () => {
    const prefix = 'durable-signals:';
    const [one, two] = [await makeReplica(prefix, patient), await makeReplica(prefix, patient)];
    await one.log.create(unclaimed('a'));
    expect(await two.log.signal('a', cancel)).toBe('sent');
    expect([one.told.signals, two.told.signals]).toEqual([[], ['a']]);
    expect(await one.log.claim('a')).toMatchObject({ signals: [cancel] });
    expect(await two.log.signal('a', cancel)).toBe('sent');
    await until('its replica gets the signal', () => one.told.signals.includes('a'));
    await one.log.release('a');
    expect(await server.keys(`${prefix}signals`)).toEqual([]);
    const drafts = [
      { type: 'execution.cancel_requested' as const, by: 'x', reason: null },
      endOf('CANCELLED'),
    ];
    expect(await two.log.claim('a')).toMatchObject({ signals: [cancel] });
    expect(await append(two.log, 'a', 1, drafts, ended('CANCELLED'))).toBe('appended');
  });
});

describe('a durable run that another replica has taken over', () => {
  test('refuses the appends of the former one, also one that was sent before', async () => {
    const prefix = 'durable-late:';
    const proxy = await startTcpProxy(server.port);
    const recovery = { goneAfterMs: 500, stableForMs: 100, everyMs: 50, unclaimedForMs: 60_000 };
    const times = { checkEveryMs: 50, recovery };
    const url = `redis://127.0.0.1:${proxy.port}`;
    try {
      const { adapters } = await stores.make(url, { ...durable, ...times, prefix });
      const log = adapters.runLog;
      const told = listenTo(log);
      await log.create(newRun('a'));
      const other = await makeReplica(prefix, times);
      proxy.setDelay(1_500);
      const late = append(log, 'a', 1, [stepCompleted('step-0')], running());
      await until('it is found', () => other.told.abandoned.has('a'));
      const claim = await other.log.claim('a');
      expect(claim).toMatchObject({ crashed: true });
      expect(claim?.run.events).toHaveLength(1);
      expect(await late).toBe('conflict');
      proxy.setDelay(0);
      await untilAvailable(adapters);
      expect(await append(log, 'a', 1, [stepCompleted('step-0')], running())).toBe('conflict');
      expect(await append(other.log, 'a', 1, [stepStarted('step-1')], running())).toBe('appended');
      expect((await other.log.get('a'))?.events).toHaveLength(2);
      // The former one may have learned of it by a heartbeat too, and of no other run.
      expect(told.lost.filter((id) => id !== 'a')).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  test('is not confused with runs that are created, ended or released at that moment', async () => {
    const prefix = 'durable-busy:';
    // Every heartbeat counts as late, so each one looks at all runs.
    const recovery = { goneAfterMs: 0, stableForMs: 3_600_000, everyMs: 20, unclaimedForMs: 3_600_000 };
    const { log, told } = await makeReplica(prefix, { checkEveryMs: 5, recovery });
    async function work(number: number): Promise<void> {
      const id = `run-${number}`;
      await log.create(number % 2 === 0 ? unclaimed(id) : newRun(id));
      if (number % 2 === 0) expect(await log.claim(id)).toBeDefined();
      for (let seq = 1; seq < 4; seq++) {
        expect(await append(log, id, seq, [stepCompleted(`step-${seq}`)], running())).toBe('appended');
      }
      if (number % 3 === 0) await log.release(id);
      else expect(await append(log, id, 4, [endOf()], ended())).toBe('appended');
    }
    for (let start = 0; start < 2_000; start += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => work(start + index)));
    }
    expect(told.lost).toEqual([]);
    expect([...told.abandoned.keys()]).toEqual([]);
    expect(await server.keys(`${prefix}active`)).toEqual([]);
  });
});
