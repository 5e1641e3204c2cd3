import { describe, expect, test } from 'vitest';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import type { RunStore } from '../../../src/ports/run-store.ts';
import { ended, endedResult, pendingRun, runStoreContract, started } from '../../contracts/run-store.ts';
import { heldBytes } from '../../support/heap.ts';

async function idsIn(store: RunStore, workflowId = 'workflow-1'): Promise<string[]> {
  return (await store.list(workflowId, { limit: 200, offset: 0 })).items.map(({ runId }) => runId);
}

runStoreContract('memory', async () => createMemoryRunStore({ maxRecords: 1_000 }));

describe('a run store in memory', () => {
  test('evicts the run that ended first, and never an active one', async () => {
    const store = createMemoryRunStore({ maxRecords: 3 });
    for (const id of ['a', 'b', 'c']) await store.create(pendingRun(id));
    await store.save('b', started());
    await store.save('c', ended('COMPLETED'));
    await store.save('a', ended('FAILED'));
    await store.create(pendingRun('d'));
    expect(await idsIn(store)).toEqual(['d', 'b', 'a']);
    await store.create(pendingRun('e'));
    expect(await idsIn(store)).toEqual(['e', 'd', 'b']);
    expect(await store.get('a')).toBeUndefined();
  });

  test('exceeds its limits only for active runs, until they end', async () => {
    const store = createMemoryRunStore({ maxRecords: 2 });
    for (const id of ['a', 'b', 'c', 'd']) await store.create(pendingRun(id));
    expect(await idsIn(store)).toEqual(['d', 'c', 'b', 'a']);
    await store.save('d', ended('COMPLETED'));
    expect(await idsIn(store)).toEqual(['c', 'b', 'a']);
    await store.save('a', ended('COMPLETED'));
    await store.save('b', ended('COMPLETED'));
    expect(await idsIn(store)).toEqual(['c', 'b']);
  });

  test('keeps ended runs up to its limit of bytes', async () => {
    const store = createMemoryRunStore({ maxRecords: 100, maxBytes: 1_048_576 });
    const output = { text: 'x'.repeat(300_000) };
    for (const id of ['a', 'b', 'c', 'd']) {
      await store.create(pendingRun(id, 1));
      await store.save(id, ended('COMPLETED', [{ index: 0, result: endedResult(0, output) }]));
    }
    expect(await idsIn(store)).toEqual(['d', 'c', 'b']);
  });

  test('counts only the latest bytes of a result', async () => {
    const store = createMemoryRunStore({ maxRecords: 100, maxBytes: 1_048_576 });
    await store.create(pendingRun('first'));
    await store.save('first', ended('COMPLETED'));
    await store.create(pendingRun('second'));
    for (const length of [500_000, 10, 500_000, 10, 500_000]) {
      const result = endedResult(0, { text: 'x'.repeat(length) });
      await store.save('second', { ...started(), stepResults: [{ index: 0, result }] });
    }
    expect(await idsIn(store)).toEqual(['second', 'first']);
  });

  test('forgets a workflow with the last of its runs', async () => {
    const store = createMemoryRunStore({ maxRecords: 1 });
    for (const id of ['a', 'b']) {
      await store.create(pendingRun(id, 1, `workflow-${id}`));
      await store.save(id, ended('COMPLETED'));
    }
    expect(await idsIn(store, 'workflow-a')).toEqual([]);
    expect(await idsIn(store, 'workflow-b')).toEqual(['b']);
    const before = heldBytes();
    for (let number = 0; number < 20_000; number++) {
      await store.create({ ...pendingRun(`${number}`, 1, `workflow-${number}`), status: 'FAILED' });
    }
    expect(heldBytes() - before).toBeLessThan(2_000_000);
    expect(await idsIn(store, 'workflow-19999')).toEqual(['19999']);
  });

  test('counts a run that is created with an end as ended', async () => {
    const store = createMemoryRunStore({ maxRecords: 1 });
    await store.create({ ...pendingRun('a'), status: 'FAILED' });
    await store.create(pendingRun('b'));
    expect(await idsIn(store)).toEqual(['b']);
  });
});
