import { describe, expect, test } from 'vitest';
import { expectError, jsonOf } from '../../../support/http/app.ts';
import { runIdAt, runRecord } from '../../../support/http/memory-runs.ts';
import { startRunService } from '../../../support/http/run-service.ts';

const id = runIdAt(0);
const path = `/workflows/w-1/runs/${id}/events`;
const stream = { headers: { Accept: 'text/event-stream' } };

const started = { type: 'execution.started', data: { attempt: 1 } } as const;
const completed = { type: 'execution.completed', data: { error: null, durationMs: 5 } } as const;

/** The service with a run that has two events, the second of them its end. */
async function startWithEndedRun() {
  const service = await startRunService([runRecord(0)]);
  service.runs.append(id, started);
  service.runs.append(id, completed);
  return service;
}

describe('GET /workflows/{id}/runs/{execution_id}/events', () => {
  test('lists the events of the execution, oldest first', async () => {
    const { request, finished } = await startWithEndedRun();
    const response = await request(path);
    const common = { at: '2026-03-01T00:00:00.000Z', subject: { kind: 'execution', id, workflow_id: 'w-1' } };
    expect(await jsonOf(response)).toEqual({
      events: [
        { seq: 1, type: 'execution.started', ...common, data: { attempt: 1 } },
        { seq: 2, type: 'execution.completed', ...common, data: { error: null, duration_ms: 5 } },
      ],
      last_seq: 2,
      ended: true,
    });
    expect(finished).toMatchObject([{ route: '/workflows/{id}/runs/{execution_id}/events', status: 200 }]);
    expect(await jsonOf(await request(`${path}?after=1`))).toMatchObject({ events: [{ seq: 2 }] });
  });

  test('waits for the next event of an execution that runs', async () => {
    const { request, runs } = await startRunService([runRecord(0, { status: 'RUNNING' })]);
    const response = request(`${path}?wait=30`);
    await expect.poll(() => runs.listening()).toBe(1);
    runs.append(id, started);
    expect(await jsonOf(await response)).toMatchObject({ events: [{ seq: 1 }], last_seq: 1, ended: false });
  });

  test('streams the events until the execution has ended', async () => {
    const { request, runs } = await startRunService([runRecord(0, { status: 'RUNNING' })]);
    const response = await request(path, stream);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    runs.append(id, started);
    runs.change(id, { status: 'COMPLETED' });
    runs.append(id, completed);
    const frames = (await response.text()).split('\n\n').map((frame) => frame.split('\ndata:')[0]);
    expect(frames.filter((frame) => frame !== undefined && !frame.startsWith(':'))).toEqual([
      'retry: 2000',
      'id: 1\nevent: execution.started',
      'id: 2\nevent: execution.completed',
      'event: stream.end',
      '',
    ]);
  });

  test('answers 204 to a stream after the last event', async () => {
    const { request } = await startWithEndedRun();
    expect((await request(`${path}?after=2`, stream)).status).toBe(204);
  });

  test.each([
    ['an unknown execution', '/workflows/w-1/runs/nobody/events'],
    ['an execution of another workflow', `/workflows/w-2/runs/${id}/events`],
  ])('is 404 for %s', async (_name, other) => {
    const { request } = await startWithEndedRun();
    for (const init of [{}, stream])
      await expectError(await request(other, init), 404, /^execution ".*" not found$/);
  });

  test('needs an API key while authentication is on', async () => {
    const { request } = await startRunService([runRecord()], { http: { apiKeys: ['key'] } });
    for (const init of [{}, stream]) await expectError(await request(path, init), 401);
  });
});
