import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createStepLog } from '../support/faults/run.ts';
import { bodyOf, postJson, startService } from '../support/process/service.ts';
import { type RedisServer, startRedisServer } from '../support/redis/server.ts';
import { until } from '../support/until.ts';

const cleanups: (() => unknown)[] = [];
let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedisServer();
});
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});
afterAll(() => redis.close());

const key = { 'Idempotency-Key': '"order-1"' };

const message = { customer_id: 'c-1', message: 'I want a refund for my broken blender.' };

/** Starts services whose tool `log_step` writes a line for each execution, and creates a workflow of that step. */
async function startServices(count: number, settings: Record<string, string>) {
  const log = await createStepLog();
  cleanups.push(() => log.remove());
  const env = { EXTENSIONS: log.extension, RATE_LIMIT_REQUESTS: '100000', ...settings };
  const services = await Promise.all(Array.from({ length: count }, () => startService(env)));
  for (const service of services) cleanups.push(() => service.stop());
  const bases = services.map(({ baseUrl }) => baseUrl);
  const createRun = async (ms: number): Promise<string> => {
    const steps = [{ id: 'one', tool_name: 'log_step', static_input: { ms } }];
    const workflow = await bodyOf<{ id: string }>(
      await postJson(`${bases[0]}/workflows`, { name: 'w', steps }),
    );
    return `/workflows/${workflow.id}/run`;
  };
  const executions = async (): Promise<number> => {
    const steps = await log.readExecutedSteps();
    return [...steps.values()].reduce((sum, times) => sum + times, 0);
  };
  return { services, bases, createRun, executions };
}

/** Repeats a request until it is answered with something else than 409. */
async function postUntilAnswered(
  url: string,
  body: object,
  headers: Record<string, string>,
): Promise<Response> {
  for (;;) {
    const reply = await postJson(url, body, headers);
    if (reply.status !== 409) return reply;
    expect(reply.headers.get('retry-after')).toBe('1');
    await reply.arrayBuffer();
    await sleep(50);
  }
}

const kinds = [
  ['one process with memory', 1, () => ({})],
  ['two processes on one Redis', 2, () => ({ TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url })],
] as const;

describe.each(kinds)('fifty equal requests at once to %s', (_name, count, settings) => {
  test('do their work once and get one answer', async () => {
    const { bases, createRun, executions } = await startServices(count, settings());
    const requests = [
      [await createRun(300), {}, { 'Idempotency-Key': 'a' }],
      [await createRun(100), { background: true }, { 'Idempotency-Key': 'b' }],
      ['/messages', message, { 'Idempotency-Key': crypto.randomUUID() }],
    ] as const;
    for (const [path, body, headers] of requests) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          postUntilAnswered(`${bases[index % count]}${path}`, body, headers),
        ),
      );
      expect(replies.filter((reply) => !reply.headers.has('idempotency-replayed'))).toHaveLength(1);
      const ids = replies.map((reply) => reply.headers.get('location') ?? reply.headers.get('x-trace-id'));
      const texts = new Set(await Promise.all(replies.map((reply) => reply.text())));
      expect(new Set(ids).size).toBe(1);
      // A background run goes on meanwhile: its record is the same, its state may not be.
      if (path === '/messages' || !('background' in body)) expect(texts.size).toBe(1);
    }
    await until('both runs have ended', async () => (await executions()) === 2);
    const traces = await bodyOf<{ traces: { trace_id: string }[] }>(await fetch(`${bases[0]}/trace/`));
    expect(traces.traces).toHaveLength(1);
  });
});

describe('a client that disconnects before the answer', () => {
  test('gets it by repeating the request', async () => {
    const { bases, createRun, executions } = await startServices(1, {});
    const url = `${bases[0]}${await createRun(500)}`;
    const aborted = fetch(url, { method: 'POST', headers: key, signal: AbortSignal.timeout(200) });
    await expect(aborted).rejects.toThrow();
    await until('the run has ended', async () => {
      const again = await fetch(url, { method: 'POST', headers: key });
      return again.status === 200 && again.headers.get('idempotency-replayed') === 'true';
    });
    expect(await executions()).toBe(1);
  });
});

describe('the setting IDEMPOTENCY_TTL_SECONDS', () => {
  test('says how long an answer is kept', async () => {
    const settings = { TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url, KVSTORE_PREFIX: 'ttl:' };
    const { bases } = await startServices(1, { ...settings, IDEMPOTENCY_TTL_SECONDS: '1' });
    const send = async () => (await postJson(`${bases[0]}/messages`, message, key)).headers.get('x-trace-id');
    const first = await send();
    expect(await send()).toBe(first);
    await sleep(1_500);
    expect(await send()).not.toBe(first);
    const metrics = await (await fetch(`${bases[0]}/metrics`)).text();
    expect(metrics).toContain('service_idempotency_total{outcome="claimed"} 2');
    expect(metrics).toContain('service_idempotency_total{outcome="replayed"} 1');
  });
});

describe('when the process of the first request is killed', () => {
  const program = fileURLToPath(new URL('../support/redis/idempotent-replica.ts', import.meta.url));

  async function prepare(...kindsOfReplicas: readonly string[]) {
    const folder = await mkdtemp(join(tmpdir(), 'idempotency-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'lines.txt');
    await writeFile(file, '');
    const prefix = `kill-${crypto.randomUUID()}:`;
    const start = async (kind: string): Promise<{ child: ChildProcess; url: string }> => {
      const child = fork(program, [redis.url, prefix, file, kind]);
      cleanups.push(() => child.kill('SIGKILL'));
      const [port] = await once(child, 'message');
      return { child, url: `http://127.0.0.1:${port}` };
    };
    const [first, second] = await Promise.all(kindsOfReplicas.map(start));
    if (first === undefined || second === undefined) throw new Error('two replicas are needed');
    const lines = async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1);
    const kill = async () => {
      first.child.kill('SIGKILL');
      await once(first.child, 'exit');
    };
    return { first, second, lines, kill };
  }

  test('a run under way is done no second time: the repeat gets its record', async () => {
    const { first, second, lines, kill } = await prepare('', '');
    const steps = [{ id: 'one', tool_name: 'record', static_input: { ms: 60_000 } }];
    const { id } = await bodyOf<{ id: string }>(
      await postJson(`${first.url}/workflows`, { name: 'w', steps }),
    );
    const path = `/workflows/${id}/run`;
    const sent = postJson(`${first.url}${path}`, {}, key).catch(() => undefined);
    await until('the step has begun', async () => (await lines()).length === 1);
    await kill();
    await sent;
    const early = await postJson(`${second.url}${path}`, {}, key);
    expect(early.status).toBe(409);
    expect(early.headers.get('location')).toMatch(new RegExp(`^/workflows/${id}/runs/`));
    const late = await postUntilAnswered(`${second.url}${path}`, {}, key);
    expect(late.headers.get('idempotency-replayed')).toBe('true');
    expect(await bodyOf(late)).toMatchObject({ status: 'FAILED', error: 'interrupted' });
    expect((await postJson(`${second.url}${path}`, { input: {} }, key)).status).toBe(422);
    expect(await lines()).toEqual(['tool']);
  });

  test('work without a record is free again, and done under the same id', async () => {
    const { first, second, lines, kill } = await prepare('', '');
    const goal = { goal: 'g', subtasks: [{ agent_name: 'record', payload: { ms: 500 } }] };
    const sent = postJson(`${first.url}/agents/route`, goal, key).catch(() => undefined);
    await until('the agent has begun', async () => (await lines()).length === 1);
    await kill();
    await sent;
    expect((await postJson(`${second.url}/agents/route`, goal, key)).status).toBe(409);
    const late = await postUntilAnswered(`${second.url}/agents/route`, goal, key);
    expect(late.headers.get('idempotency-replayed')).toBeNull();
    const again = await postJson(`${second.url}/agents/route`, goal, key);
    expect(await again.text()).toBe(await late.text());
    expect(await lines()).toHaveLength(2);
  });

  test('an answer that was sent and not kept comes from the record at once', async () => {
    const { first, second, kill } = await prepare('forgetful', '');
    const reply = await postJson(`${first.url}/messages`, message, key);
    await kill();
    const repeat = await postJson(`${second.url}/messages`, message, key);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.headers.get('x-trace-id')).toBe(reply.headers.get('x-trace-id'));
    expect(await repeat.text()).toBe(await reply.text());
  });
});
