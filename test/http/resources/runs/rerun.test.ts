import { describe, expect, test } from 'vitest';
import { expectError, jsonOf } from '../../../support/http/app.ts';
import { runIdAt, runRecord } from '../../../support/http/memory-runs.ts';
import { startRunService } from '../../../support/http/run-service.ts';

const id = runIdAt(0);
const path = `/runs/${id}/rerun`;
const key = { 'Idempotency-Key': '8e03978e-40d5-43dd-bc93-6894a57f9324' };

interface Execution {
  readonly execution_id: string;
}

const applied = ({ headers }: Response) => headers.get('preference-applied');

describe('POST /runs/{execution_id}/rerun', () => {
  test.each(['COMPLETED', 'FAILED', 'CANCELLED'] as const)(
    'creates a new execution of a %s one, in the background',
    async (status) => {
      const { post, request, runs } = await startRunService([runRecord(0, { status })]);
      const response = await post(path);
      expect(response.status).toBe(202);
      const run = await jsonOf<Execution>(response);
      expect(run).toMatchObject({ status: 'PENDING', rerun_of: id, background: true, input: { n: 0 } });
      expect(run.execution_id).not.toBe(id);
      const location = response.headers.get('location') ?? '';
      expect(location).toBe(`/workflows/w-1/runs/${run.execution_id}`);
      expect(await jsonOf(await request(location))).toEqual(run);
      expect(await jsonOf(await request(`/runs/${run.execution_id}`))).toEqual(run);
      expect(runs.calls).toEqual([['rerun', id, { background: true }]]);
    },
  );

  test('passes on the step to begin with and the input', async () => {
    const { post, runs } = await startRunService([runRecord()]);
    const response = await post(path, { from_step: 'a', input: { text: 'new' }, background: true });
    expect(await jsonOf(response)).toMatchObject({ input: { text: 'new' } });
    expect(runs.calls).toEqual([['rerun', id, { fromStep: 'a', input: { text: 'new' }, background: true }]]);
  });

  test('waits for the end when the body says so', async () => {
    const { post } = await startRunService([runRecord()]);
    const response = await post(path, { background: false });
    expect([response.status, response.headers.has('location')]).toEqual([200, false]);
    expect(await jsonOf(response)).toMatchObject({ status: 'COMPLETED', rerun_of: id, background: false });
  });

  test.each([
    ['respond-async', {}, 202, 'respond-async', { background: true }],
    ['respond-async', { background: false }, 200, null, { background: false }],
    ['wait=5', {}, 200, 'wait=5', { background: false, waitMs: 5_000 }],
    ['wait=5', { background: true }, 202, null, { background: true }],
  ])('follows Prefer: %s with %j', async (prefer, body, status, preference, asked) => {
    const { post, runs } = await startRunService([runRecord()]);
    const response = await post(path, body, { Prefer: prefer });
    expect([response.status, applied(response)]).toEqual([status, preference]);
    expect(runs.calls).toEqual([['rerun', id, asked]]);
  });

  test.each(['PENDING', 'RUNNING'] as const)('rejects a %s execution with 409', async (status) => {
    const { post } = await startRunService([runRecord(0, { status })]);
    await expectError(
      await post(path, {}),
      409,
      `execution "${id}" is ${status}: only an execution that has ended can be rerun`,
    );
  });

  test.each([
    [{ from_step: 'nobody' }, 'from_step: names the unknown step "nobody"'],
    [{ from_step: 'a'.repeat(65) }, 'from_step: must be at most 64 characters'],
    [
      { from_step: 7, input: [], background: 'yes' },
      'from_step: must be a string; input: must be an object; background: must be true or false',
    ],
  ])('rejects %j with 422', async (body, detail) => {
    const { post } = await startRunService([runRecord()]);
    await expectError(await post(path, body), 422, detail);
  });

  test('answers 503 while too many executions wait', async () => {
    const { post, runs } = await startRunService([runRecord()]);
    runs.isFull = true;
    await expectError(await post(path, {}), 503, 'too many runs wait');
  });
});

describe('a repeated rerun with an Idempotency-Key', () => {
  test('gets the first answer again, and creates one execution', async () => {
    const { post, runs } = await startRunService([runRecord()]);
    const first = await post(path, {}, key);
    const repeat = await post(path, {}, key);
    expect([first.status, repeat.status]).toEqual([202, 202]);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.headers.get('location')).toBe(first.headers.get('location'));
    expect(await repeat.text()).toBe(await first.text());
    expect(runs.calls).toHaveLength(1);
  });

  test('is 422 with another body, and new work for another execution', async () => {
    const { post, runs } = await startRunService([runRecord(0), runRecord(1)]);
    await post(path, {}, key);
    await expectError(await post(path, { from_step: 'a' }, key), 422, /another body/);
    const other = await post(`/runs/${runIdAt(1)}/rerun`, {}, key);
    expect([other.status, other.headers.has('idempotency-replayed')]).toEqual([202, false]);
    expect(runs.calls).toHaveLength(2);
  });

  test('is free again after a conflict', async () => {
    const { post, runs } = await startRunService([runRecord(0, { status: 'RUNNING' })]);
    await expectError(await post(path, {}, key), 409);
    runs.change(id, { status: 'COMPLETED' });
    expect((await post(path, {}, key)).status).toBe(202);
  });

  test('is rejected when the key is malformed', async () => {
    const { post, runs } = await startRunService([runRecord()]);
    await expectError(await post(path, {}, { 'Idempotency-Key': '"' }), 422, /^Idempotency-Key: must have/);
    expect(runs.calls).toEqual([]);
  });
});
