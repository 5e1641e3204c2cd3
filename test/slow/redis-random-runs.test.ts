import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../src/domain/run/evolve.ts';
import { hasEnded, type Run } from '../../src/domain/run/run.ts';
import { recordOf } from '../../src/domain/run/state.ts';
import { ToolError } from '../../src/domain/tool-error.ts';
import type { Step } from '../../src/domain/workflow/definition.ts';
import type { RunLog } from '../../src/ports/storage/run-log.ts';
import { faultSeed } from '../support/faults/run.ts';
import { memoryRunLog } from '../support/memory.ts';
import { type RedisServer, startRedisServer } from '../support/redis/server.ts';
import { createStoresFactory } from '../support/redis/stores.ts';
import { until } from '../support/until.ts';
import { createTestEngine } from '../support/workflow/engine.ts';
import { acyclicSteps, expectedStatuses } from '../support/workflow/graphs.ts';

const RUNS = 5_000;
const BATCH = 50;
const seed = faultSeed();
const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(async () => {
  await stores.closeAll();
  await server.close();
});

/** A workflow, and what happens to its run: it is retried where it fails, and run again from a step. */
const histories = fc.record({
  shape: acyclicSteps(12),
  /** For each step the attempts that fail, and how many microtasks it takes. */
  behaviors: fc.array(fc.record({ failures: fc.nat({ max: 9 }), ticks: fc.nat({ max: 6 }) }), {
    minLength: 12,
    maxLength: 12,
  }),
  background: fc.boolean(),
  isRetried: fc.boolean(),
  rerunFrom: fc.option(fc.nat({ max: 11 }), { nil: undefined }),
});

type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

/** Most steps never fail, some fail once, and some twice. */
const failuresOf = (failures: number): number => Math.max(0, failures - 7);

function stepsOf({ shape, behaviors }: History): Step[] {
  return shape.map(({ id, dependsOn }, number): Step => {
    const { failures, ticks } = behaviors[number] ?? expect.fail();
    const [first] = dependsOn;
    const from = first === undefined ? null : `$step.${first}.id`;
    const staticInput = { id, ticks, from, failures: failuresOf(failures) };
    return { id, dependsOn, staticInput, kind: 'tool', toolName: 'work' };
  });
}

/** An engine over a log. Its clock stands still, so that records have the same times whatever the log. */
function startEngine(runs: RunLog) {
  const engine = createTestEngine({ ports: { runs }, limits: { maxConcurrentSteps: 4 } });
  const failed = new Map<string, number>();
  engine.tool('work', async ({ id, ticks, failures }, { idempotencyKey = '' }) => {
    for (let tick = 0; tick < Number(ticks); tick++) await undefined;
    const times = failed.get(idempotencyKey) ?? 0;
    if (times >= Number(failures)) return { id: String(id) };
    failed.set(idempotencyKey, times + 1);
    throw new ToolError(`${id} fails`, { permanent: true });
  });
  return engine;
}

type Engine = ReturnType<typeof startEngine>;

async function ended(engine: Engine, runId: string): Promise<Run> {
  await until(`${runId} has ended`, async () => {
    const summary = await engine.runs.summary(runId);
    return summary !== undefined && hasEnded(summary.status);
  });
  return engine.control.get(runId);
}

/** The records of a run after each thing that happens to it. */
async function live(engine: Engine, history: History, workflowId: string, runId: string): Promise<Run[]> {
  const { background, isRetried, rerunFrom, shape } = history;
  await engine.workflows.run(workflowId, { background, runId });
  const records = [await ended(engine, runId)];
  // Runs keep their definition.
  await engine.workflows.delete(workflowId);
  if (isRetried && records[0]?.status === 'FAILED') {
    await engine.control.retry(runId, { by: 'test' });
    records.push(await ended(engine, runId));
  }
  if (rerunFrom !== undefined) {
    const fromStep = shape[rerunFrom % shape.length]?.id;
    const newRunId = `${runId}-again`;
    await engine.control.rerun(runId, { fromStep, newRunId, background });
    records.push(await ended(engine, newRunId));
  }
  for (const { runId: id } of records) {
    const stored = (await engine.runs.get(id)) ?? expect.fail();
    expect(recordOf(replay(stored))).toEqual(records.findLast((record) => record.runId === id));
  }
  return records;
}

function expectModel(history: History, first: Run): void {
  const steps = stepsOf(history);
  const failing = new Set(
    steps.filter(({ staticInput }) => Number(Object(staticInput)['failures']) > 0).map(({ id }) => id),
  );
  const statuses = new Map(first.stepResults.map(({ stepId, status }) => [stepId, status]));
  expect(statuses).toEqual(expectedStatuses(steps, failing));
  expect(first.status).toBe(failing.size > 0 ? 'FAILED' : 'COMPLETED');
}

describe('random runs on Redis', () => {
  test(`have the records of the same runs in memory (FAULT_SEED=${seed})`, { timeout: 300_000 }, async () => {
    const { ports } = await stores.make(server.url, { timeoutMs: 10_000 });
    const engines = [startEngine(memoryRunLog({ maxRows: 2 * RUNS })), startEngine(ports.runs)] as const;
    const all = fc.sample(histories, { numRuns: RUNS, seed });
    const counts = { FAILED: 0, COMPLETED: 0, retried: 0, rerun: 0 };
    for (let first = 0; first < all.length; first += BATCH) {
      const batch = all.slice(first, first + BATCH);
      const [expected, found] = await Promise.all(
        engines.map(async (engine) => {
          const ids: string[] = [];
          for (const history of batch) ids.push((await engine.define(...stepsOf(history))).id);
          const lives = batch.map((history, at) => live(engine, history, ids[at] ?? '', `run-${first + at}`));
          return Promise.all(lives);
        }),
      );
      expect(found).toEqual(expected);
      for (const [at, history] of batch.entries()) {
        const records = found?.[at] ?? [];
        const [original = expect.fail()] = records;
        expectModel(history, original);
        if (original.status === 'FAILED') counts.FAILED++;
        else counts.COMPLETED++;
        if (records.some(({ attempt }) => attempt === 2)) counts.retried++;
        if (records.some(({ rerunOf }) => rerunOf !== null)) counts.rerun++;
      }
    }
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(RUNS / 20);
    expect(await server.keys('')).not.toContainEqual(expect.stringContaining('rows:runs:text:owner'));
  });
});
