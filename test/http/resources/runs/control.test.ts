import { describe, expect, test } from 'vitest';
import { runStatuses } from '../../../../src/domain/run/run.ts';
import { expectError, jsonOf } from '../../../support/http/app.ts';
import { runIdAt, runRecord } from '../../../support/http/memory-runs.ts';
import { startRunService } from '../../../support/http/run-service.ts';

const id = runIdAt(0);
const path = `/runs/${id}`;
const remove = { method: 'DELETE' };

const ended = ['COMPLETED', 'FAILED', 'CANCELLED'] as const;
const unended = ['PENDING', 'RUNNING'] as const;

describe('POST /runs/{execution_id}/cancel', () => {
  test.each(unended)('accepts the cancel of a %s execution with 202', async (status) => {
    const { post, request, runs } = await startRunService([runRecord(0, { status })]);
    const response = await post(`${path}/cancel`, { reason: 'too late' });
    expect(response.status).toBe(202);
    expect(await jsonOf(response)).toEqual(await jsonOf(await request(path)));
    expect(runs.calls).toEqual([['cancel', id, { by: 'api', reason: 'too late' }]]);
  });

  test.each(ended)('answers 200 with a %s execution, unchanged', async (status) => {
    const { post, request } = await startRunService([runRecord(0, { status })]);
    const before = await jsonOf(await request(path));
    const response = await post(`${path}/cancel`, {});
    expect([response.status, await jsonOf(response)]).toEqual([200, before]);
  });

  test('is no error on repeat', async () => {
    const { post } = await startRunService([runRecord(0, { status: 'RUNNING' })]);
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await post(`${path}/cancel`)).status);
    expect(statuses).toEqual([202, 200, 200]);
  });

  test.each([[undefined], [{}], [{ reason: null }]])('needs no reason: %j', async (body) => {
    const { post, runs } = await startRunService([runRecord(0, { status: 'RUNNING' })]);
    expect((await post(`${path}/cancel`, body)).status).toBe(202);
    expect(runs.calls).toEqual([['cancel', id, { by: 'api', reason: null }]]);
  });

  test('takes a reason of 500 characters, of any script', async () => {
    const { post, runs } = await startRunService([runRecord(0, { status: 'RUNNING' })]);
    const reason = '🛑'.repeat(500);
    expect((await post(`${path}/cancel`, { reason })).status).toBe(202);
    expect(runs.calls).toEqual([['cancel', id, { by: 'api', reason }]]);
  });

  test.each([
    [{ reason: '🛑'.repeat(501) }, 'reason: must be at most 500 characters'],
    [{ reason: 7 }, 'reason: must be a string'],
    [[], 'body: must be an object'],
  ])('rejects %j', async (body, detail) => {
    const { post, runs } = await startRunService([runRecord(0, { status: 'RUNNING' })]);
    await expectError(await post(`${path}/cancel`, body), 422, detail);
    expect(runs.calls).toEqual([]);
  });
});

describe('POST /runs/{execution_id}/retry', () => {
  test.each(['FAILED', 'CANCELLED'] as const)('retries a %s execution, with 202', async (status) => {
    const { post, request, runs } = await startRunService([runRecord(0, { status })]);
    const response = await post(`${path}/retry`);
    expect(response.status).toBe(202);
    const run = await jsonOf(response);
    expect(run).toMatchObject({ execution_id: id, status: 'PENDING', attempt: 2, actions: ['cancel'] });
    expect(run).toEqual(await jsonOf(await request(path)));
    expect(runs.calls).toEqual([['retry', id, { by: 'api' }]]);
  });

  test.each(['PENDING', 'RUNNING', 'COMPLETED'] as const)(
    'rejects a %s execution with 409',
    async (status) => {
      const { post, runs } = await startRunService([runRecord(0, { status })]);
      await expectError(
        await post(`${path}/retry`),
        409,
        `execution "${id}" is ${status}: only a FAILED or CANCELLED execution can be retried`,
      );
      expect(runs.calls).toEqual([]);
    },
  );

  test('answers 503 while too many executions wait', async () => {
    const { post, runs } = await startRunService([runRecord(0, { status: 'FAILED' })]);
    runs.isFull = true;
    const response = await post(`${path}/retry`);
    expect(response.headers.get('retry-after')).toBe('2');
    await expectError(response, 503, 'too many runs wait');
  });
});

describe('DELETE /runs/{execution_id}', () => {
  test.each(ended)('deletes a %s execution', async (status) => {
    const { request } = await startRunService([runRecord(0, { status })]);
    const response = await request(path, remove);
    expect([response.status, await response.text()]).toEqual([204, '']);
    await expectError(await request(path), 404);
    await expectError(await request(path, remove), 404);
  });

  test.each(unended)('rejects a %s execution with 409', async (status) => {
    const { request } = await startRunService([runRecord(0, { status })]);
    await expectError(
      await request(path, remove),
      409,
      `execution "${id}" is ${status}: only an execution that has ended can be deleted; cancel it first`,
    );
    expect((await request(path)).status).toBe(200);
  });
});

describe('the actions of an execution', () => {
  test.each(runStatuses)('are what a %s one accepts', async (status) => {
    const { post, request, runs } = await startRunService([runRecord(0, { status })]);
    const { actions } = await jsonOf<{ actions: string[] }>(await request(path));
    const accepted: string[] = [];
    for (const action of ['cancel', 'retry', 'rerun', 'delete']) {
      runs.change(id, runRecord(0, { status }));
      const isDelete = action === 'delete';
      const response = isDelete ? await request(path, remove) : await post(`${path}/${action}`);
      // A cancel of an execution that has ended is answered with 200 and does nothing.
      if ([201, 202, 204].includes(response.status)) accepted.push(action);
      await response.text();
    }
    expect(actions).toEqual(accepted);
  });
});

/** Every endpoint of one execution, with its route. */
const endpoints = [
  ['GET', ''],
  ['DELETE', ''],
  ['POST', '/cancel'],
  ['POST', '/retry'],
  ['POST', '/rerun'],
] as const;

describe.each(endpoints)('%s /runs/{execution_id}%s', (method, rest) => {
  test('is 404 for an unknown execution', async () => {
    const { request } = await startRunService();
    await expectError(await request(`/runs/nobody${rest}`, { method }), 404, 'execution "nobody" not found');
  });

  test('counts under the template of its route', async () => {
    const { request, finished } = await startRunService([runRecord(0, { status: 'FAILED' })]);
    const { status } = await request(`${path}${rest}`, { method });
    expect(status).toBeLessThan(300);
    expect(finished).toEqual([expect.objectContaining({ route: `/runs/{execution_id}${rest}`, status })]);
  });

  test('needs an API key while authentication is on', async () => {
    const records = [runRecord(0, { status: 'FAILED' })];
    const { request, runs } = await startRunService(records, { http: { apiKeys: ['key'] } });
    await expectError(await request(`${path}${rest}`, { method }), 401);
    expect(runs.calls).toEqual([]);
    const allowed = await request(`${path}${rest}`, { method, headers: { 'X-Api-Key': 'key' } });
    expect(allowed.status).toBeLessThan(300);
  });

  test('counts against the rate limit', async () => {
    const records = [runRecord(0, { status: 'FAILED' })];
    const { request, runs } = await startRunService(records, { requestLimit: 1 });
    await (await request('/agents')).text();
    const response = await request(`${path}${rest}`, { method });
    expect(response.headers.has('ratelimit')).toBe(true);
    await expectError(response, 429);
    expect(runs.calls).toEqual([]);
  });
});
