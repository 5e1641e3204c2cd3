import { describe, expect, test, vi } from 'vitest';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import type { RunStore } from '../../../src/ports/run-store.ts';
import { began, ended, endedResult, pendingRun, runStoreContract } from '../../contracts/run-store.ts';

import { heldBytes } from '../../support/work/heap.ts';

async function idsIn(store: RunStore, workflowId = 'workflow-1'): Promise<string[]> {
  return (await store.list(workflowId, { limit: 200, offset: 0 })).items.map(({ runId }) => runId);
}

runStoreContract('memory', async () => createMemoryRunStore({ maxRecords: 1_000 }));

describe('an execution store in memory', () => {
  test('evicts what ended first, and never what still runs', async () => {
    const store = createMemoryRunStore({ maxRecords: 3 });
    for (const id of ['a', 'b', 'c']) await store.create(pendingRun(id));
    await store.save('b', began());
    await store.save('c', ended('COMPLETED'));
    await store.save('a', ended('FAILED'));
    await store.create(pendingRun('d'));
    expect(await idsIn(store)).toEqual(['d', 'b', 'a']);
    await store.create(pendingRun('e'));
    expect(await idsIn(store)).toEqual(['e', 'd', 'b']);
    expect(await store.get('a')).toBeUndefined();
  });

  test('goes over its bounds for runs under way alone, and back when they end', async () => {
    const store = createMemoryRunStore({ maxRecords: 2 });
    for (const id of ['a', 'b', 'c', 'd']) await store.create(pendingRun(id));
    expect(await idsIn(store)).toEqual(['d', 'c', 'b', 'a']);
    await store.save('d', ended('COMPLETED'));
    expect(await idsIn(store)).toEqual(['c', 'b', 'a']);
    await store.save('a', ended('COMPLETED'));
    await store.save('b', ended('COMPLETED'));
    expect(await idsIn(store)).toEqual(['c', 'b']);
  });

  test('keeps as many bytes of ended runs as it may', async () => {
    const store = createMemoryRunStore({ maxRecords: 100, maxBytes: 1_048_576 });
    const output = { text: 'x'.repeat(300_000) };
    for (const id of ['a', 'b', 'c', 'd']) {
      await store.create(pendingRun(id, 1));
      await store.save(id, ended('COMPLETED', [{ index: 0, result: endedResult(0, output) }]));
    }
    expect(await idsIn(store)).toEqual(['d', 'c', 'b']);
  });

  test('counts the bytes of a result as it is now', async () => {
    const store = createMemoryRunStore({ maxRecords: 100, maxBytes: 1_048_576 });
    await store.create(pendingRun('first'));
    await store.save('first', ended('COMPLETED'));
    await store.create(pendingRun('second'));
    for (const length of [500_000, 10, 500_000, 10, 500_000]) {
      const result = endedResult(0, { text: 'x'.repeat(length) });
      await store.save('second', { ...began(), stepResults: [{ index: 0, result }] });
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

  test('counts an execution that is created ended among the ended', async () => {
    const store = createMemoryRunStore({ maxRecords: 1 });
    await store.create({ ...pendingRun('a'), status: 'FAILED' });
    await store.create(pendingRun('b'));
    expect(await idsIn(store)).toEqual(['b']);
  });

  test('writes out what a change holds and nothing else, however large the execution is', async () => {
    const store = createMemoryRunStore({ maxRecords: 1 });
    await store.create(pendingRun('a', 10_000));
    const running = { ...endedResult(2, {}), status: 'RUNNING' as const, output: null };
    const stepResults = [0, 1].map((index) => ({ index, result: endedResult(index, { index }) }));
    const written = vi.spyOn(JSON, 'stringify');
    await store.save('a', { ...began(), stepResults: [...stepResults, { index: 2, result: running }] });
    const texts = written.mock.results.map(({ value }) => value);
    written.mockRestore();
    expect(texts).toEqual(['{"index":0}', '{"index":1}']);
  });
});
