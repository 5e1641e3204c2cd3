import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSignal } from '../../../src/domain/run/events.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { compileCache } from '../../support/process/compile-cache.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, type StoresUnderTest, until } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import {
  append,
  ended,
  endOf,
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

const program = fileURLToPath(new URL('../../support/redis/log-process.ts', import.meta.url));
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const never = () => new AbortController().signal;
const cancel: RunSignal = { type: 'cancel', by: 'alice', reason: null };

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

/** Ends abandoned runs as interrupted, and records what the listener is told. */
function endAbandoned(log: RunLog) {
  const told: { abandoned: [string, RunSignal | undefined][]; signals: [string, RunSignal][] } = {
    ...{ abandoned: [], signals: [] },
  };
  log.listen({
    onSignal: (runId, signal) => told.signals.push([runId, signal]),
    onLost: () => undefined,
    async onAbandoned(runId, signal) {
      told.abandoned.push([runId, signal]);
      const stored = await log.read(runId, 0, 0);
      if (stored === undefined || stored.ended) return;
      const requested = { type: 'execution.cancel_requested' as const, by: 'x', reason: null };
      const drafts = [...(signal === undefined ? [] : [requested]), endOf('FAILED')];
      await append(log, runId, stored.lastSeq, drafts, ended('FAILED'));
    },
  });
  return told;
}

const statuses = (log: RunLog) =>
  Promise.all(['waiting', 'running', 'done'].map(async (id) => (await log.summary(id))?.status));

async function expectRecovered(log: RunLog): Promise<void> {
  await until('the runs of the killed replica have ended', async () => {
    return (await statuses(log)).join() === 'FAILED,FAILED,COMPLETED';
  });
}

async function makePair(prefix: string, options = {}): Promise<readonly [StoresUnderTest, StoresUnderTest]> {
  const patient = { prefix, timeoutMs: 5_000, ...options };
  return [await stores.make(server.url, patient), await stores.make(server.url, patient)];
}

describe.concurrent('the log of a run whose replica was killed', () => {
  test('is handed over to the others until its end is recorded, with a signal that waits', async () => {
    const prefix = 'killed:';
    const pair = await makePair(prefix, quickTimes);
    const told = pair.map(({ adapters }) => endAbandoned(adapters.runLog));
    const { child } = await startReplica(prefix);
    await kill(child);
    const log = pair[0].adapters.runLog;
    expect(await log.signal('running', cancel)).toBe('sent');
    await expectRecovered(log);
    const abandoned = new Map(told.flatMap((each) => each.abandoned));
    expect([...abandoned].sort()).toEqual([
      ['running', cancel],
      ['waiting', undefined],
    ]);
    await until('nothing is left of the killed replica', async () => {
      const left = [...(await server.keys(`${prefix}active`)), ...(await server.keys(`${prefix}signals`))];
      return left.length === 0 && (await server.command('ZCARD', `${prefix}replicas`)) === 2;
    });
  });

  test('is not appended to by its replica when that was only suspended', async () => {
    const prefix = 'frozen:';
    const { adapters } = await stores.make(server.url, { prefix, timeoutMs: 5_000, ...quickTimes });
    endAbandoned(adapters.runLog);
    const { child, nextLine } = await startReplica(prefix);
    child.kill('SIGSTOP');
    await expectRecovered(adapters.runLog);
    const before = await adapters.runLog.get('running');
    child.kill('SIGCONT');
    child.stdin?.write('continue\n');
    expect(await nextLine()).toBe('conflict');
    expect(await adapters.runLog.get('running')).toEqual(before);
  });

  test('is handed over at once when its replica closes', async () => {
    const patient = { ...quickTimes, recovery: { ...quickTimes.recovery, goneAfterMs: 3_600_000 } };
    const [one, other] = await makePair('closed:', patient);
    endAbandoned(other.adapters.runLog);
    await one.adapters.runLog.create(newRun('a'));
    await one.adapters.close();
    await until('it has ended', async () => (await other.adapters.runLog.summary('a'))?.status === 'FAILED');
  });

  test('is handed over to its own replica when the reply to its creation was late', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const options = { timeoutMs: 200, checkEveryMs: 200 };
      const { adapters, prefix } = await stores.make(`redis://127.0.0.1:${proxy.port}`, options);
      const log = adapters.runLog;
      const told = endAbandoned(log);
      await log.create(newRun('a'));
      proxy.setMode('mute');
      await expect(log.create(newRun('b'))).rejects.toMatchObject({ code: 'unavailable' });
      proxy.setMode('pass');
      await until('it has ended', async () => {
        return (await server.command('HGET', `${prefix}execution:b`, 'status')) === 'FAILED';
      });
      expect(told.abandoned.map(([id]) => id)).toEqual(['b']);
      expect(await server.command('HGET', `${prefix}execution:a`, 'status')).toBe('PENDING');
    } finally {
      await proxy.close();
    }
  });
});

describe('a signal from another replica', () => {
  test('reaches the process that runs the run, until it is handled', async () => {
    const { adapters } = await stores.make(server.url, { prefix: 'signal:' });
    const { nextLine } = await startReplica('signal:');
    expect(await adapters.runLog.signal('running', cancel)).toBe('sent');
    for (let time = 0; time < 2; time++) expect(await nextLine()).toBe('signal for running by alice');
    expect(await adapters.runLog.signal('done', cancel)).toBe('ended');
  });

  test('is no longer sent once the run has recorded it', async () => {
    const [one, other] = await makePair('handled:', { checkEveryMs: 50 });
    const told = endAbandoned(one.adapters.runLog);
    await one.adapters.runLog.create(newRun('a'));
    await other.adapters.runLog.signal('a', cancel);
    await until('it arrives', () => told.signals.length > 0);
    const requested = { type: 'execution.cancel_requested' as const, by: 'x', reason: null };
    await append(one.adapters.runLog, 'a', 1, [requested], running());
    await until('it is written', () => one.adapters.buffered === 0);
    await until('it is handled', async () => (await server.keys('handled:signals')).length === 0);
    await sleep(100);
    const { length } = told.signals;
    await sleep(200);
    expect(told.signals).toHaveLength(length);
    expect(await append(one.adapters.runLog, 'a', 2, [endOf('CANCELLED')], ended('CANCELLED'))).toBe(
      'appended',
    );
  });

  test('never gets lost between the last step and the end of a run, in 500 races', async () => {
    const [one, other] = await makePair('races:');
    const log = one.adapters.runLog;
    const told = endAbandoned(log);
    let refused = 0;
    async function race(number: number): Promise<void> {
      const id = `race-${number}`;
      await log.create(newRun(id));
      await append(log, id, 1, [stepStarted('step-0')], running());
      const delay = (turns: number) => sleep(turns * (number % 4));
      const [sent, outcome] = await Promise.all([
        delay(2).then(() => other.adapters.runLog.signal(id, cancel)),
        delay(1).then(() => append(log, id, 2, [stepCompleted('step-0'), endOf()], ended())),
      ]);
      expect([sent, outcome].join()).toMatch(/^(sent,signalled|ended,appended)$/);
      if (outcome === 'appended') return;
      refused++;
      expect(told.signals).toContainEqual([id, cancel]);
      const requested = { type: 'execution.cancel_requested' as const, by: 'x', reason: null };
      const drafts = [stepCompleted('step-0'), requested, endOf('CANCELLED')];
      expect(await append(log, id, 2, drafts, ended('CANCELLED'))).toBe('appended');
      expect(await other.adapters.runLog.read(id, 2, 10)).toMatchObject({ lastSeq: 5, ended: true });
    }
    for (let first = 0; first < 500; first += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => race(first + index)));
    }
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(500);
    expect(await server.keys('races:active')).toEqual([]);
    expect(await server.keys('races:signals')).toEqual([]);
  });
});

describe('two replicas that write to the same log', () => {
  test('have one winner for each event', async () => {
    const pair = await makePair('writers:');
    const logs = pair.map(({ adapters }) => adapters.runLog);
    await logs[0]?.create(newRun('a'));
    await logs[0]?.append('a', 1, [], running());
    expect(await append(pair[0].adapters.runLog, 'a', 1, [endOf('FAILED')], ended('FAILED'))).toBe(
      'appended',
    );
    for (let round = 0; round < 20; round++) {
      const seq = 2 + 2 * round;
      const retried = { type: 'execution.retried' as const, by: 'x', attempt: 2, steps: [] };
      const outcomes = await Promise.all(
        [0, 1, 0, 1].map((which) =>
          append(pair[which === 0 ? 0 : 1].adapters.runLog, 'a', seq, [retried], running(2)),
        ),
      );
      expect(outcomes.toSorted()).toEqual(['appended', 'conflict', 'conflict', 'conflict']);
      const winner = pair[outcomes.indexOf('appended') % 2 === 0 ? 0 : 1].adapters.runLog;
      expect(await append(winner, 'a', seq + 1, [endOf('FAILED')], ended('FAILED'))).toBe('appended');
    }
    expect(await server.keys('writers:active')).toEqual([]);
  });

  test('make the process that runs the run see the conflict at a later append', async () => {
    const [one, other] = await makePair('conflict:');
    const log = one.adapters.runLog;
    await log.create(newRun('a'));
    expect(await append(other.adapters.runLog, 'a', 1, [stepStarted('step-0')], running())).toBe('appended');
    expect(await append(log, 'a', 1, [stepStarted('step-1')], running())).toBe('appended');
    await until('it is sent', () => one.adapters.buffered === 0);
    expect(await append(log, 'a', 2, [endOf()], ended())).toBe('conflict');
    expect((await log.get('a'))?.events.slice(1)).toMatchObject([{ stepId: 'step-0' }]);
  });
});

describe('a waiter in another replica', () => {
  test('wakes at every event, over one more connection that is closed when nobody waits', async () => {
    const own = await startRedisServer();
    const [one, other] = [
      await stores.make(own.url, { prefix: 'waits:' }),
      await stores.make(own.url, { prefix: 'waits:' }),
    ];
    const subscribers = async () =>
      String(await own.command('CLIENT', 'LIST', 'TYPE', 'pubsub'))
        .split('\n')
        .filter(Boolean).length;
    const reader = other.adapters.runLog;
    await one.adapters.runLog.create(newRun('a'));
    const waiting = Array.from({ length: 100 }, () => reader.changed('a', 1, never()));
    await until('it is subscribed', async () => {
      return String(await own.command('PUBSUB', 'NUMSUB', 'waits:changed:a')).endsWith(',1');
    });
    expect(await subscribers()).toBe(1);
    await append(one.adapters.runLog, 'a', 1, [stepStarted('step-0')], running());
    await Promise.all(waiting);
    for (let seq = 2; seq < 50; seq++) {
      const changed = reader.changed('a', seq, never());
      await append(one.adapters.runLog, 'a', seq, [stepCompleted('step-0')], running());
      await changed;
      expect((await reader.read('a', seq, 10))?.events).toHaveLength(1);
    }
    const stop = new AbortController();
    const stopped = reader.changed('a', 50, stop.signal);
    stop.abort();
    await stopped;
    await until('the connection is closed', async () => (await subscribers()) === 0);
    await Promise.all([one.adapters.close(), other.adapters.close()]);
    await own.close();
  });

  test('wakes when the connection for messages is broken, and when the store is', async () => {
    const own = await startRedisServer();
    try {
      const one = await stores.make(own.url, { prefix: 'broken:' });
      const other = await stores.make(own.url, { prefix: 'broken:' });
      await one.adapters.runLog.create(newRun('a'));
      for (const seq of [1, 2, 3]) {
        const changed = other.adapters.runLog.changed('a', seq, never());
        await own.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
        await append(one.adapters.runLog, 'a', seq, [stepStarted('step-0')], running());
        await changed;
      }
      const changed = other.adapters.runLog.changed('a', 4, never());
      await own.kill();
      const fresh = other.adapters.runLog.changed('b', 4, never());
      await sleep(1_000);
      await own.restart();
      await append(one.adapters.runLog, 'a', 4, [endOf()], ended());
      await Promise.all([changed, fresh]);
    } finally {
      await own.close();
    }
  });

  test('is released when its replica closes', async () => {
    const { adapters } = await stores.make(server.url, { prefix: 'released:' });
    await adapters.runLog.create(newRun('a'));
    const changed = adapters.runLog.changed('a', 1, never());
    await adapters.close();
    await changed;
    await adapters.runLog.changed('a', 1, never());
  });
});
