import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';
import {
  append,
  ended,
  endOf,
  newRun,
  running,
  sampleDefinition,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

const firstPage = { limit: 50, offset: 0 };
const at = (second: number) => `2026-10-01T08:00:0${second}.000Z`;
const ms = (second: number) => Date.parse(at(second));

const pending = (stepId: string, kind: string, layer: number) => ({
  ...{ stepId, kind, status: 'PENDING', layer, attempts: 0, output: null, error: null },
  ...{ startedAt: null, completedAt: null, durationMs: null },
});
const steps = [pending('a', 'tool', 0), pending('b', 'agent', 0), pending('c', 'tool', 1)];

const summary = {
  ...{ executionId: 'execution-1', workflowId: 'workflow-1', workflowName: 'Refunds', status: 'PENDING' },
  ...{ background: true, input: { order: 'A-1', createdAt: 'never' }, error: null, createdAt: at(0) },
  ...{ startedAt: null, completedAt: null, durationMs: null },
};

/** A run as version 0.6.0 stored it. */
const failedRun = {
  workflow: 'workflow-1',
  status: 'FAILED',
  summary: JSON.stringify(summary),
  results: JSON.stringify(steps),
  'step:0': JSON.stringify({
    ...{ ...steps[0], status: 'COMPLETED', attempts: 1, output: { ok: true } },
    ...{ startedAt: at(1), completedAt: at(3), durationMs: 2_000 },
  }),
  'step:1': JSON.stringify({
    ...{ ...steps[1], status: 'FAILED', attempts: 2, error: 'no order' },
    ...{ startedAt: at(1), completedAt: at(2), durationMs: 1_000 },
  }),
  'step:2': JSON.stringify({ ...steps[2], status: 'SKIPPED' }),
  state: JSON.stringify({
    ...{
      status: 'FAILED',
      error: 'step "b" failed',
      startedAt: at(1),
      completedAt: at(3),
      durationMs: 2_000,
    },
  }),
};

async function store(prefix: string, fields: Record<string, string>): Promise<void> {
  await server.command('HSET', `${prefix}execution:execution-1`, ...Object.entries(fields).flat());
  const score = String(Date.now() * 1_000);
  await server.command('ZADD', `${prefix}index:execution:workflow-1`, score, 'execution-1');
}

const expectedEvents = [
  {
    ...{ seq: 1, type: 'execution.created', at: ms(0), workflowName: 'Refunds', version: 1 },
    ...{ background: true, origin: 'api', input: { order: 'A-1', createdAt: 'never' }, rerunOf: null },
  },
  { seq: 2, type: 'execution.started', at: ms(1), attempt: 1 },
  { seq: 3, type: 'layer.started', at: ms(1), layer: 0, steps: ['a', 'b'] },
  { seq: 4, type: 'step.started', at: ms(1), stepId: 'a', kind: 'tool', layer: 0, attempt: 1 },
  { seq: 5, type: 'step.started', at: ms(1), stepId: 'b', kind: 'agent', layer: 0, attempt: 1 },
  {
    ...{ seq: 6, type: 'step.failed', at: ms(2), stepId: 'b', attempts: 2, durationMs: 1_000 },
    ...{ error: 'no order', startedAt: ms(1) },
  },
  {
    ...{ seq: 7, type: 'step.completed', at: ms(3), stepId: 'a', attempts: 1, durationMs: 2_000 },
    ...{ output: { ok: true }, startedAt: ms(1) },
  },
  { seq: 8, type: 'step.skipped', at: ms(3), stepId: 'c', why: 'failed_before' },
  { seq: 9, type: 'execution.failed', at: ms(3), error: 'step "b" failed', durationMs: 2_000 },
];

describe('a run of version 0.6 in Redis', () => {
  test('is read as a log, and listed', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const log = adapters.runLog;
    await store(prefix, failedRun);
    const found = await log.get('execution-1');
    expect(found).toMatchObject({ runId: 'execution-1', workflowId: 'workflow-1' });
    expect(found?.events).toEqual(expectedEvents);
    expect(found?.definition).toMatchObject({
      ...{ id: 'workflow-1', name: 'Refunds', layers: [['a', 'b'], ['c']] },
      steps: [
        { id: 'a', kind: 'tool' },
        { id: 'b', kind: 'agent' },
        { id: 'c', dependsOn: ['a', 'b'] },
      ],
    });
    expect(await log.read('execution-1', 7, 1)).toEqual({
      ...{ events: expectedEvents.slice(7, 8), lastSeq: 9, ended: true },
    });
    await log.changed('execution-1', 9, new AbortController().signal);
    const { executionId: runId, ...rest } = summary;
    const { state } = failedRun;
    const added = {
      ...{
        waitingFor: [],
        version: 1,
        attempt: 1,
        recoveries: 0,
        recoveriesWithoutProgress: 0,
        rerunOf: null,
      },
      ...{ parentRunId: null, customerId: null, output: null, wakeAt: null },
    };
    const now = { runId, ...rest, ...JSON.parse(state), ...added };
    expect(await log.summary('execution-1')).toEqual(now);
    expect((await log.list('workflow-1', {}, firstPage)).items).toEqual([now]);
    const since = ms(0);
    for (const filter of [{ statuses: ['FAILED' as const] }, { since, until: since + 1 }]) {
      expect(await log.list('workflow-1', filter, firstPage)).toMatchObject({ total: 1, items: [now] });
    }
    expect((await log.list('workflow-1', { since: since + 1 }, firstPage)).total).toBe(0);
    await log.create(newRun('newer', { workflowId: 'workflow-2' }));
    expect((await log.listAll({}, { limit: 1 })).items).toMatchObject([{ runId: 'newer' }]);
    expect((await log.listAll({ since, until: since + 1 }, { limit: 10 })).items).toEqual([now]);
    expect((await log.listAll({}, { limit: 10 })).items).toHaveLength(2);
  });

  test('has the definition that is stored', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    await store(prefix, failedRun);
    const workflow = {
      ...{ id: 'workflow-1', name: 'Refunds', description: 'd', layers: [['a', 'b'], ['c']], warnings: [] },
      ...{ steps: [], createdAt: at(0) },
    };
    await server.command('HSET', `${prefix}workflows:workflow-1`, 'record', JSON.stringify(workflow));
    expect((await adapters.runLog.get('execution-1'))?.definition).toEqual({ ...workflow, version: 1 });
  });

  test('has the first version, also after its workflow was changed', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    await store(prefix, failedRun);
    const first = { ...sampleDefinition('workflow-1'), name: 'Refunds' };
    const { version: _, ...stored } = first;
    await server.command('HSET', `${prefix}workflows:workflow-1`, 'record', JSON.stringify(stored));
    expect(await adapters.definitions.replace({ ...first, version: 2, name: 'changed' })).toBe('replaced');
    expect((await adapters.runLog.get('execution-1'))?.definition).toEqual(first);
    for (let version = 3; version <= 101; version++)
      await adapters.definitions.replace({ ...first, version });
    expect((await adapters.runLog.get('execution-1'))?.definition).toMatchObject({
      version: 1,
      description: '',
    });
  });

  test('has a workflow whose only version is the first one', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const { version: _, ...stored } = sampleDefinition('old');
    await server.command('HSET', `${prefix}workflows:old`, 'record', JSON.stringify(stored));
    await server.command('ZADD', `${prefix}index:workflows`, '1', 'old');
    const { definitions } = adapters;
    const first = sampleDefinition('old');
    expect(await definitions.get('old')).toEqual(first);
    expect(await definitions.version('old', 1)).toEqual(first);
    expect(await definitions.versions('old', firstPage)).toEqual({ total: 1, ...firstPage, items: [first] });
    expect((await definitions.list(firstPage)).items).toEqual([first]);
    expect(await definitions.replace({ ...first, version: 3 })).toBe('conflict');
    expect(await definitions.replace({ ...first, version: 2 })).toBe('replaced');
    expect(await definitions.version('old', 1)).toEqual(first);
    // What a replica of 0.6 sends to delete a definition.
    await server.command('DEL', `${prefix}workflows:old`);
    expect(await definitions.version('old', 1)).toBeUndefined();
    expect(await definitions.versions('old', firstPage)).toBeUndefined();
  });

  test('goes on after its last event, and keeps its retention', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const log = adapters.runLog;
    await store(prefix, failedRun);
    await server.command('PEXPIRE', `${prefix}execution:execution-1`, '500000');
    expect(await append(log, 'execution-1', 8, [stepStarted('b')], running(2))).toBe('conflict');
    expect(await append(log, 'execution-1', 9, [stepStarted('b')], running(2))).toBe('appended');
    expect(await append(log, 'execution-1', 10, [endOf()], ended('COMPLETED', 2))).toBe('appended');
    expect((await log.get('execution-1'))?.events.slice(0, 9)).toEqual(expectedEvents);
    expect(await log.read('execution-1', 9, 10)).toMatchObject({ lastSeq: 11, ended: true });
    expect(await log.summary('execution-1')).toMatchObject({ status: 'COMPLETED', attempt: 2 });
    expect((await log.listAll({}, { limit: 5 })).items).toHaveLength(1);
    const remaining = Number(await server.command('PTTL', `${prefix}events:execution-1`));
    expect(remaining).toBeGreaterThan(400_000);
    expect(remaining).toBeLessThanOrEqual(500_000);
    expect(await log.delete('execution-1')).toBe(true);
    expect((await log.list('workflow-1', {}, firstPage)).total).toBe(0);
  });

  test('that a replica of that version ended in spite of a cancel can be retried to its end', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const log = adapters.runLog;
    await store(prefix, { ...failedRun, signal: '{"type":"cancel","by":"api","reason":null}' });
    expect(await append(log, 'execution-1', 9, [stepStarted('b')], running(2))).toBe('appended');
    expect(await append(log, 'execution-1', 10, [endOf()], ended('COMPLETED', 2))).toBe('appended');
  });

  test('is handed over when its replica is gone', async () => {
    const { adapters, prefix } = await stores.make(server.url, quickTimes);
    const log = adapters.runLog;
    const active = {
      ...failedRun,
      ...{ status: 'RUNNING', state: JSON.stringify({ status: 'RUNNING', startedAt: at(1) }) },
      'step:2': JSON.stringify({ ...steps[2], status: 'RUNNING', startedAt: at(4) }),
    };
    await store(prefix, active);
    await server.command('SADD', `${prefix}running:old-replica`, 'execution-1');
    await server.command('ZADD', `${prefix}processes`, String(Date.now() - 60_000), 'old-replica');
    const abandoned: string[] = [];
    log.listen({
      onSignal: () => undefined,
      onLost: () => undefined,
      async onAbandoned(runId) {
        abandoned.push(runId);
        const { lastSeq } = (await log.read(runId, 0, 0)) ?? expect.fail();
        expect(await append(log, runId, lastSeq, [endOf('FAILED')], ended('FAILED'))).toBe('appended');
      },
    });
    await until('it has ended', async () => (await log.summary('execution-1'))?.status === 'FAILED');
    await until('it is not active', async () => (await server.keys(`${prefix}running:old`)).length === 0);
    expect(abandoned).toEqual(['execution-1']);
  });
});

describe('a new run in Redis', () => {
  test('is listed and found by version 0.6, which does not find it among those that it may end', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    await adapters.runLog.create(newRun('a'));
    await append(adapters.runLog, 'a', 1, [endOf('FAILED')], ended('FAILED'));
    const field = async (name: string): Promise<object> =>
      JSON.parse(String(await server.command('HGET', `${prefix}execution:a`, name)));
    expect(Object.keys(await field('summary'))).toEqual(expect.arrayContaining(Object.keys(summary)));
    expect(await field('summary')).toMatchObject({ executionId: 'a' });
    expect(await field('state')).toMatchObject({ status: 'FAILED', error: 'run failed' });
    expect(await field('results')).toEqual([]);
    expect(await server.keys(`${prefix}running`)).toEqual([]);
  });
});
