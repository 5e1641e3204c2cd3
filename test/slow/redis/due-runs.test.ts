import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisAdaptersOptions } from '../../../src/adapters/redis/adapters.ts';
import type { ResolveSignal, RunSignal } from '../../../src/domain/run/events.ts';
import type { RunChange } from '../../../src/domain/run/state.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import {
  append,
  type EventDraft,
  ended,
  endOf,
  newEndedRun,
  newRun,
  running,
  stepCompleted,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(async () => {
  await stores.closeAll();
  await server.close();
});

const WAKE_AT = Date.UTC(2026, 0, 2);
const itemId = 'item-1';
const runWaits: EventDraft = { type: 'execution.waiting', for: ['approval'] };
const waits: RunChange = {
  ...{ ...running(), status: 'WAITING', wakeAt: WAKE_AT },
  waitingFor: [{ kind: 'approval', stepId: 'step-0', itemId, until: null }],
};
const decision: ResolveSignal = {
  ...{ type: 'resolve', itemId, outcome: 'approved', by: 'ann', note: null, output: null, data: { a: 1 } },
};

async function makeReplica(prefix: string, options: Partial<RedisAdaptersOptions> = {}, url = server.url) {
  const { adapters } = await stores.make(url, { timeoutMs: 5_000, ...quickTimes, ...options, prefix });
  await until('the store is available', async () => (await adapters.probe()) === 'ok');
  const abandoned: string[] = [];
  const signals: [string, RunSignal][] = [];
  adapters.runLog.listen({
    onSignal: (runId, signal) => signals.push([runId, signal]),
    onAbandoned: async (runId) => void abandoned.push(runId),
    onLost: () => undefined,
  });
  return { adapters, log: adapters.runLog, abandoned, signals };
}

/** Parks a run. Its log has three events. */
async function park(log: RunLog, runId: string): Promise<void> {
  await log.create(newRun(runId));
  await append(log, runId, 1, [stepCompleted('step-0')], running());
  expect(await append(log, runId, 2, [runWaits], waits)).toBe('appended');
}

const dueIds = async (log: RunLog) => (await log.due(WAKE_AT + 1, 1_000)).map(({ runId }) => runId);

describe.each([{ durableRuns: false }, { durableRuns: true }])(
  'with $durableRuns durable runs',
  (options) => {
    test('of two replicas that find a due run, one gets it, in 200 rounds', async () => {
      const prefix = `due-race-${options.durableRuns}:`;
      const replicas = [await makeReplica(prefix, options), await makeReplica(prefix, options)];
      const [one, two] = [replicas[0] ?? expect.fail(), replicas[1] ?? expect.fail()];
      await park(one.log, 'a');
      for (let round = 0, seq = 3; round < 200; round++) {
        const order = round % 2 === 0 ? replicas : replicas.toReversed();
        const claims = await Promise.all(
          order.map(async ({ log }) => {
            const found = await dueIds(log);
            return found.includes('a') ? log.claim('a') : undefined;
          }),
        );
        const winners = order.filter((_, index) => claims[index] !== undefined);
        expect(winners).toHaveLength(1);
        const winner = winners[0] ?? expect.fail();
        const loser = winner === one ? two : one;
        expect(await dueIds(loser.log)).toEqual([]);
        expect(claims.find((claim) => claim !== undefined)?.run.events).toHaveLength(seq);
        expect(await append(loser.log, 'a', seq, [endOf('FAILED')], ended('FAILED'))).toBe('conflict');
        expect(await append(winner.log, 'a', seq, [stepStarted('step-1')], running())).toBe('appended');
        expect(await append(winner.log, 'a', seq + 1, [runWaits], waits)).toBe('appended');
        seq += 2;
      }
    });

    test('a run that waits for longer than the retention is kept, listed and due', async () => {
      const retention = { ...options, runRetentionMs: 3_000 };
      const { log } = await makeReplica(`due-kept-${options.durableRuns}:`, retention);
      await park(log, 'waits');
      await log.create(newEndedRun('ended', { wakeAt: WAKE_AT - 1 }));
      expect(await dueIds(log)).toEqual(['ended', 'waits']);
      await sleep(8_000);
      expect(await log.summary('ended')).toBeUndefined();
      expect(await dueIds(log)).toEqual(['waits']);
      await log.create(newRun('new'));
      const { items, total } = await log.list('workflow-1', {}, { limit: 10, offset: 0 });
      expect([total, ...items.map(({ runId }) => runId)]).toEqual([2, 'new', 'waits']);
      const listed = await log.listAll({ statuses: ['WAITING'] }, { limit: 10 });
      expect(listed.items.map(({ runId }) => runId)).toEqual(['waits']);
      expect((await log.claim('waits'))?.run.definition.id).toBe('workflow-1');
      expect(await append(log, 'waits', 3, [endOf()], ended())).toBe('appended');
      expect(await log.get('waits')).toMatchObject({ definition: { id: 'workflow-1' } });
    });
  },
);

describe('runs that are not durable', () => {
  test('go on waiting when the replica is gone that has parked or claimed them, and end when it has run them', async () => {
    const prefix = 'due-left:';
    const [one, two, three] = [
      await makeReplica(prefix),
      await makeReplica(prefix),
      await makeReplica(prefix),
    ];
    for (const id of ['parked', 'claimed', 'released', 'running']) await park(one.log, id);
    await two.log.claim('claimed');
    await two.log.claim('released');
    await two.log.release('released');
    await two.log.claim('running');
    await append(two.log, 'running', 3, [stepStarted('step-1')], running());
    await one.adapters.close();
    await two.adapters.close();
    await until('the running one is found', () => three.abandoned.includes('running'));
    await until('the claimed one is due', async () => (await dueIds(three.log)).length === 3);
    await sleep(2 * quickTimes.recovery.goneAfterMs + 2 * quickTimes.recovery.unclaimedForMs);
    expect(new Set(three.abandoned)).toEqual(new Set(['running']));
    for (const id of ['parked', 'claimed', 'released']) {
      expect(await three.log.claim(id), id).toMatchObject({ crashed: false, signals: [] });
    }
    expect(await three.log.claim('running')).toBeUndefined();
  });

  test('are told of again while nobody claims them for a decision, and never as abandoned', async () => {
    const prefix = 'due-decided:';
    const [one, two] = [await makeReplica(prefix), await makeReplica(prefix)];
    await park(one.log, 'a');
    expect(await two.log.signal('a', decision)).toBe('sent');
    expect(two.signals).toEqual([['a', decision]]);
    expect(one.signals).toEqual([]);
    await two.adapters.close();
    await until('the other one is told', () => one.signals.length > 1);
    expect(one.signals[0]).toEqual(['a', decision]);
    expect(one.abandoned).toEqual([]);
    expect(await one.log.claim('a')).toMatchObject({ signals: [decision] });
    const { length } = one.signals;
    await sleep(3 * quickTimes.recovery.unclaimedForMs);
    expect(one.signals.length).toBe(length);
  });

  test('are parked when the store has all of their events, or not at all', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const url = `redis://127.0.0.1:${proxy.port}`;
      const one = await makeReplica('due-outage:', { timeoutMs: 300 }, url);
      const other = await makeReplica('due-outage:');
      await one.log.create(newRun('a'));
      proxy.setMode('down');
      await until('the store is away', async () => (await one.adapters.probe()) === 'error');
      expect(await append(one.log, 'a', 1, [stepCompleted('step-0')], running())).toBe('appended');
      await expect(append(one.log, 'a', 2, [runWaits], waits)).rejects.toThrow();
      expect(one.adapters.buffered).toBe(1);
      proxy.setMode('pass');
      await until('all is written', () => one.adapters.buffered === 0);
      expect(await other.log.summary('a')).toMatchObject({ status: 'RUNNING' });
      proxy.setMode('mute');
      const parking = append(one.log, 'a', 2, [runWaits], waits).catch(() => 'failed');
      await until('it is written', async () => (await other.log.summary('a'))?.status === 'WAITING');
      proxy.setMode('down');
      expect(await parking).toBe('failed');
      proxy.setMode('pass');
      await until('the store is available', async () => (await one.adapters.probe()) === 'ok');
      expect(await append(one.log, 'a', 2, [runWaits], waits)).toBe('appended');
      expect((await other.log.claim('a'))?.run.events).toHaveLength(3);
      expect(await append(one.log, 'a', 3, [stepStarted('step-1')], running())).toBe('conflict');
    } finally {
      await proxy.close();
    }
  });
});
