import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunChange } from '../../../src/domain/run/state.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, type StoresOptions } from '../../support/redis/stores.ts';
import { quickTimes } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
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
  ...running(),
  status: 'WAITING',
  wakeAt: WAKE_AT,
  waitingFor: [{ kind: 'approval', stepId: 'step-0', itemId, until: null }],
};

async function makeReplica(prefix: string, options: StoresOptions = {}) {
  const one = await stores.make(server.url, { timeoutMs: 5_000, ...quickTimes, ...options, prefix });
  await until('the store is available', async () => (await one.probe()) === 'ok');
  return { log: one.ports.runs };
}

/** Parks a run. Its log has three events. */
async function park(log: RunLog, runId: string): Promise<void> {
  await log.create(newRun(runId));
  await append(log, runId, 1, [stepCompleted('step-0')], running());
  expect(await append(log, runId, 2, [runWaits], waits)).toBe('appended');
}

const dueIds = async (log: RunLog) => (await log.due(WAKE_AT + 1, 1_000)).map(({ runId }) => runId);

describe('runs that are due', () => {
  test('of two replicas that find a due run, one gets it, in 200 rounds', async () => {
    const replicas = [await makeReplica('due-race:'), await makeReplica('due-race:')];
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
    const { log } = await makeReplica('due-kept:', { runRetentionMs: 3_000 });
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
});
