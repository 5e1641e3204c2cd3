import { describe, expect, test } from 'vitest';
import { createHttpApp } from '../../../../src/adapters/http/app.ts';
import type { RunStatus } from '../../../../src/domain/run/run.ts';
import { createTestApp, expectError, jsonOf } from '../../../support/http/app.ts';
import { firstRunAt, runIdAt, runRecord } from '../../../support/http/memory-runs.ts';
import { startRunService } from '../../../support/http/run-service.ts';

interface Listed {
  readonly executions: readonly { readonly execution_id: string }[];
  readonly next_cursor: string | null;
}

/** A minute after the first run, and so on: the time at which the `n`th run was created. */
const at = (n: number) => new Date(firstRunAt + n * 60_000).toISOString();

const statuses: readonly RunStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'RUNNING', 'PENDING'];

/** Five runs, each in another state; the last two are of the workflow `w-2`. */
const records = statuses.map((status, n) => runRecord(n, { status, workflowId: n < 3 ? 'w-1' : 'w-2' }));

const numbersOf = ({ executions }: Listed) =>
  executions.map(({ execution_id }) => records.findIndex(({ runId }) => runId === execution_id));

/** The target of a Link header. */
const nextOf = (response: Response) =>
  /^<([^<>]*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];

describe('GET /runs', () => {
  test('has the executions of one workflow with `workflow_id`', async () => {
    const { post, request } = createTestApp();
    const started = new Map<string, string>();
    for (const name of ['one', 'two']) {
      const { id } = await jsonOf<{ id: string }>(
        await post('/workflows', { name, steps: [{ id: 'a', tool_name: 'lookup' }] }),
      );
      const run = await jsonOf<{ execution_id: string }>(await post(`/workflows/${id}/run`, {}));
      started.set(id, run.execution_id);
    }
    for (const [id, executionId] of started) {
      const { executions } = await jsonOf<Listed>(await request(`/runs?workflow_id=${id}`));
      expect(executions.map(({ execution_id }) => execution_id)).toEqual([executionId]);
    }
    expect((await jsonOf<Listed>(await request('/runs?workflow_id=unknown'))).executions).toEqual([]);
  });

  test('lists the executions of all workflows, newest first, without their step results', async () => {
    const { request } = await startRunService(records);
    const response = await request('/runs');
    const page = await jsonOf<Listed>(response);
    expect(page).toMatchObject({ limit: 50, next_cursor: null });
    expect(Object.keys(page)).toEqual(['limit', 'next_cursor', 'executions']);
    expect(numbersOf(page)).toEqual([4, 3, 2, 1, 0]);
    const { step_results, ...summary } = await jsonOf(await request(`/runs/${runIdAt(4)}`));
    expect(page.executions[0]).toEqual(summary);
    expect(step_results).toMatchObject({ a: { step_id: 'a', output: { n: 4 } } });
  });

  test('has an empty page where nothing is listed', async () => {
    const { request } = await startRunService();
    expect(await jsonOf(await request('/runs'))).toEqual({ limit: 50, next_cursor: null, executions: [] });
  });

  test('leads from page to page by its cursor and by its link', async () => {
    const { request } = await startRunService(records);
    const seen: number[] = [];
    let path: string | undefined = '/runs?limit=2';
    while (path !== undefined) {
      const response: Response = await request(path);
      const page: Listed = await jsonOf<Listed>(response);
      seen.push(...numbersOf(page));
      path = nextOf(response);
      expect(path).toBe(page.next_cursor === null ? undefined : `/runs?limit=2&cursor=${page.next_cursor}`);
    }
    expect(seen).toEqual([4, 3, 2, 1, 0]);
  });

  test('keeps the filters in its link, which has the path of the mount', async () => {
    const { request, orchestrator } = await startRunService(records);
    const query = `status=FAILED%2CCOMPLETED&workflow_id=w-1&since=${encodeURIComponent(at(0))}&limit=1`;
    expect(nextOf(await request(`/runs?${query}`))).toBe(`/runs?${query}&cursor=1`);
    const mounted = createHttpApp({ orchestrator, basePath: '/shop' });
    expect(nextOf(await mounted.request('/runs/?limit=1'))).toBe('/shop/runs?limit=1&cursor=1');
  });

  test.each([
    ['status=FAILED', [1]],
    ['status=CANCELLED,COMPLETED', [2, 0]],
    ['workflow_id=w-2', [4, 3]],
    ['workflow_id=nobody', []],
    ['workflow_id=w-1&status=RUNNING,FAILED', [1]],
    [`since=${at(3)}`, [4, 3]],
    [`until=${at(1)}`, [0]],
    [`since=${at(1)}&until=${at(3)}`, [2, 1]],
    ['intent=refund&offset=3', [4, 3, 2, 1, 0]],
  ])('filters by %s', async (query, numbers) => {
    const { request } = await startRunService(records);
    const response = await request(`/runs?${query}`);
    expect([response.status, numbersOf(await jsonOf<Listed>(response))]).toEqual([200, numbers]);
  });

  test('asks for no filter where none is given', async () => {
    const { request, runs } = await startRunService();
    await request('/runs?limit=7&cursor=12');
    expect(runs.calls).toEqual([['list', { workflowId: undefined }, { limit: 7, cursor: 12 }]]);
  });

  test.each([
    [
      'status=failed',
      /^status: must be one or more of PENDING, RUNNING, WAITING, COMPLETED, FAILED, CANCELLED/,
    ],
    ['status=', /^status: must be one or more of/],
    ['since=yesterday', /^since: must be an ISO 8601 time/],
    ['until=5', /^until: must be an ISO 8601 time/],
    ['workflow_id=a&workflow_id=b', 'workflow_id: must be given once'],
    ['limit=0', 'limit: must be from 1 to 200'],
    ['limit=201', 'limit: must be from 1 to 200'],
    ...['', 'x', '-1', '1.5', '1e3', '99999999999999999', '9007199254740993'].map(
      (cursor) => [`cursor=${cursor}`, 'cursor: must be the next_cursor of a page'] as const,
    ),
    ['cursor=1&cursor=2', 'cursor: must be given once'],
  ] as const)('rejects %s', async (query, detail) => {
    const { request, runs } = await startRunService(records);
    await expectError(await request(`/runs?${query}`), 422, detail);
    expect(runs.calls).toEqual([]);
  });

  test('needs an API key, counts against the rate limit, and under its own route', async () => {
    const { request, finished } = await startRunService([], { http: { apiKeys: ['key'] }, requestLimit: 2 });
    await expectError(await request('/runs'), 401);
    const headers = { 'X-Api-Key': 'key' };
    expect((await request('/runs', { headers })).status).toBe(200);
    await expectError(await request('/runs', { headers }), 429);
    expect(finished[1]).toMatchObject({ route: '/runs', status: 200 });
  });
});

describe('GET /workflows/{id}/runs with filters', () => {
  test.each([
    ['status=FAILED', 1, [1]],
    ['status=FAILED,CANCELLED&limit=1', 2, [2]],
    [`since=${at(1)}`, 2, [2, 1]],
    [`until=${at(1)}&status=COMPLETED`, 1, [0]],
    ['status=RUNNING', 0, []],
  ])('counts and lists what fits: %s', async (query, total, numbers) => {
    const { request } = await startRunService(records);
    const page = await jsonOf<Listed>(await request(`/workflows/w-1/runs?${query}`));
    expect(page).toMatchObject({ total });
    expect(numbersOf(page)).toEqual(numbers);
  });

  test('keeps them in its link', async () => {
    const { request } = await startRunService(records);
    const response = await request('/workflows/w-1/runs?status=FAILED,CANCELLED&limit=1');
    expect(nextOf(response)).toBe('/workflows/w-1/runs?status=FAILED%2CCANCELLED&limit=1&offset=1');
  });

  test('rejects unknown values', async () => {
    const { request } = await startRunService(records);
    await expectError(await request('/workflows/w-1/runs?status=DONE'), 422, /^status: must be one or more/);
  });
});

describe('GET /runs/{execution_id}', () => {
  test('is the same record as under its workflow, with the same tag', async () => {
    const { request } = await startRunService(records);
    for (const { runId, workflowId } of records) {
      const one = await request(`/runs/${runId}`);
      const other = await request(`/workflows/${workflowId}/runs/${runId}`);
      expect(one.headers.get('etag')).toBe(other.headers.get('etag'));
      expect(await one.text()).toBe(await other.text());
    }
  });

  test('has the members of every execution', async () => {
    const run = runRecord(7, {
      status: 'CANCELLED',
      error: 'cancelled',
      version: 3,
      attempt: 2,
      rerunOf: 'r-1',
    });
    const { request } = await startRunService([run]);
    expect(await jsonOf(await request(`/runs/${run.runId}`))).toEqual({
      execution_id: run.runId,
      workflow_id: 'w-1',
      workflow_name: 'One',
      version: 3,
      status: 'CANCELLED',
      background: true,
      attempt: 2,
      recoveries: 0,
      recoveries_without_progress: 0,
      parent_execution_id: null,
      rerun_of: 'r-1',
      customer_id: null,
      input: { n: 7 },
      output: null,
      error: 'cancelled',
      waiting_for: [],
      actions: ['retry', 'rerun', 'delete'],
      created_at: at(7),
      started_at: at(7),
      completed_at: at(7),
      duration_ms: 5,
      step_results: {
        a: {
          step_id: 'a',
          kind: 'tool',
          status: 'COMPLETED',
          layer: 0,
          attempts: 1,
          output: { n: 7 },
          error: null,
          started_at: at(7),
          completed_at: at(7),
          duration_ms: 5,
        },
      },
    });
  });

  test('has the output of its definition, and the execution that started it, also in listings', async () => {
    const run = runRecord(0, { output: { total: 3 }, parentRunId: 'execution-1', wakeAt: 5 });
    const { request } = await startRunService([run]);
    const expected = { output: { total: 3 }, parent_execution_id: 'execution-1' };
    const single = await jsonOf(await request(`/runs/${run.runId}`));
    expect(single).toMatchObject(expected);
    expect(JSON.stringify(single)).not.toContain('wake');
    expect(await jsonOf(await request('/runs'))).toMatchObject({ executions: [expected] });
  });

  test('has a tag once the run has ended, which a retry changes', async () => {
    const { request, runs } = await startRunService([runRecord(0, { status: 'RUNNING', attempt: 1 })]);
    const path = `/runs/${runIdAt(0)}`;
    const tagAfter = async (members: object): Promise<string | null> => {
      runs.change(runIdAt(0), members);
      const response = await request(path);
      expect(response.status).toBe(200);
      return response.headers.get('etag');
    };
    const ended = { completedAt: at(1), durationMs: 1 };
    expect(await tagAfter({})).toBeNull();
    const first = await tagAfter({ ...ended, status: 'FAILED' });
    expect((await request(path, { headers: { 'If-None-Match': first ?? '' } })).status).toBe(304);
    expect(await tagAfter({ status: 'RUNNING', attempt: 2 })).toBeNull();
    // It may fail again within the same millisecond.
    const second = await tagAfter({ ...ended, status: 'FAILED' });
    expect(second).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(second).not.toBe(first);
    expect((await request(path, { headers: { 'If-None-Match': first ?? '' } })).status).toBe(200);
  });
});
