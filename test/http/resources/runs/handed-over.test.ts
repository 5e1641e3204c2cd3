import { describe, expect, test } from 'vitest';
import type { Run } from '../../../../src/domain/run/run.ts';
import { createTestApp, jsonOf } from '../../../support/http/app.ts';

/** The run as it is when it was handed over at a shutdown, while its caller waited for its end. */
const handedOver = (run: Run): Run => ({ ...run, status: 'RUNNING', completedAt: null, durationMs: null });

/** A service that hands over all runs, with a workflow at `path` and a run of it that has ended. */
async function createLeavingService() {
  const app = createTestApp({
    useCases: ({ workflows, runs }) => ({
      workflows: {
        ...workflows,
        run: async (...request) => handedOver(await workflows.run(...request)),
      },
      runs: { ...runs, rerun: async (...request) => handedOver(await runs.rerun(...request)) },
    }),
  });
  const steps = [{ id: 'a', tool_name: 'lookup' }];
  const { id } = await jsonOf<{ id: string }>(await app.post('/workflows', { name: 'w', steps }));
  const path = `/workflows/${id}`;
  const { execution_id } = await jsonOf<{ execution_id: string }>(await app.post(`${path}/run`, {}));
  return { ...app, path, endedRun: `/runs/${execution_id}` };
}

async function expectAccepted(response: Response): Promise<void> {
  expect(response.status).toBe(202);
  const execution = await jsonOf<{ execution_id: string; workflow_id: string }>(response);
  expect(execution).toMatchObject({ status: 'RUNNING', background: false, completed_at: null });
  const { execution_id, workflow_id } = execution;
  expect(response.headers.get('location')).toBe(`/workflows/${workflow_id}/runs/${execution_id}`);
}

describe('a run that is handed over while its caller waits', () => {
  test.each([[{}], [{ Prefer: 'wait=5' }], [{ 'Idempotency-Key': 'k' }]])(
    'is answered 202 as it is, with its location: %j',
    async (headers: Record<string, string>) => {
      const { post, path } = await createLeavingService();
      await expectAccepted(await post(`${path}/run`, {}, headers));
    },
  );

  test('is answered 202 by a rerun too', async () => {
    const { post, endedRun } = await createLeavingService();
    await expectAccepted(await post(`${endedRun}/rerun`, { background: false }));
  });

  test('gives a repeat with the same idempotency key the same answer', async () => {
    const { post, path } = await createLeavingService();
    const headers = { 'Idempotency-Key': 'k' };
    const first = await jsonOf(await post(`${path}/run`, {}, headers));
    const second = await post(`${path}/run`, {}, headers);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.status).toBe(202);
    expect(await jsonOf(second)).toEqual(first);
  });
});
