import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, postJson } from './support/process/service.ts';
import { define, getRun, post, type Services, startServices, work } from './support/process/services.ts';
import { sharedStores } from './support/process/shared-store.ts';
import { until } from './support/until.ts';

describe.each(sharedStores)('replicas on $name', ({ kind }) => {
  let services: Services;

  beforeAll(async () => {
    const settings = { RUN_RECOVERY: 'resume', RUN_UNKNOWN_OUTCOME: 'ask', SHUTDOWN_GRACE_SECONDS: '0' };
    services = await startServices(kind, settings);
  });
  afterAll(() => services.close());

  test('a write that still acts when its replica stops waits in the other one, which takes one decision', async () => {
    const { one, two } = services;
    const steps = [
      work('ask', [], {}),
      {
        id: 'after',
        kind: 'agent',
        agent_name: 'echo',
        depends_on: ['ask'],
        static_input: { n: '$step.ask.n' },
      },
    ];
    const workflow = await define(one, ...steps);
    // The replica that gets the request runs it.
    const called = postJson(`${one.baseUrl}/workflows/${workflow}/run`, {});
    await until('it acts', async () => (await services.calls()).length === 1);
    one.process.kill('SIGTERM');
    const { execution_id: id } = await bodyOf<{ execution_id: string }>(await called);
    await until('it waits', async () => (await getRun(two, id)).status === 'WAITING', 30_000);
    const { items } = await bodyOf<{ items: readonly { item_id: string }[] }>(
      await fetch(`${two.baseUrl}/inbox?kind=recovery`),
    );
    expect(items).toMatchObject([{ payload: { step_id: 'ask', tool_name: 'work', effect: 'write' } }]);
    const answers = await Promise.all([
      postJson(`${two.baseUrl}/inbox/${items[0]?.item_id}/resolve`, {
        outcome: 'completed',
        output: { n: 1 },
        by: 'ann',
      }),
      post(two, `/runs/${id}/steps/ask/resolve`, { outcome: 'completed', output: { n: 2 }, by: 'bob' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await until('it has ended', async () => (await getRun(two, id)).status === 'COMPLETED');
    const [byAnn] = answers.map(({ status }) => status === 200);
    expect((await getRun(two, id)).step_results['after']).toMatchObject({ output: { n: byAnn ? 1 : 2 } });
    const item = await bodyOf(await fetch(`${two.baseUrl}/inbox/${items[0]?.item_id}`));
    expect(item).toMatchObject({ status: 'resolved', resolution: { by: byAnn ? 'ann' : 'bob' } });
    expect(await services.calls()).toEqual([`${id}:ask`]);
  });
});
