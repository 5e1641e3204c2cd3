import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import type { RunSignal } from '../../../src/domain/run/events.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';
import { startTcpProxy, type TcpProxy } from '../../support/redis/tcp-proxy.ts';
import {
  append,
  type EventDraft,
  ended,
  endOf,
  newEndedRun,
  newRun,
  numbered,
  running,
  stepCompleted,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const stores = createStoresFactory();
let server: RedisServer;
let proxy: TcpProxy;

beforeAll(async () => {
  server = await startRedisServer();
  proxy = await startTcpProxy(server.port);
});
afterEach(async () => {
  server.thaw();
  proxy.setMode('pass');
  await server.command('CONFIG', 'SET', 'maxmemory', '0');
  await stores.closeAll();
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

const unavailable = { code: 'unavailable' };
const cancel: RunSignal = { type: 'cancel', by: 'alice', reason: null };
const cancelRequested: EventDraft = { type: 'execution.cancel_requested', by: 'alice', reason: null };
const unclaimed = (runId: string) => ({ ...newRun(runId), isUnclaimed: true });

const untilAvailable = (adapters: RedisAdapters) =>
  until('the store is available', async () => (await adapters.probe()) === 'ok');

/** A replica whose replies can be dropped. */
async function makeReplica(options = {}) {
  const url = `redis://127.0.0.1:${proxy.port}`;
  const times = { ...quickTimes, recovery: { ...quickTimes.recovery, goneAfterMs: 3_600_000 } };
  const made = await stores.make(url, { durableRuns: true, timeoutMs: 300, ...times, ...options });
  await untilAvailable(made.adapters);
  return { ...made, log: made.adapters.runLog, abandoned: listenTo(made.adapters.runLog) };
}

/** The runs that nobody runs, as the listener of a log is told. */
function listenTo(log: RunLog): ReadonlySet<string> {
  const abandoned = new Set<string>();
  log.listen({
    onSignal: () => undefined,
    onLost: () => undefined,
    onAbandoned: async (runId) => void abandoned.add(runId),
  });
  return abandoned;
}

/** Does what `work` does while the store gets every command, and none of its replies arrives. */
async function withoutReplies(adapters: RedisAdapters, work: () => Promise<unknown>): Promise<void> {
  proxy.setMode('mute');
  await expect(work()).rejects.toMatchObject(unavailable);
  await reconnect(adapters);
}

/** Breaks all connections, and waits for new ones. */
async function reconnect(adapters: RedisAdapters): Promise<void> {
  proxy.setMode('down');
  await until('the store is unavailable', async () => (await adapters.probe()) === 'error');
  proxy.setMode('pass');
  await untilAvailable(adapters);
}

const stepsOf = async (log: RunLog, runId: string) =>
  (await log.get(runId))?.events.slice(1).map((event) => ('stepId' in event ? event.stepId : event.type));

const lengthOf = (prefix: string, id: string) => server.command('LLEN', `${prefix}events:${id}`);

describe('an append of a durable run', () => {
  test('is written when it resolves, in one round trip', async () => {
    const { log, adapters, prefix } = await makeReplica({ checkEveryMs: 60_000 });
    await log.create(newRun('a'));
    await server.command('CONFIG', 'RESETSTAT');
    for (const seq of [1, 2, 3]) {
      expect(await append(log, 'a', seq, [stepStarted(`step-${seq}`)], running())).toBe('appended');
      expect(await lengthOf(prefix, 'a')).toBe(seq + 1);
    }
    expect(adapters.buffered).toBe(0);
    expect(String(await server.command('INFO', 'commandstats'))).toMatch(/cmdstat_evalsha:calls=3,/);
  });

  test('is repeated without doubles when its reply was lost, also with more events', async () => {
    const { log, adapters, prefix } = await makeReplica();
    await log.create(newRun('a'));
    const [one, two, three] = [1, 2, 3].map((step) => stepCompleted(`step-${step}`)) as [
      EventDraft,
      EventDraft,
      EventDraft,
    ];
    await withoutReplies(adapters, () => append(log, 'a', 1, [one], running()));
    expect(await lengthOf(prefix, 'a')).toBe(2);
    await withoutReplies(adapters, () => append(log, 'a', 1, [one, two], running()));
    expect(await lengthOf(prefix, 'a')).toBe(3);
    expect(await append(log, 'a', 1, [one, two, three], running())).toBe('appended');
    await withoutReplies(adapters, () => append(log, 'a', 4, [one, endOf()], ended()));
    expect(await log.summary('a')).toMatchObject({ status: 'COMPLETED' });
    expect(await append(log, 'a', 4, [one, endOf()], ended())).toBe('appended');
    expect((await log.get('a'))?.events.slice(1)).toEqual(numbered(2, [one, two, three, one, endOf()]));
    expect(await server.keys(`${prefix}active`)).toEqual([]);
  });

  test('records a signal after a lost reply, once', async () => {
    const { log, adapters } = await makeReplica();
    await log.create(newRun('a'));
    const step = stepCompleted('step-1');
    await withoutReplies(adapters, () => append(log, 'a', 1, [step], running()));
    expect(await log.signal('a', cancel)).toBe('sent');
    expect(await append(log, 'a', 1, [step, endOf()], ended())).toBe('signalled');
    await withoutReplies(adapters, () => append(log, 'a', 1, [step, cancelRequested], running()));
    expect(await append(log, 'a', 1, [step, cancelRequested], running())).toBe('appended');
    expect(await append(log, 'a', 3, [endOf('CANCELLED')], ended('CANCELLED'))).toBe('appended');
    expect(await stepsOf(log, 'a')).toEqual([
      ...['step-1', 'execution.cancel_requested', 'execution.cancelled'],
    ]);
  });

  test('is a conflict when other events are stored than those of the repetition', async () => {
    const { log, adapters, abandoned } = await makeReplica();
    await log.create(newRun('a'));
    await withoutReplies(adapters, () => append(log, 'a', 1, [stepStarted('step-1')], running()));
    expect(await append(log, 'a', 1, [stepStarted('step-2'), endOf()], ended())).toBe('conflict');
    expect(await stepsOf(log, 'a')).toEqual(['step-1']);
    await until('it is found', () => abandoned.has('a'));
    expect(await log.claim('a')).toMatchObject({ crashed: false });
    expect(await append(log, 'a', 2, [endOf()], ended())).toBe('appended');
  });

  test('is one of several at a time', async () => {
    const { log } = await makeReplica();
    await log.create(newRun('a'));
    const outcomes = await Promise.all(
      [1, 1, 2, 1].map((after) => append(log, 'a', after, [stepStarted('step')], running())),
    );
    expect(outcomes).toEqual(['appended', 'conflict', 'appended', 'conflict']);
    const drafts = [endOf('FAILED')];
    const retried: EventDraft = { type: 'execution.retried', by: 'x', attempt: 2, steps: [] };
    const [end, retry] = await Promise.all([
      append(log, 'a', 3, drafts, ended('FAILED')),
      append(log, 'a', 4, [retried], running(2)),
    ]);
    expect([end, retry]).toEqual(['appended', 'appended']);
    expect(await append(log, 'a', 5, [endOf()], ended('COMPLETED', 2))).toBe('appended');
  });

  test.each(['suspended', 'killed'])('rejects while the store is %s, and can be repeated', async (how) => {
    const { log, adapters } = await makeReplica();
    await log.create(newRun('a'));
    const pending = append(log, 'a', 1, [stepStarted('before')], running());
    expect(await pending).toBe('appended');
    if (how === 'suspended') server.freeze();
    else await server.kill();
    for (let time = 0; time < 3; time++) {
      await expect(append(log, 'a', 2, [stepStarted('step-0')], running())).rejects.toMatchObject(
        unavailable,
      );
    }
    if (how === 'suspended') server.thaw();
    else await server.restart();
    await untilAvailable(adapters);
    expect(await stepsOf(log, 'a')).toEqual(['before']);
    expect(await append(log, 'a', 2, [stepStarted('step-0'), endOf()], ended())).toBe('appended');
    expect(await stepsOf(log, 'a')).toEqual(['before', 'step-0', 'execution.completed']);
  });
});

describe('a durable run whose replica did not get a reply', () => {
  test('is claimed again when it was claimed, or found when it is not', async () => {
    const { log, adapters, abandoned } = await makeReplica({ checkEveryMs: 1_000 });
    await log.create(unclaimed('a'));
    await log.create(unclaimed('b'));
    await withoutReplies(adapters, () => Promise.all([log.claim('a'), log.claim('b')]));
    expect(await log.claim('a')).toMatchObject({ crashed: false });
    await until('the other one is found', () => abandoned.has('b'));
    expect(abandoned).not.toContain('a');
    expect(await log.claim('b')).toMatchObject({ crashed: false });
  });

  test('is found when it was created', async () => {
    const { log, adapters, abandoned } = await makeReplica();
    // The definition is stored.
    await log.create(newEndedRun('first'));
    await withoutReplies(adapters, () => log.create(newRun('a')));
    await withoutReplies(adapters, () => log.create(unclaimed('b')));
    await until('both are found', () => abandoned.size === 2);
    expect(await log.claim('a')).toMatchObject({ crashed: false });
    expect(await log.claim('b')).toMatchObject({ crashed: false });
  });

  test('is found when it could not be released', async () => {
    const { log, adapters, abandoned } = await makeReplica();
    await log.create(newRun('a'));
    proxy.setMode('silent');
    await expect(log.release('a')).rejects.toMatchObject(unavailable);
    await reconnect(adapters);
    await until('it is found', () => abandoned.has('a'));
    expect(await log.claim('a')).toMatchObject({ crashed: false });
  });
});

describe('a store without free memory', () => {
  test('refuses what durable runs write as a whole, and lets them be released', async () => {
    const { log, adapters, prefix } = await makeReplica();
    await log.create(newRun('a'));
    await log.create(unclaimed('b'));
    await log.create(newEndedRun('c'));
    const stored = async () => {
      const keys = (await server.keys(prefix)).filter((key) => !/replicas$/.test(key));
      const contents = keys.map(async (key) => {
        if (!key.includes(':execution:') || key.includes(':index:')) return server.command('DUMP', key);
        // The order of the fields of a hash may change.
        const fields = await server.command('HGETALL', key);
        return Object.values(Object(fields)).map(String).sort();
      });
      return [keys, await Promise.all(contents)];
    };
    const before = await stored();
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    for (const work of [
      () => log.create(newRun('d')),
      () => log.create(unclaimed('e')),
      () => append(log, 'a', 1, [stepStarted('step-0')], running()),
      () => append(log, 'a', 1, [stepStarted('step-0'), endOf()], ended()),
      () => append(log, 'c', 2, [stepStarted('step-0')], running(2)),
      () => log.claim('b'),
    ]) {
      await expect(work()).rejects.toMatchObject(unavailable);
    }
    expect(await stored()).toEqual(before);
    await log.release('a');
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await untilAvailable(adapters);
    expect(await log.claim('a')).toMatchObject({ crashed: false });
    expect(await append(log, 'a', 1, [endOf()], ended())).toBe('appended');
    expect(await log.claim('b')).toBeDefined();
  });
});

describe('a damaged durable run', () => {
  test('is not claimed, and is reported once', async () => {
    const { log, prefix, logger } = await makeReplica();
    await log.create(unclaimed('a'));
    await log.create(unclaimed('b'));
    await server.command('LSET', `${prefix}events:a`, '0', 'garbage');
    await server.command('DEL', `${prefix}events:b`);
    for (let time = 0; time < 3; time++) {
      expect(await log.claim('a')).toBeUndefined();
      expect(await log.claim('b')).toBeUndefined();
    }
    const damaged = logger.lines.filter(({ message }) => message.includes('damaged'));
    expect(damaged).toEqual([expect.objectContaining({ level: 'error', execution_id: 'a' })]);
    expect(await server.keys(`${prefix}unclaimed`)).toEqual([]);
  });
});

describe('runs that were durable', () => {
  test('are found by a replica whose runs are not, once no other one has kept them', async () => {
    const { log, prefix } = await makeReplica();
    await log.create(unclaimed('a'));
    const recovery = { ...quickTimes.recovery, unclaimedForMs: 10 };
    const { adapters } = await stores.make(server.url, { ...quickTimes, recovery, prefix });
    const abandoned = listenTo(adapters.runLog);
    await until('it is found', () => abandoned.has('a'));
    expect(await append(adapters.runLog, 'a', 1, [endOf('FAILED')], ended('FAILED'))).toBe('appended');
    expect(await log.claim('a')).toBeUndefined();
    await until('it waits no more', async () => (await server.keys(`${prefix}unclaimed`)).length === 0);
  });
});
