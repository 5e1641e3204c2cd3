import { describe, expect, test } from 'vitest';
import { createMemoryRunQueue } from '../../../src/adapters/memory/run-queue.ts';
import { createMetrics, type Metrics } from '../../../src/adapters/telemetry/prometheus.ts';
import type { RunEventType } from '../../../src/domain/run/events.ts';
import { waitKinds } from '../../../src/domain/run/run.ts';
import { runOrigins } from '../../../src/domain/subject-event.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import { settle } from '../../support/fake-clock.ts';
import { callTool, createTestEngine, type TestEngineOptions } from '../../support/workflow/engine.ts';
import { type EventDraft, eventsByType, everyEvent, numbered } from '../../support/workflow/run-events.ts';
import { type Family, scrape, value } from './exposition.ts';

/** An engine whose events and queue go to metrics. */
function createMeasuredEngine(limits: TestEngineOptions['limits'] = {}) {
  const runQueue = createMemoryRunQueue();
  const metrics = createMetrics({ runsWaiting: runQueue.depth });
  return { metrics, engine: createTestEngine({ ports: { events: metrics.sink, runQueue }, limits }) };
}

function append(metrics: Metrics, runId: string, ...drafts: readonly EventDraft[]): void {
  metrics.sink({ type: 'run.appended', runId, workflowId: 'w', events: numbered(1, drafts) });
}

function draft<T extends RunEventType>(type: T): EventDraft {
  const found = everyEvent().findLast((event) => event.type === type);
  if (found === undefined) throw new Error(`no draft of ${type}`);
  return found;
}

const runStates = ['COMPLETED', 'FAILED', 'CANCELLED'];
const stepStates = ['COMPLETED', 'FAILED', 'CANCELLED', 'SKIPPED'];

function byStatus(families: Map<string, Family>, name: string, states: readonly string[]) {
  return states.map((status) => value(families, name, { status }));
}

async function gauges(metrics: Metrics) {
  const families = await scrape(metrics);
  return [value(families, 'service_runs_waiting'), value(families, 'service_runs_running')];
}

const runsRunning = async (metrics: Metrics) => value(await scrape(metrics), 'service_runs_running');

describe('the metrics of runs', () => {
  test('begin at 0', async () => {
    const families = await scrape(createMetrics({ runsWaiting: async () => 0 }));
    expect(byStatus(families, 'service_runs_total', runStates)).toEqual([0, 0, 0]);
    expect(byStatus(families, 'service_steps_total', stepStates)).toEqual([0, 0, 0, 0]);
    const zero = ['run_retries_total', 'run_cancel_requests_total', 'step_retries_total'];
    for (const name of [...zero, 'run_recoveries_total', 'runs_waiting', 'runs_running']) {
      expect(value(families, `service_${name}`), name).toBe(0);
    }
  });

  test('count runs and steps by their status, retries of steps, and durations', async () => {
    const { metrics, engine } = createMeasuredEngine();
    engine.tool('works', () => ({}));
    engine.tool('fails', () => {
      throw new ToolError('no', { permanent: true });
    });
    engine.tool('works_later', (_input, { attempt }) => {
      if (attempt < 3) throw new Error('busy');
      return {};
    });
    const good = await engine.define(callTool('a', 'works'), callTool('b', 'works_later'));
    const bad = await engine.define(callTool('a', 'fails'), callTool('b', 'works', {}, ['a']));
    const finished = Promise.all([engine.workflows.run(good.id), engine.workflows.run(bad.id)]);
    for (let turn = 0; turn < 20; turn++) {
      await settle();
      engine.clock.advance(1_000);
    }
    await finished;
    const families = await scrape(metrics);
    expect(byStatus(families, 'service_runs_total', runStates)).toEqual([1, 1, 0]);
    expect(byStatus(families, 'service_steps_total', stepStates)).toEqual([2, 1, 0, 1]);
    expect(value(families, 'service_step_retries_total')).toBe(2);
    expect(value(families, 'service_runs_created_total', { origin: 'api' })).toBe(2);
    expect(value(families, 'service_run_latency_seconds_count', { status: 'COMPLETED' })).toBe(1);
    expect(value(families, 'service_run_latency_seconds_sum', { status: 'COMPLETED' })).toBeCloseTo(0.15);
    expect(await gauges(metrics)).toEqual([0, 0]);
  });

  test('count runs by what started them, and waits by what ends them', async () => {
    const metrics = createMetrics();
    const before = await scrape(metrics);
    for (const origin of runOrigins) {
      expect(value(before, 'service_runs_created_total', { origin })).toBe(0);
    }
    for (const kind of waitKinds) expect(value(before, 'service_step_waits_total', { for: kind })).toBe(0);
    const { 'execution.created': created, 'step.waiting': waiting } = eventsByType();
    append(metrics, 'a', ...runOrigins.map((origin) => ({ ...created, origin })));
    append(metrics, 'a', { ...created, origin: 'schedule' });
    append(metrics, 'a', ...waitKinds.map((kind) => ({ ...waiting, for: kind })));
    const after = await scrape(metrics);
    expect(runOrigins.map((origin) => value(after, 'service_runs_created_total', { origin }))).toEqual([
      1, 1, 1, 2,
    ]);
    expect(waitKinds.map((kind) => value(after, 'service_step_waits_total', { for: kind }))).toEqual([
      1, 1, 1, 1,
    ]);
  });

  test('count cancel requests, retries and reruns, and no copied step', async () => {
    const { metrics, engine } = createMeasuredEngine();
    engine.tool('quick', () => ({}));
    engine.tool('slow', (_input, { signal }) => {
      if (signal.aborted) throw signal.reason;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    });
    const { id } = await engine.define(callTool('a', 'quick'), callTool('b', 'slow', {}, ['a']));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    expect(await gauges(metrics)).toEqual([0, 1]);
    const request = { by: 'api', reason: null };
    await engine.control.cancel(runId, request);
    await settle();
    expect(await gauges(metrics)).toEqual([0, 0]);
    await engine.control.retry(runId, { by: 'api' });
    await settle();
    expect(await gauges(metrics)).toEqual([0, 1]);
    await engine.control.cancel(runId, request);
    await settle();
    const rerun = await engine.control.rerun(runId, { fromStep: 'b', background: true });
    await settle();
    await engine.control.cancel(rerun.runId, request);
    await settle();
    const families = await scrape(metrics);
    expect(byStatus(families, 'service_runs_total', runStates)).toEqual([0, 0, 3]);
    expect(byStatus(families, 'service_steps_total', stepStates)).toEqual([1, 0, 3, 0]);
    expect(value(families, 'service_run_cancel_requests_total')).toBe(3);
    expect(value(families, 'service_run_retries_total')).toBe(1);
    expect(value(families, 'service_runs_created_total', { origin: 'api' })).toBe(1);
    expect(value(families, 'service_runs_created_total', { origin: 'rerun' })).toBe(1);
    expect(await gauges(metrics)).toEqual([0, 0]);
  });

  test('show how many runs wait and run now', async () => {
    const { metrics, engine } = createMeasuredEngine({ maxBackgroundRuns: 2 });
    const gates: (() => void)[] = [];
    engine.tool('gate', () => new Promise((resolve) => gates.push(() => resolve({}))));
    const { id } = await engine.define(callTool('a', 'gate'));
    const runIds: string[] = [];
    for (let run = 0; run < 5; run++) {
      runIds.push((await engine.workflows.run(id, { background: true })).runId);
    }
    await settle();
    expect(await gauges(metrics)).toEqual([3, 2]);
    const foreground = engine.workflows.run(id);
    await settle();
    expect(await gauges(metrics)).toEqual([3, 3]);
    await engine.control.cancel(runIds[4] ?? '', { by: 'api', reason: null });
    await settle();
    expect(await gauges(metrics)).toEqual([2, 3]);
    for (let turn = 0; turn < 5; turn++) {
      for (const open of gates.splice(0)) open();
      await settle();
    }
    await foreground;
    expect(await gauges(metrics)).toEqual([0, 0]);
  });

  test('count the end of a run of another process, which never counts as running here', async () => {
    const metrics = createMetrics();
    append(metrics, 'foreign', draft('step.failed'), draft('step.skipped'), {
      type: 'execution.failed',
      error: 'interrupted',
      durationMs: null,
    });
    const families = await scrape(metrics);
    expect(byStatus(families, 'service_runs_total', runStates)).toEqual([0, 1, 0]);
    expect(byStatus(families, 'service_steps_total', stepStates)).toEqual([0, 1, 0, 1]);
    expect(value(families, 'service_run_latency_seconds_count', { status: 'FAILED' })).toBeUndefined();
    expect(value(families, 'service_runs_running')).toBe(0);
  });

  test('show a run that another process accepted as running here, from its start or its recovery on', async () => {
    const metrics = createMetrics();
    append(metrics, 'started', draft('execution.started'));
    append(metrics, 'recovered', draft('execution.recovered'));
    expect(await runsRunning(metrics)).toBe(2);
    append(metrics, 'recovered', draft('execution.started'), draft('execution.recovered'));
    expect(await runsRunning(metrics)).toBe(2);
    append(metrics, 'started', draft('execution.completed'));
    append(metrics, 'recovered', draft('execution.failed'));
    const families = await scrape(metrics);
    expect(value(families, 'service_runs_running')).toBe(0);
    expect(value(families, 'service_run_recoveries_total')).toBe(2);
    expect(byStatus(families, 'service_runs_total', runStates)).toEqual([1, 1, 0]);
  });

  test.each(['handed_over', 'lost'] as const)('show a run no longer that was %s', async (reason) => {
    const metrics = createMetrics();
    append(metrics, 'other', draft('execution.started'));
    append(metrics, 'run', draft('execution.created'), draft('execution.started'));
    expect(await runsRunning(metrics)).toBe(2);
    metrics.sink({ type: 'run.released', runId: 'run', workflowId: 'w', reason });
    metrics.sink({ type: 'run.released', runId: 'unknown', workflowId: 'w', reason });
    const families = await scrape(metrics);
    expect(value(families, 'service_runs_running')).toBe(1);
    expect(byStatus(families, 'service_runs_total', runStates)).toEqual([0, 0, 0]);
    append(metrics, 'run', draft('execution.recovered'));
    expect(await runsRunning(metrics)).toBe(2);
  });

  test('show a run no longer whose end another process has written', async () => {
    const metrics = createMetrics();
    append(metrics, 'lost', draft('execution.started'));
    expect(await runsRunning(metrics)).toBe(1);
    metrics.sink({
      type: 'run.finished',
      runId: 'lost',
      workflowId: 'w',
      status: 'FAILED',
      error: 'interrupted',
      cancelledBy: null,
      durationMs: 1,
    });
    const families = await scrape(metrics);
    expect(value(families, 'service_runs_running')).toBe(0);
    expect(byStatus(families, 'service_runs_total', runStates)).toEqual([0, 0, 0]);
  });

  test('accept every type of event, and make no series from what it contains', async () => {
    const metrics = createMetrics();
    const fill = (from: number): void => {
      for (let run = from; run < from + 200; run++) append(metrics, `run-${run}`, ...everyEvent());
    };
    const series = async () => {
      const families = [...(await scrape(metrics))].filter(([name]) => /^service_(run|step)/.test(name));
      return families.flatMap(([, { samples }]) => samples).length;
    };
    fill(0);
    const before = await series();
    fill(200);
    expect(await series()).toBe(before);
    expect(await runsRunning(metrics)).toBe(0);
  });
});

describe('the gauge of waiting runs', () => {
  const waiting = async (metrics: Metrics) => value(await scrape(metrics), 'service_runs_waiting');

  test('is asked for each time that the metrics are read', async () => {
    let depth = 3;
    const metrics = createMetrics({ runsWaiting: async () => depth });
    expect(await waiting(metrics)).toBe(3);
    depth = 5;
    expect(await waiting(metrics)).toBe(5);
  });

  test('does not exist where nobody can be asked', async () => {
    expect(await waiting(createMetrics())).toBeUndefined();
  });

  test.each([
    ['fails', () => Promise.reject(new Error('away'))],
    ['throws', () => expect.fail('away')],
    ['does not answer', () => new Promise<number>(() => {})],
  ])('keeps its last value where the queue %s, and holds up no other metric', async (_how, fails) => {
    let runsWaiting: () => Promise<number> = async () => 3;
    const metrics = createMetrics({ runsWaiting: () => runsWaiting() });
    expect(await waiting(metrics)).toBe(3);
    runsWaiting = fails;
    append(metrics, 'run', draft('execution.started'));
    expect(await gauges(metrics)).toEqual([3, 1]);
    runsWaiting = async () => 4;
    expect(await waiting(metrics)).toBe(4);
  });
});
