import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResolveSignal, RunSignal } from '../../../src/domain/run/events.ts';
import type { RunChange } from '../../../src/domain/run/state.ts';
import type { ClaimedRun, RunLog } from '../../../src/ports/storage/run-log.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import { append, type EventDraft, newRun, running } from '../../support/workflow/run-events.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(async () => {
  await stores.closeAll();
  await server.close();
});

const itemId = 'item-1';
const cancel: RunSignal = { type: 'cancel', by: 'ann', reason: null };
const decision: ResolveSignal = {
  ...{ type: 'resolve', itemId, outcome: 'retry', by: 'ann', note: null, output: null },
};
const goesOn: RunChange = {
  ...running(),
  waitingFor: [{ kind: 'recovery', stepId: 'a', itemId, until: null }],
};
const waits: RunChange = { ...goesOn, status: 'WAITING' };
const stepWaits: EventDraft = {
  ...{ type: 'step.waiting', stepId: 'a', for: 'recovery', until: null, itemId, attempts: 1 },
};
const runWaits: EventDraft = { type: 'execution.waiting', for: ['recovery'] };

async function makeReplica(prefix: string, url = server.url) {
  const options = { durableRuns: true, timeoutMs: 5_000, ...quickTimes, prefix };
  const { adapters } = await stores.make(url, options);
  await until('the store is available', async () => (await adapters.probe()) === 'ok');
  const abandoned: string[] = [];
  const signals: [string, RunSignal][] = [];
  const lost: string[] = [];
  adapters.runLog.listen({
    onSignal: (runId, signal) => signals.push([runId, signal]),
    onAbandoned: async (runId) => void abandoned.push(runId),
    onLost: (runId) => lost.push(runId),
  });
  return { adapters, log: adapters.runLog, abandoned, signals, lost };
}

async function park(log: RunLog, runId: string): Promise<void> {
  await log.create(newRun(runId));
  await append(log, runId, 1, [stepWaits], goesOn);
  expect(await append(log, runId, 2, [runWaits], waits)).toBe('appended');
}

test('a run that waits is found by nobody, also when its last replica and one that had claimed it are gone', async () => {
  const prefix = 'waiting-left:';
  const [one, two, three] = [await makeReplica(prefix), await makeReplica(prefix), await makeReplica(prefix)];
  await park(one.log, 'parked');
  await park(one.log, 'claimed');
  await park(one.log, 'released');
  expect(await two.log.claim('claimed')).toMatchObject({ signals: [] });
  await two.log.claim('released');
  await two.log.release('released');
  await one.adapters.close();
  await two.adapters.close();
  await sleep(2 * quickTimes.recovery.goneAfterMs + 2 * quickTimes.recovery.unclaimedForMs);
  expect(three.abandoned).toEqual([]);
  for (const runId of ['parked', 'claimed', 'released']) {
    expect(await three.log.claim(runId), runId).toMatchObject({ signals: [] });
  }
});

test('a decision that its replica does not handle any more is found by another one', async () => {
  const prefix = 'waiting-decided:';
  const [one, two, three] = [await makeReplica(prefix), await makeReplica(prefix), await makeReplica(prefix)];
  await park(one.log, 'decided');
  expect(await two.log.signal('decided', decision)).toBe('sent');
  expect(two.signals).toEqual([['decided', decision]]);
  expect(one.signals).toEqual([]);
  await until('it is found', () => [one, two, three].some(({ abandoned }) => abandoned.includes('decided')));
  expect(await three.log.claim('decided')).toMatchObject({ signals: [decision] });
  await three.adapters.close();
  let claimed: ClaimedRun | undefined;
  await until('it is free again', async () => {
    claimed = await one.log.claim('decided');
    return claimed !== undefined;
  });
  expect(claimed).toMatchObject({ crashed: true, signals: [decision] });
});

test('decisions and cancels reach the replica that runs the run, whole and beside each other', async () => {
  const prefix = 'waiting-elsewhere:';
  const [one, two] = [await makeReplica(prefix), await makeReplica(prefix)];
  await one.log.create(newRun('a'));
  await append(one.log, 'a', 1, [stepWaits], goesOn);
  const sent = await Promise.all([two.log.signal('a', decision), one.log.signal('a', decision)]);
  expect(sent.sort()).toEqual(['refused', 'sent']);
  expect(await two.log.signal('a', cancel)).toBe('sent');
  await until('both are told', () => new Set(one.signals.map(([, { type }]) => type)).size === 2);
  expect(one.signals).toContainEqual(['a', decision]);
  expect(one.signals).toContainEqual(['a', cancel]);
  expect(two.signals).toEqual([]);
});

test('a run is parked once where the reply to that write is lost', async () => {
  const proxy = await startTcpProxy(server.port);
  try {
    const one = await makeReplica('waiting-lost-reply:', `redis://127.0.0.1:${proxy.port}`);
    await one.log.create(newRun('a'));
    await append(one.log, 'a', 1, [stepWaits], goesOn);
    const other = await makeReplica('waiting-lost-reply:');
    proxy.setMode('mute');
    const parking = append(one.log, 'a', 2, [runWaits], waits).catch(() => 'failed');
    await until('it is written', async () => (await other.log.summary('a'))?.status === 'WAITING');
    proxy.setMode('down');
    expect(await parking).toBe('failed');
    proxy.setMode('pass');
    await until('the store is available', async () => (await one.adapters.probe()) === 'ok');
    expect(await append(one.log, 'a', 2, [runWaits], waits)).toBe('appended');
    expect((await other.log.read('a', 0, 10))?.lastSeq).toBe(3);
    expect(one.lost).toEqual([]);
    expect(await other.log.claim('a')).toBeDefined();
  } finally {
    await proxy.close();
  }
});
