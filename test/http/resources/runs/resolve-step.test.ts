import { describe, expect, test } from 'vitest';
import { expectError, jsonOf } from '../../../support/http/app.ts';
import { runIdAt, runRecord } from '../../../support/http/memory-runs.ts';
import { startRunService } from '../../../support/http/run-service.ts';

const id = runIdAt(0);
const path = `/runs/${id}/steps/a/resolve`;
const wait = { kind: 'recovery', stepId: 'a', itemId: 'item-1', until: null } as const;
const waiting = () => runRecord(0, { status: 'WAITING', waitingFor: [wait] });

describe('an execution that waits', () => {
  test('names what it waits for, and what would be accepted, also in listings', async () => {
    const { request } = await startRunService([waiting()]);
    const expected = {
      status: 'WAITING',
      waiting_for: [{ kind: 'recovery', step_id: 'a', item_id: 'item-1' }],
      actions: ['cancel', 'resolve'],
    };
    expect(await jsonOf(await request(`/runs/${id}`))).toMatchObject(expected);
    const listed = await jsonOf(await request('/runs?status=WAITING,FAILED'));
    expect(listed).toMatchObject({ executions: [expected] });
  });

  test('names what ends each kind of wait', async () => {
    const until = '2026-03-01T00:00:00.000Z';
    const waitingFor = [
      { ...wait, kind: 'approval', until },
      { ...wait, kind: 'wait', itemId: 'timer-1', until },
      { ...wait, kind: 'workflow', itemId: 'execution-2' },
    ] as const;
    const { request } = await startRunService([runRecord(0, { status: 'WAITING', waitingFor })]);
    const { waiting_for } = (await jsonOf(await request(`/runs/${id}`))) as { waiting_for: unknown };
    expect(waiting_for).toEqual([
      { kind: 'approval', step_id: 'a', item_id: 'item-1', until },
      { kind: 'wait', step_id: 'a', until },
      { kind: 'workflow', step_id: 'a', execution_id: 'execution-2' },
    ]);
  });

  test('names the end of a wait where there is one', async () => {
    const until = '2026-03-01T00:00:00.000Z';
    const run = runRecord(0, { status: 'RUNNING', waitingFor: [{ ...wait, until }] });
    const { request } = await startRunService([run]);
    expect(await jsonOf(await request(`/runs/${id}`))).toMatchObject({ waiting_for: [{ until }] });
  });

  test('has no tag, because it can still change', async () => {
    const { request } = await startRunService([waiting()]);
    expect((await request(`/runs/${id}`)).headers.get('etag')).toBeNull();
  });
});

describe('POST /runs/{execution_id}/steps/{step_id}/resolve', () => {
  test.each([
    [{ outcome: 'failed' }, { outcome: 'failed', by: 'api' }],
    [
      { outcome: 'completed', output: { n: 1 }, by: ' ann ' },
      { outcome: 'completed', output: { n: 1 }, by: 'ann' },
    ],
  ])('passes the decision %j on, and answers the execution', async (body, request) => {
    const service = await startRunService([waiting()]);
    const response = await service.post(path, body);
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual(await jsonOf(await service.request(`/runs/${id}`)));
    expect(service.runs.calls).toEqual([['resolve', id, 'a', request]]);
  });

  test.each([
    [{}, 'outcome: must be one of completed, failed, retry'],
    [{ outcome: 'done' }, 'outcome: must be one of completed, failed, retry'],
    [{ outcome: 'completed', output: 7 }, 'output: must be an object'],
    [{ outcome: 'retry', by: '' }, 'by: must not be empty'],
    [{ outcome: 'retry', by: 'x'.repeat(129) }, 'by: must be at most 128 characters'],
    [[], 'body: must be an object'],
  ])('rejects %j', async (body, detail) => {
    const { post, runs } = await startRunService([waiting()]);
    await expectError(await post(path, body), 422, detail);
    expect(runs.calls).toEqual([]);
  });

  test('answers 404 for an unknown execution and step, and 409 for a step that does not wait', async () => {
    const { post } = await startRunService([waiting(), runRecord(1)]);
    const body = { outcome: 'retry' };
    await expectError(await post('/runs/nobody/steps/a/resolve', body), 404, 'execution "nobody" not found');
    await expectError(await post(`/runs/${id}/steps/b/resolve`, body), 404, 'step "b" not found');
    await expectError(await post(`/runs/${runIdAt(1)}/steps/a/resolve`, body), 409, 'the step does not wait');
  });
});
