import { expect, test } from 'vitest';
import { createRecordStores } from '../../../src/application/storage/record-stores.ts';
import { storageTables } from '../../../src/application/storage/storage.ts';
import type { RoutingResult } from '../../../src/domain/routing/routing.ts';
import { sampleVersion } from '../../contracts/definition-store.ts';
import { sampleClaim } from '../../contracts/idempotency-store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { recordLogs } from '../../support/fakes.ts';
import { sampleTrace } from '../../support/sqlite/traces.ts';
import { storageParts } from '../../support/storage.ts';

const DAY = 86_400_000;

function setUp() {
  const clock = createFakeClock();
  const parts = storageParts(clock);
  const logger = recordLogs();
  const dropped: number[] = [];
  const stores = createRecordStores(parts, {
    processId: 'one',
    logger,
    digestOf: (text) => `digest of ${text.length}`,
    onDropped: () => void dropped.push(1),
  });
  const createdAt = new Date(clock.now()).toISOString();
  return { stores, clock, store: parts.store, logger, dropped, createdAt };
}

function sampleRoute(routingId: string, createdAt: string): RoutingResult {
  return {
    routingId,
    goal: 'a goal',
    customerId: null,
    status: 'completed',
    decomposition: 'keyword',
    subtaskCounts: { total: 0, completed: 0, failed: 0 },
    unassigned: [],
    error: null,
    createdAt,
    completedAt: createdAt,
    durationMs: 1,
    results: [],
    forwarded: [],
  };
}

test('traces are kept for 7 days, routed goals for 30, and definitions forever', async () => {
  const { stores, clock, createdAt } = setUp();
  await stores.traces.put(sampleTrace('t', { createdAt }));
  await stores.routes.put(sampleRoute('r', createdAt));
  await stores.workflows.put(sampleVersion('w', 1));
  await clock.advance(7 * DAY - 1);
  expect(await stores.traces.get('t')).toMatchObject({ traceId: 't' });
  await clock.advance(1);
  expect(await stores.traces.get('t')).toBeUndefined();
  expect(await stores.routes.get('r')).toMatchObject({ routingId: 'r' });
  await clock.advance(23 * DAY);
  expect(await stores.routes.get('r')).toBeUndefined();
  expect(await stores.workflows.has('w')).toBe(true);
});

test('no two tables have the same name, and all names are plain', () => {
  const names = storageTables.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z_]+$/);
});

test('closing writes what waits, and leaves no timer', async () => {
  const { stores, clock, store, logger, createdAt } = setUp();
  store.leave();
  await stores.traces.put(sampleTrace('t', { createdAt }));
  expect(stores.buffered).toBe(1);
  store.comeBack();
  stores.stats.setRunning(1);
  await stores.idempotency.claim(sampleClaim());
  await stores.close();
  expect([stores.buffered, clock.pending(), logger.lines]).toEqual([0, 0, []]);
  expect(await stores.traces.get('t')).toMatchObject({ traceId: 't' });
});

test('closing while the store is away says how many records are lost', async () => {
  const { stores, store, logger, clock, createdAt } = setUp();
  store.leave();
  await stores.traces.put(sampleTrace('t', { createdAt }));
  await stores.routes.put(sampleRoute('r', createdAt));
  await stores.close();
  expect(clock.pending()).toBe(0);
  expect(logger.lines).toMatchObject([
    { level: 'error', message: 'records were lost before they could be stored', times: 2 },
  ]);
});
