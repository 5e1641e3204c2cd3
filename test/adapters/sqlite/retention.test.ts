import { expect, test } from 'vitest';
import { storageTables } from '../../../src/application/storage/storage.ts';
import type { RunChange } from '../../../src/domain/run/state.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { makeFile } from '../../support/sqlite/files.ts';
import { sampleTrace } from '../../support/sqlite/traces.ts';
import { DAY_MS } from '../../support/stores.ts';
import {
  append,
  ended,
  endOf,
  newEndedRun,
  newRun,
  running,
  sampleDefinition,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const firstPage = { limit: 50, offset: 0 };

/** Adapters whose clock stands until the test moves it, and the number of rows of their tables. */
async function makeStore() {
  const clock = createFakeClock();
  const { file, adapters } = await makeFile({ clock, traceRetentionMs: 7 * DAY_MS });
  const rows = (table: string) =>
    file.database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.['rows'];
  /** A trace that is created now. */
  const traceOfNow = (id: string) => sampleTrace(id, { createdAt: new Date(clock.now()).toISOString() });
  return { clock, rows, adapters, traceOfNow, store: adapters.store, ...adapters.ports };
}

test('expired traces are never shown, and removed up to a limit', async () => {
  const { clock, rows, traces, store, traceOfNow } = await makeStore();
  const ids = Array.from({ length: 130 }, (_, number) => `trace-${number}`);
  await Promise.all(ids.map((id) => traces.put(traceOfNow(id))));
  // The wall clock alone: the timer that removes them does not run.
  clock.jump(7 * DAY_MS - 1);
  await traces.put(traceOfNow('late'));
  expect((await traces.list(firstPage)).total).toBe(131);
  clock.jump(2);
  expect(await traces.get('trace-1')).toBeUndefined();
  expect(await traces.delete('trace-1')).toBe(false);
  expect((await traces.list(firstPage)).total).toBe(1);
  expect((await traces.list(firstPage, { customerId: 'customer-1' })).total).toBe(1);
  await traces.put(traceOfNow('trace-2'));
  expect((await traces.list(firstPage)).items.map(({ traceId }) => traceId)).toEqual(['trace-2', 'late']);
  expect(rows('rows_traces')).toBe(131);
  const [table] = storageTables;
  if (table === undefined) throw new Error('there is no table');
  expect(await store.removeExpired(table, 100)).toBe(100);
  expect([rows('rows_traces'), rows('texts_traces')]).toEqual([31, 31]);
});

test('everything that has expired is removed, and nothing else', async () => {
  const { clock, rows, adapters, traceOfNow, traces, runs, workflows, idempotency } = await makeStore();
  await workflows.put(sampleDefinition());
  await Promise.all(Array.from({ length: 60 }, (_, number) => traces.put(traceOfNow(`trace-${number}`))));
  await runs.create(newEndedRun('ended'));
  await runs.create(newRun('active'));
  await runs.create(newRun('long', { version: 2 }, sampleDefinition('workflow-1', 2)));
  const many = Array.from({ length: 300 }, (_, index) => stepStarted(`step-${index}`));
  await append(runs, 'long', 1, [...many, endOf()], ended());
  const claim = { key: 'key', fingerprint: 'f', owner: 'o', reference: 'r', keepMs: 1_000 };
  await idempotency.claim(claim);
  await idempotency.complete(claim, { status: 200, headers: {}, body: '{}' });
  await idempotency.claim({ ...claim, key: 'held', owner: 'held', keepMs: 60 * DAY_MS });

  clock.jump(30 * DAY_MS + 1);
  expect(await runs.summary('ended')).toBeUndefined();
  expect(await runs.summary('active')).toMatchObject({ status: 'PENDING' });
  expect((await runs.listAll({}, { limit: 50 })).items.map(({ runId }) => runId)).toEqual(['active']);
  expect((await runs.list('workflow-1', {}, firstPage)).total).toBe(1);
  await adapters.removeExpired();

  const left = ['traces', 'workflows', 'runs', 'idempotency'].map((name) => [
    ...[name, rows(`rows_${name}`), rows(`texts_${name}`)],
  ]);
  expect(left).toEqual([
    ['traces', 0, 0],
    ['workflows', 1, 1],
    ['runs', 1, 1],
    ['idempotency', 1, 1],
  ]);
  // Those of the run that goes on, and of the two definitions that runs have kept.
  expect([rows('events'), rows('bodies')]).toEqual([1, 3]);
  expect(await idempotency.claim({ ...claim, key: 'held', owner: 'other' })).toMatchObject({
    status: 'in_progress',
  });
  expect(await append(runs, 'active', 1, [stepStarted('step-0')], running())).toBe('appended');
});

test('a run that waits never expires, and is kept for one retention after its end', async () => {
  const { clock, rows, adapters, runs } = await makeStore();
  const waits: RunChange = { ...running(), status: 'WAITING', wakeAt: 5 };
  await runs.create(newRun('waits'));
  await append(runs, 'waits', 1, [{ type: 'execution.waiting', for: ['wait'] }], waits);
  await runs.create(newEndedRun('ended', { wakeAt: 4 }));
  const dueIds = async () => (await runs.due(10, 10)).map(({ runId }) => runId);
  expect(await dueIds()).toEqual(['ended', 'waits']);
  for (let month = 0; month < 4; month++) {
    clock.jump(30 * DAY_MS + 1);
    expect(await dueIds()).toEqual(['waits']);
    await adapters.removeExpired();
    expect(await runs.summary('waits')).toMatchObject({ status: 'WAITING' });
  }
  expect((await runs.claim('waits'))?.run.events).toHaveLength(2);
  await append(runs, 'waits', 2, [endOf()], { ...ended(), wakeAt: 6 });
  clock.jump(30 * DAY_MS - 1);
  await adapters.removeExpired();
  expect(await runs.get('waits')).toMatchObject({ definition: sampleDefinition() });
  expect((await runs.listAll({}, { limit: 50 })).items).toMatchObject([{ runId: 'waits' }]);
  expect(await dueIds()).toEqual(['waits']);
  clock.jump(2);
  expect(await runs.summary('waits')).toBeUndefined();
  expect((await runs.listAll({}, { limit: 50 })).items).toEqual([]);
  expect(await dueIds()).toEqual([]);
  await adapters.removeExpired();
  expect(rows('rows_runs')).toBe(0);
});

test('listings keep their order when the wall clock is set back', async () => {
  const { clock, traces, traceOfNow } = await makeStore();
  await traces.put(traceOfNow('first'));
  clock.jump(-DAY_MS);
  await traces.put(traceOfNow('second'));
  expect((await traces.list(firstPage)).items.map(({ traceId }) => traceId)).toEqual(['second', 'first']);
});
