import { describe, expect, test } from 'vitest';
import type { Run, RunChange, StepResult, StepStatus } from '../../src/domain/run/run.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { RunStore } from '../../src/ports/run-store.ts';

/** The result of a step that has not started. */
export function pendingResult(index: number): StepResult {
  return {
    stepId: `step-${index}`,
    kind: index % 2 === 0 ? 'tool' : 'agent',
    status: 'PENDING',
    layer: index,
    attempts: 0,
    output: null,
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
  };
}

/** The result of a step that has ended. */
export function endedResult(index: number, output: JsonObject, status: StepStatus = 'COMPLETED'): StepResult {
  const at = new Date().toISOString();
  return {
    ...pendingResult(index),
    ...{ status, output, attempts: 1, startedAt: at, completedAt: at, durationMs: 0.25 },
  };
}

/** A run that has not started, of `steps` steps in sequence. */
export function pendingRun(runId: string, steps = 3, workflowId = 'workflow-1'): Run {
  return {
    runId,
    workflowId,
    workflowName: 'Sample "workflow" ☃',
    status: 'PENDING',
    background: true,
    input: JSON.parse('{"__proto__": {"a": 1}, "text": "é\\ud800"}'),
    error: null,
    createdAt: new Date().toISOString(),
    startedAt: null,
    completedAt: null,
    durationMs: null,
    stepResults: Array.from({ length: steps }, (_, index) => pendingResult(index)),
  };
}

/** The change at the start of a run. */
export function started(): RunChange {
  const startedAt = new Date().toISOString();
  return { status: 'RUNNING', error: null, startedAt, completedAt: null, durationMs: null, stepResults: [] };
}

/** The change at the end of a run. */
export function ended(status: 'COMPLETED' | 'FAILED', stepResults: RunChange['stepResults'] = []): RunChange {
  const at = new Date().toISOString();
  const error = status === 'FAILED' ? 'step "step-1" failed' : null;
  return { status, error, startedAt: at, completedAt: at, durationMs: 12.5, stepResults };
}

/** A run after a change. */
function changed(run: Run, change: RunChange): Run {
  const { stepResults: changes, ...rest } = change;
  const stepResults = [...run.stepResults];
  for (const { index, result } of changes) stepResults[index] = result;
  return { ...run, ...rest, stepResults };
}

/**
 * What every run store promises. `makeStore` creates an empty store with room for at least 300 runs; the tests of its
 * adapter clean up.
 */
export function runStoreContract(name: string, makeStore: () => Promise<RunStore>): void {
  const firstPage = { limit: 50, offset: 0 };

  describe(`${name} as a run store`, () => {
    test('finds nothing while it is empty', async () => {
      const store = await makeStore();
      expect(await store.get('execution-1')).toBeUndefined();
      expect(await store.list('workflow-1', firstPage)).toEqual({ total: 0, ...firstPage, items: [] });
    });

    test('finds a run as soon as it is created', async () => {
      const store = await makeStore();
      const run = pendingRun('execution-1');
      await store.create(run);
      const found = await store.get('execution-1');
      expect(found).toEqual(run);
      expect(JSON.stringify(found?.input)).toBe(JSON.stringify(run.input));
    });

    test('follows a run through its changes', async () => {
      const store = await makeStore();
      let expected = pendingRun('execution-1', 4);
      await store.create(expected);
      const awkward: JsonObject = JSON.parse('{"__proto__": [1], "constructor": "☃\\ud800", "": {}}');
      const changes = [
        started(),
        { ...started(), stepResults: [{ index: 0, result: endedResult(0, awkward) }] },
        {
          ...started(),
          stepResults: [2, 1].map((index) => ({ index, result: endedResult(index, { index }) })),
        },
        ended('FAILED', [{ index: 3, result: { ...pendingResult(3), status: 'SKIPPED' as const } }]),
      ];
      for (const change of changes) {
        expect(await store.save('execution-1', change)).toBe(true);
        expected = changed(expected, change);
        expect(await store.get('execution-1')).toEqual(expected);
      }
    });

    test('keeps an output of 1 MiB', async () => {
      const store = await makeStore();
      const run = pendingRun('execution-1');
      const change = ended('COMPLETED', [
        { index: 1, result: endedResult(1, { text: 'x'.repeat(1_048_560) }) },
      ]);
      await store.create(run);
      await store.save('execution-1', change);
      expect(await store.get('execution-1')).toEqual(changed(run, change));
    });

    test('keeps a run of a thousand steps', async () => {
      const store = await makeStore();
      const run = pendingRun('execution-1', 1_000);
      await store.create(run);
      const stepResults = run.stepResults.map((_, index) => ({
        index,
        result: endedResult(index, {}),
      }));
      const change = ended('COMPLETED', stepResults);
      await store.save('execution-1', change);
      expect(await store.get('execution-1')).toEqual(changed(run, change));
    });

    test('does not change a run that has ended', async () => {
      const store = await makeStore();
      for (const status of ['COMPLETED', 'FAILED'] as const) {
        const run = pendingRun(status);
        const end = ended(status);
        await store.create(run);
        await store.save(status, end);
        const late = { ...started(), stepResults: [{ index: 0, result: endedResult(0, {}) }] };
        expect(await store.save(status, late)).toBe(false);
        await store.create(run);
        expect(await store.get(status)).toEqual(changed(run, end));
      }
    });

    test('ignores changes to unknown runs', async () => {
      const store = await makeStore();
      await store.save('execution-1', ended('COMPLETED', [{ index: 0, result: endedResult(0, {}) }]));
      expect(await store.get('execution-1')).toBeUndefined();
      expect((await store.list('workflow-1', firstPage)).total).toBe(0);
    });

    test('does not replace a run that exists', async () => {
      const store = await makeStore();
      const run = pendingRun('execution-1');
      const change = { ...started(), stepResults: [{ index: 0, result: endedResult(0, {}) }] };
      await store.create(run);
      await store.save('execution-1', change);
      await store.create(run);
      expect(await store.get('execution-1')).toEqual(changed(run, change));
      expect((await store.list('workflow-1', firstPage)).total).toBe(1);
    });

    test('shares no object with what was given or read', async () => {
      const store = await makeStore();
      const run = pendingRun('execution-1');
      const expected = structuredClone(run);
      const output = { list: [1] };
      const pending = store.create(run);
      Object.assign(run.stepResults[0] ?? {}, { status: 'FAILED' });
      Object.assign(run, { workflowName: 'changed' });
      await pending;
      const change = { ...started(), stepResults: [{ index: 1, result: endedResult(1, output) }] };
      const expectedAfter = changed(expected, structuredClone(change));
      const saving = store.save('execution-1', change);
      output.list.push(2);
      await saving;
      const found = await store.get('execution-1');
      expect(found).toEqual(expectedAfter);
      Object.assign(found?.stepResults[1]?.output ?? {}, { list: null });
      Object.assign(found ?? {}, { status: 'FAILED' });
      expect(await store.get('execution-1')).toEqual(expectedAfter);
    });

    test('lists the runs of one workflow, newest first, as they are now', async () => {
      const store = await makeStore();
      for (const number of [1, 2, 3]) await store.create(pendingRun(`execution-${number}`));
      await store.create(pendingRun('other', 1, 'workflow-2'));
      const end = ended('COMPLETED', [{ index: 0, result: endedResult(0, {}) }]);
      await store.save('execution-1', end);
      const { total, items } = await store.list('workflow-1', firstPage);
      expect(total).toBe(3);
      expect(items.map(({ runId, status }) => [runId, status])).toEqual([
        ['execution-3', 'PENDING'],
        ['execution-2', 'PENDING'],
        ['execution-1', 'COMPLETED'],
      ]);
      const { stepResults: _, ...summary } = changed((await store.get('execution-1')) ?? expect.fail(), end);
      expect(items[2]).toEqual(summary);
      expect((await store.list('workflow-2', firstPage)).items.map(({ runId }) => runId)).toEqual(['other']);
    });

    test('pages through the runs of a workflow, each once', async () => {
      const store = await makeStore();
      const numbers = Array.from({ length: 25 }, (_, index) => index);
      for (const number of numbers) await store.create(pendingRun(`execution-${number}`, 1));
      const seen: string[] = [];
      for (const offset of [0, 10, 20, 30]) {
        const page = await store.list('workflow-1', { limit: 10, offset });
        expect(page).toMatchObject({ total: 25, limit: 10, offset });
        seen.push(...page.items.map(({ runId }) => runId));
      }
      expect(seen).toEqual(numbers.toReversed().map((number) => `execution-${number}`));
    });

    test('keeps concurrent runs apart', async () => {
      const store = await makeStore();
      const ids = Array.from({ length: 30 }, (_, index) => `execution-${index}`);
      await Promise.all(
        ids.map(async (id, number) => {
          await store.create(pendingRun(id));
          await store.save(id, started());
          const stepResults = [0, 1, 2].map((index) => ({ index, result: endedResult(index, { number }) }));
          for (const result of stepResults) await store.save(id, { ...started(), stepResults: [result] });
          await store.save(id, ended('COMPLETED'));
        }),
      );
      for (const [number, id] of ids.entries()) {
        const found = await store.get(id);
        expect(found?.status).toBe('COMPLETED');
        expect(found?.stepResults.map(({ output }) => output)).toEqual([{ number }, { number }, { number }]);
      }
    });
  });
}
