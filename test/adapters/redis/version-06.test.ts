import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, type Ended, runToEnd, type Service, startService } from '../../support/process/service.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';

/** The commands that write what version 0.6.0 had in Redis when it was killed in the middle of a run. */
const text = readFileSync(new URL('version-06.jsonl', import.meta.url), 'utf8');

/** The time of the last thing that it wrote. */
const WRITTEN_AT = Date.parse('2026-11-29T08:04:03.000Z');

/** Its times moved to an hour ago, so that nothing has expired. Epochs are in milliseconds or microseconds. */
const commands = ((shiftMs: number) =>
  text
    .replaceAll(/2026-11-29T[\d:.]+Z/g, (time) => new Date(Date.parse(time) + shiftMs).toISOString())
    .replaceAll(/\b179\d{10}\b/g, (ms) => String(Number(ms) + shiftMs))
    .replaceAll(/\b179\d{13}\b/g, (us) => String(Number(us) + 1_000 * shiftMs))
    .split('\n')
    .filter((line) => line !== '')
    .map((line): string[] => JSON.parse(line)))(Date.now() - 3_600_000 - WRITTEN_AT);

const ids = {
  workflow: '01a22655-1c19-7000-a1ad-c3a2b09a8e9b',
  stock: '01a22655-1d34-7000-a7e2-98b8364ebb24',
  deleted: '01a22655-1e27-7000-83fd-751993639b90',
  completed: '01a22655-1e8e-7000-9040-061b373c813d',
  failed: '01a22655-1ece-7000-97f0-623beb8c6512',
  background: '01a22655-1f3c-7000-b2f1-5d061351e2ba',
  ofDeleted: '01a22655-1f6b-7000-8333-bc402a16a060',
  underWay: '01a22655-202d-7000-a5a2-2a439c20d5d8',
  answered: '01a22655-1a8f-7000-89b5-1f37086bf744',
  escalated: '01a22655-1b11-7000-b172-bb35e23c0856',
  routed: '01a22655-1fc7-7000-940a-9e82a5ed3642',
  unrouted: '01a22655-1ffc-7000-82b6-5143258e16df',
};

const carriedLines = [
  'workflows: 2 carried, 0 skipped, 0 expired, 0 unreadable',
  'traces: 4 carried, 0 skipped, 0 expired, 0 unreadable',
  'routes: 2 carried, 0 skipped, 0 expired, 0 unreadable',
  'runs: 5 carried, 0 skipped, 0 expired, 0 unreadable',
  '',
].join('\n');

let server: RedisServer;
const running: Service[] = [];
let stores = 0;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});
afterAll(() => server.close());

/** Loads the store under a prefix of its own. */
async function loadStore(): Promise<string> {
  const prefix = `store-${++stores}*:`;
  for (const [command = '', key = '', ...rest] of commands)
    await server.command(command, key.replace('orchestration:', prefix), ...rest);
  return prefix;
}

const settingsOf = (prefix: string) => ({
  KVSTORE_URL: server.url,
  KVSTORE_PREFIX: prefix,
  KVSTORE_TIMEOUT_MS: '5000',
});

function migrate(prefix: string, ...args: readonly string[]): Promise<Ended> {
  return runToEnd(settingsOf(prefix), undefined, ['migrate', ...args]);
}

async function startOn(prefix: string): Promise<(path: string) => Promise<Record<string, unknown>>> {
  const service = await startService({
    ...settingsOf(prefix),
    TRACE_BACKEND: 'kvstore',
    RUN_RETENTION_DAYS: '30',
  });
  running.push(service);
  return async (path) => bodyOf(await fetch(`${service.baseUrl}${path}`));
}

describe('records of version 0.6.0 in Redis', () => {
  test('are all served by this version once they are carried over', { timeout: 120_000 }, async () => {
    const prefix = await loadStore();
    const before = await server.keys(prefix);
    expect(await migrate(prefix)).toMatchObject({ code: 0, stdout: carriedLines, stderr: '' });
    expect(await server.keys(prefix)).toEqual(expect.arrayContaining(before));
    const read = await startOn(prefix);

    const traces = await read('/trace/');
    expect(traces).toMatchObject({
      total: 4,
      traces: [
        { customer_id: 'agent' },
        { customer_id: 'customer-3', intent: 'refund' },
        { trace_id: ids.escalated },
        { trace_id: ids.answered },
      ],
    });
    expect(await read('/trace/?customer_id=customer-1')).toMatchObject({ total: 1 });
    expect(await read(`/trace/${ids.escalated}`)).toMatchObject({
      customer_id: 'customer-2',
      escalated: true,
      disposition: 'escalated',
      prepared: null,
      subject: null,
      concerns: [],
      item_id: null,
    });
    const answered = await read(`/trace/${ids.answered}`);
    expect(answered).toMatchObject({
      source: 'email',
      message: 'Where is my order A-1234?',
      disposition: 'answered',
    });
    expect(answered['state_transitions']).toHaveLength(6);

    expect(await read('/workflows')).toMatchObject({
      total: 2,
      workflows: [{ id: ids.stock }, { id: ids.workflow, description: 'Two steps', version: 1 }],
    });
    expect(await read(`/workflows/${ids.workflow}`)).toMatchObject({
      steps: [{ id: 'policy' }, { id: 'short', depends_on: ['policy'] }],
    });

    expect(await read('/runs')).toMatchObject({
      executions: [ids.underWay, ids.ofDeleted, ids.background, ids.failed, ids.completed].map(
        (execution_id) => ({ execution_id }),
      ),
    });
    expect(await read(`/runs/${ids.completed}`)).toMatchObject({
      status: 'COMPLETED',
      version: 1,
      duration_ms: 11.304,
      step_results: {
        policy: { status: 'COMPLETED', attempts: 1, output: { window_days: 30 } },
        short: { status: 'COMPLETED', duration_ms: 2.959 },
      },
    });
    expect(await read(`/runs/${ids.failed}`)).toMatchObject({
      status: 'FAILED',
      input: { sku: 'none' },
      error: 'step "count" failed: the tool failed unexpectedly',
      step_results: { count: { status: 'FAILED', attempts: 3 }, say: { status: 'SKIPPED' } },
    });
    expect(await read(`/runs/${ids.background}`)).toMatchObject({ status: 'COMPLETED', background: true });
    expect(await read(`/runs/${ids.ofDeleted}`)).toMatchObject({
      workflow_name: 'Deleted later',
      step_results: { one: { status: 'COMPLETED' } },
    });
    const events = await read(`/workflows/${ids.workflow}/runs/${ids.completed}/events`);
    expect(events).toMatchObject({
      events: [
        'execution.created',
        'execution.started',
        'layer.started',
        'step.started',
        'step.completed',
        'layer.started',
        'step.started',
        'step.completed',
        'execution.completed',
      ].map((type) => ({ type })),
    });

    expect(await read(`/agents/routes/${ids.routed}`)).toMatchObject({
      status: 'completed',
      results: [{ agent_name: 'support_pipeline', output: { intent: 'order_status' } }, {}],
    });
    expect(await read(`/agents/routes/${ids.unrouted}`)).toMatchObject({ status: 'failed', results: [] });
  });

  test('of a run that had not ended are those of an interrupted one', { timeout: 60_000 }, async () => {
    const prefix = await loadStore();
    expect(await migrate(prefix)).toMatchObject({ code: 0 });
    const read = await startOn(prefix);
    expect(await read(`/runs/${ids.underWay}`)).toMatchObject({
      status: 'FAILED',
      error: 'interrupted',
      input: { sku: 'lost' },
      step_results: {
        count: { status: 'FAILED', error: 'interrupted' },
        say: { status: 'SKIPPED' },
      },
    });
  });

  test('stay deleted when they are carried over again', { timeout: 60_000 }, async () => {
    const prefix = await loadStore();
    await migrate(prefix);
    const read = await startOn(prefix);
    await fetch(`${running[0]?.baseUrl}/trace/${ids.answered}`, { method: 'DELETE' });
    const again = await migrate(prefix);
    expect(again).toMatchObject({
      code: 0,
      stdout: carriedLines.replaceAll(/(\d) carried, 0/g, '0 carried, $1'),
    });
    expect(await read('/trace/')).toMatchObject({ total: 3 });
    expect(await read('/runs')).toMatchObject({ executions: Array.from({ length: 5 }, () => ({})) });
  });

  test('are carried over by the second call where the first was interrupted', {
    timeout: 60_000,
  }, async () => {
    const prefix = await loadStore();
    await migrate(prefix);
    await server.command('DEL', `${prefix}migrated-from-0.6`);
    const { code, stdout } = await migrate(prefix);
    expect(code).toBe(0);
    expect(stdout).toBe(carriedLines.replaceAll(/(\d) carried, 0/g, '0 carried, $1'));
  });

  test('are deleted on request, and nothing else is', { timeout: 60_000 }, async () => {
    const prefix = await loadStore();
    const old = await server.keys(prefix);
    await server.command('SET', `${prefix}rate:client`, '1');
    const { code, stdout } = await migrate(prefix, '--delete');
    expect(code).toBe(0);
    expect(stdout).toBe(`${carriedLines}deleted: ${old.length} keys of 0.6\n`);
    const left = await server.keys(prefix);
    expect(left.filter((key) => old.includes(key))).toEqual([]);
    expect(left).toContain(`${prefix}rate:client`);
    const read = await startOn(prefix);
    expect(await read('/trace/')).toMatchObject({ total: 4 });
  });

  test('that cannot be read are told, and then nothing is deleted', { timeout: 60_000 }, async () => {
    const prefix = await loadStore();
    await server.command('HSET', `${prefix}traces:${ids.answered}`, 'record', 'damaged');
    await server.command('DEL', `${prefix}routes:${ids.routed}`, `${prefix}execution:${ids.failed}`);
    await server.command('SET', `${prefix}routes:${ids.routed}`, 'of another program');
    const old = await server.keys(prefix);
    const { code, stdout, stderr } = await migrate(prefix, '--delete');
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'workflows: 2 carried, 0 skipped, 0 expired, 0 unreadable',
      `traces: 3 carried, 0 skipped, 0 expired, 1 unreadable ("${ids.answered}")`,
      `routes: 1 carried, 0 skipped, 0 expired, 1 unreadable ("${ids.routed}")`,
      'runs: 4 carried, 0 skipped, 1 expired, 0 unreadable',
      '',
    ]);
    expect(stderr).toBe('2 unreadable records of 0.6 were not carried over; nothing was deleted\n');
    expect(await server.keys(prefix)).toEqual(expect.arrayContaining(old));
  });

  test('are not carried over once their retention has ended', { timeout: 60_000 }, async () => {
    const prefix = await loadStore();
    const key = `${prefix}traces:${ids.answered}`;
    const record = JSON.parse(String(await server.command('HGET', key, 'record')));
    const createdAt = new Date(Date.now() - 400 * 86_400_000).toISOString();
    await server.command('HSET', key, 'record', JSON.stringify({ ...record, createdAt }));
    const { code, stdout } = await migrate(prefix);
    expect(code).toBe(0);
    expect(stdout).toContain('traces: 3 carried, 0 skipped, 1 expired, 0 unreadable\n');
  });

  test('prevent the start until they are carried over', { timeout: 60_000 }, async () => {
    const prefix = await loadStore();
    const ended = await runToEnd({ ...settingsOf(prefix), TRACE_BACKEND: 'kvstore', PORT: '0' });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe(
      `KVSTORE_PREFIX: there are records of version 0.6 under "${prefix}"; carry them over with ` +
        '`orchestration-service migrate`, or set another KVSTORE_PREFIX\n',
    );
  });

  test('do not matter to a service that keeps only the rate limit there', { timeout: 60_000 }, async () => {
    const prefix = await loadStore();
    const service = await startService({ ...settingsOf(prefix), RATE_LIMIT_BACKEND: 'kvstore' });
    running.push(service);
    expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200);
  });

  test('are refused while a process of 0.6 is there', { timeout: 60_000 }, async () => {
    const prefix = await loadStore();
    await server.command('ZADD', `${prefix}processes`, String(Date.now()), 'replica');
    const { code, stdout, stderr } = await migrate(prefix);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('a process of version 0.6 uses these records');
  });
});

describe('a service whose Redis comes after its start', () => {
  test('serves no records until those of 0.6 are carried over', { timeout: 90_000 }, async () => {
    const late = await startRedisServer();
    try {
      const prefix = 'late:';
      for (const [command = '', key = '', ...rest] of commands)
        await late.command(command, key.replace('orchestration:', prefix), ...rest);
      await late.kill();
      const settings = { KVSTORE_URL: late.url, KVSTORE_PREFIX: prefix };
      const service = await startService({ ...settings, TRACE_BACKEND: 'kvstore' });
      running.push(service);
      await late.restart();
      const refused = () =>
        service.log().filter(({ level, msg }) => level === 'error' && String(msg).includes('0.6'));
      await expect.poll(() => refused().length, { timeout: 20_000 }).toBe(1);
      expect((await fetch(`${service.baseUrl}/trace/`)).status).toBe(503);
      expect(await runToEnd(settings, undefined, ['migrate'])).toMatchObject({ code: 0 });
      const status = async () => (await fetch(`${service.baseUrl}/trace/`)).status;
      await expect.poll(status, { timeout: 20_000 }).toBe(200);
      expect(refused()).toHaveLength(1);
    } finally {
      await late.close();
    }
  });
});

describe('the command `migrate`', () => {
  test('refuses to start without a store, and with arguments that it does not know', async () => {
    const without = await runToEnd({}, undefined, ['migrate']);
    expect(without).toMatchObject({ code: 1, stdout: '' });
    expect(without.stderr).toBe('KVSTORE_URL: must be set to the Redis that has the records of 0.6\n');
    const away = await runToEnd({ KVSTORE_URL: 'redis://:canary@127.0.0.1:1' }, undefined, ['migrate']);
    expect(away).toMatchObject({ code: 1, stdout: '', stderr: 'KVSTORE_URL: the store cannot be reached\n' });
    expect(await runToEnd({}, undefined, ['migrate', '--all'])).toMatchObject({ code: 2, stdout: '' });
  }, 60_000);

  test('has nothing to carry over in an empty store', { timeout: 60_000 }, async () => {
    const { code, stdout } = await migrate('empty:');
    expect(code).toBe(0);
    expect(stdout).toBe(carriedLines.replaceAll(/\d carried/g, '0 carried'));
  });
});
