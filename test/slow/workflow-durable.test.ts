import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileTools } from '../support/process/file-tools.ts';
import { bodyOf, postJson, type Service, startService } from '../support/process/service.ts';

const cleanups: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

const extension = fileTools({ hang: { effect: 'read', until: 'go' }, note: { effect: 'write' } });

interface RunBody {
  readonly execution_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly actions: readonly string[];
  readonly output: object | null;
  readonly parent_execution_id: string | null;
  readonly waiting_for: readonly {
    readonly kind: string;
    readonly step_id: string;
    readonly item_id: string;
  }[];
  readonly step_results: Readonly<
    Record<string, { readonly status: string; readonly error: string | null; readonly output: object | null }>
  >;
}

/** A folder with a database, in which the service is started and killed. */
async function setUp(recovery: 'resume' | 'interrupt') {
  const folder = await mkdtemp(join(tmpdir(), 'workflow-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'tools.mjs'), extension);
  let service: Service;
  const settings = {
    TRACE_BACKEND: 'sqlite',
    RUN_RECOVERY: recovery,
    EXTENSIONS: './tools.mjs',
    RATE_LIMIT_REQUESTS: '1000000',
  };
  async function start(): Promise<void> {
    const started = await startService(settings, folder);
    service = started;
    cleanups.push(() => started.stop());
  }
  await start();
  const url = (path: string): string => service.baseUrl + path;
  const post = (path: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    postJson(url(path), body, headers);
  const read = async <T = RunBody>(path: string) => bodyOf<T>(await fetch(url(path)));
  const get = (id: string) => read(`/runs/${id}`);
  return {
    post,
    read,
    get,
    calls: async () =>
      (await readFile(join(folder, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
    go: () => writeFile(join(folder, 'go'), ''),
    async restart(): Promise<void> {
      await service.stop();
      await start();
    },
    async define(...steps: readonly object[]): Promise<string> {
      const output = steps.some((step) => 'id' in step && step.id === 'ok')
        ? { by: '$step.ok.decided_by' }
        : undefined;
      const reply = await post('/workflows', { name: 'sample', steps, output });
      expect(reply.status).toBe(201);
      return (await bodyOf<{ id: string }>(reply)).id;
    },
    async start(workflowId: string): Promise<string> {
      const reply = await post(`/workflows/${workflowId}/run`, { background: true });
      return (await bodyOf<RunBody>(reply)).execution_id;
    },
    until: (id: string, status: string) =>
      expect.poll(async () => (await get(id)).status, { timeout: 20_000 }).toBe(status),
    children: async (id: string) =>
      (await read<{ executions: readonly RunBody[] }>('/runs?limit=200')).executions.filter(
        ({ parent_execution_id }) => parent_execution_id === id,
      ),
  };
}

const ask = { id: 'ok', kind: 'approval', title: 'May it go on?', payload: { amount: 7 } };

describe('the service with RUN_RECOVERY=interrupt', () => {
  let service: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    service = await setUp('interrupt');
  });

  test('answers approvals over HTTP, and not as steps of unknown outcome', async () => {
    const { define, start, until, get, read, post } = service;
    const schema = { type: 'object', required: ['limit'] };
    const id = await start(await define({ ...ask, response_schema: schema }));
    await until(id, 'WAITING');
    const run = await get(id);
    expect(run).toMatchObject({ waiting_for: [{ kind: 'approval', step_id: 'ok' }], actions: ['cancel'] });
    expect((await post(`/runs/${id}/steps/ok/resolve`, { outcome: 'completed' })).status).toBe(409);
    const item = `/inbox/${run.waiting_for[0]?.item_id}`;
    expect(await read(item)).toMatchObject({
      payload: { amount: 7 },
      response_schema: schema,
      status: 'open',
    });
    expect((await post(`${item}/resolve`, { outcome: 'approved', by: 'ann' })).status).toBe(422);
    const decision = { outcome: 'approved', by: 'ann', data: { limit: 3 } };
    const answers = await Promise.all([1, 2, 3].map(() => post(`${item}/resolve`, decision)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    await until(id, 'COMPLETED');
    expect((await get(id)).step_results['ok']?.output).toMatchObject({ approved: true, data: { limit: 3 } });
  });

  test('answers 202 to who waits for a run that waits, and follows it', async () => {
    const { define, post, read } = service;
    const workflow = await define({ id: 'nap', kind: 'wait', duration_ms: 1_500 });
    const reply = await post(`/workflows/${workflow}/run`, {}, { Prefer: 'wait=1' });
    expect(reply.status).toBe(202);
    const { execution_id: id } = await bodyOf<RunBody>(reply);
    const page = await read<{ events: readonly { type: string }[]; ended: boolean }>(
      `/workflows/${workflow}/runs/${id}/events?after=6&wait=20`,
    );
    expect(page.events.map(({ type }) => type)).toContain('execution.resumed');
    const stream = await fetch(reply.url.replace(/\/run$/u, `/runs/${id}/events`), {
      headers: { Accept: 'text/event-stream' },
    });
    expect(await stream.text()).toMatch(
      /event: step\.waiting[\s\S]*event: execution\.completed[\s\S]*event: stream\.end/u,
    );
  });

  test('goes on, after it was killed, with what waits, and ends what was under way with its child', async () => {
    const { define, start, until, get, read, post, restart, children, calls } = service;
    const inner = await define(ask, { id: 'note', tool_name: 'note', depends_on: ['ok'] });
    const sub = { id: 'sub', kind: 'workflow', workflow_id: inner };
    const id = await start(await define(sub));
    const busy = await start(await define(sub, { id: 'busy', tool_name: 'hang' }));
    const nap = await start(await define({ id: 'nap', kind: 'wait', duration_ms: 500 }));
    const expiring = await start(await define({ ...ask, expires_in_ms: 700, on_expire: 'approve' }));
    for (const parent of [id, busy]) {
      await expect.poll(async () => (await children(parent))[0]?.status, { timeout: 10_000 }).toBe('WAITING');
    }
    await until(id, 'WAITING');
    await expect.poll(calls).toEqual([`${busy}:busy`]);
    await restart();
    await until(nap, 'COMPLETED');
    await until(expiring, 'COMPLETED');
    await until(busy, 'FAILED');
    expect((await get(busy)).error).toBe('interrupted');
    await expect.poll(async () => (await children(busy))[0]?.status, { timeout: 10_000 }).toBe('CANCELLED');
    const [child] = await children(id);
    const { execution_id: childId } = child ?? expect.fail();
    const item = (await get(childId)).waiting_for[0]?.item_id;
    expect(await read('/inbox')).toMatchObject({ items: [{ item_id: item }] });
    expect((await post(`/inbox/${item}/resolve`, { outcome: 'approved', by: 'ann' })).status).toBe(200);
    await until(id, 'COMPLETED');
    expect((await get(id)).step_results['sub']?.output).toMatchObject({
      execution_id: childId,
      output: { by: 'ann' },
    });
    expect(await children(id)).toHaveLength(1);
    expect(await calls()).toEqual([`${busy}:busy`, `${childId}:note`]);
  });
});

describe('a run with steps of each kind, with RUN_RECOVERY=resume', () => {
  test('goes on after its process was killed, and does nothing twice', async () => {
    const { define, start, until, get, read, post, restart, children, calls, go } = await setUp('resume');
    const inner = await define({ id: 'inner', tool_name: 'hang' });
    const foreach = { items: [1, 2, 3, 4, 5], concurrency: 2 };
    const id = await start(
      await define(
        { id: 'first', tool_name: 'note', foreach },
        ...[ask, { id: 'sub', kind: 'workflow', workflow_id: inner }].map((step) => ({
          ...step,
          depends_on: ['first'],
        })),
        { id: 'busy', tool_name: 'hang', depends_on: ['first'], foreach },
        { id: 'nap', kind: 'wait', duration_ms: 300, depends_on: ['first'] },
        { id: 'last', tool_name: 'note', depends_on: ['ok', 'sub', 'busy', 'nap'] },
      ),
    );
    await expect.poll(async () => (await calls()).length, { timeout: 20_000 }).toBe(5 + 2 + 1);
    await restart();
    await expect.poll(async () => (await calls()).length, { timeout: 20_000 }).toBe(5 + 4 + 2);
    await go();
    await expect
      .poll(async () => (await get(id)).waiting_for.map(({ kind }) => kind), { timeout: 20_000 })
      .toEqual(['approval']);
    const { items } = await read<{ items: readonly { item_id: string }[] }>('/inbox?kind=approval');
    expect(items).toHaveLength(1);
    expect(
      (await post(`/inbox/${items[0]?.item_id}/resolve`, { outcome: 'approved', by: 'ann' })).status,
    ).toBe(200);
    await until(id, 'COMPLETED');
    const run = await get(id);
    expect(run.output).toEqual({ by: 'ann' });
    const [child, ...others] = await children(id);
    expect([child?.status, others]).toEqual(['COMPLETED', []]);
    const made = await calls();
    const of = (key: string): number => made.filter((call) => call === key).length;
    for (const item of [0, 1, 2, 3, 4]) expect(of(`${id}:first:${item}`)).toBe(1);
    expect(of(`${id}:last`)).toBe(1);
    expect([0, 1, 2, 3, 4].map((item) => of(`${id}:busy:${item}`))).toEqual([2, 2, 1, 1, 1]);
    expect(of(`${child?.execution_id}:inner`)).toBe(2);
  });
});
