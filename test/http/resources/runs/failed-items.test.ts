import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../../../../src/ports/tool.ts';
import { createTestApp, expectError, jsonOf } from '../../../support/http/app.ts';

const item = '$'.concat('{{ item }}');

test('POST /runs/{id}/rerun with items runs the failed items again, and names what is wrong', async () => {
  const keys: string[] = [];
  let isBroken = true;
  const send: Tool = {
    name: 'send',
    description: 'Fails for b',
    effect: 'write',
    input: z.object({ to: z.string() }),
    execute: ({ to }, { idempotencyKey }) => {
      keys.push(`${to} ${idempotencyKey}`);
      if (isBroken && to === 'b') throw new Error('no');
      return { to };
    },
  };
  const { post, request, clock } = createTestApp({ tools: [send], limits: { toolMaxAttempts: 1 } });
  const steps = [
    {
      id: 'send',
      tool_name: 'send',
      static_input: item,
      foreach: { items: 'input.to', on_item_error: 'continue' },
    },
    { id: 'after', kind: 'wait', duration_ms: 5, depends_on: ['send'] },
  ];
  const { id } = await jsonOf<{ id: string }>(await post('/workflows', { name: 'x', steps }));
  const input = { to: [{ to: 'a' }, { to: 'b' }] };
  const started = await post(`/workflows/${id}/run`, { background: true, input });
  const { execution_id } = await jsonOf<{ execution_id: string }>(started);
  await clock.advance(0);
  const rerun = (body: object) =>
    post(`/runs/${execution_id}/rerun`, { from_step: 'send', items: 'failed', ...body });
  await expectError(await rerun({}), 409, /is WAITING: only an execution that has ended can be rerun/);
  await clock.advance(100);

  await expectError(await rerun({ items: 'all' }), 422, 'items: must be "failed"');
  await expectError(await rerun({ input: {} }), 422, 'input: cannot be used together with items');
  await expectError(await rerun({ from_step: 'after' }), 422, 'items: step "after" has no foreach');
  await expectError(await rerun({ from_step: undefined }), 422, 'from_step: is required with items');
  isBroken = false;
  const response = await rerun({});
  expect(response.status).toBe(202);
  const { execution_id: again } = await jsonOf<{ execution_id: string }>(response);
  await clock.advance(100);
  expect(await jsonOf(await request(`/runs/${again}`))).toMatchObject({
    rerun_of: execution_id,
    status: 'COMPLETED',
    step_results: { send: { output: { results: [{ to: 'a' }, { to: 'b' }], failed: 0 } } },
  });
  expect(keys).toEqual([`a ${execution_id}:send:0`, `b ${execution_id}:send:1`, `b ${execution_id}:send:1`]);
  const events = await jsonOf<{ events: { type: string; data: object }[] }>(
    await request(`/workflows/${id}/runs/${again}/events`),
  );
  expect(events.events.slice(0, 2)).toMatchObject([
    { type: 'execution.created', data: { origin: 'rerun' } },
    { type: 'step.progress', data: { step_id: 'send', done: 1, failed: 0, total: 2 } },
  ]);
  expect(Object.keys(events.events[0]?.data ?? {})).toEqual([
    'workflow_name',
    'version',
    'background',
    'origin',
  ]);
});
