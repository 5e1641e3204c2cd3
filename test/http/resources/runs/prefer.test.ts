import { describe, expect, test } from 'vitest';
import { settle } from '../../../support/fake-clock.ts';
import { createTestApp, jsonOf, lookup } from '../../../support/http/app.ts';

/** An app with a workflow whose only step waits until it is released. */
async function setUp(limits = {}) {
  const released = Promise.withResolvers<object>();
  const held = { ...lookup, name: 'held', execute: () => released.promise as never };
  const app = createTestApp({ tools: [lookup, held], limits });
  const create = async (tool: string) => {
    const created = await app.post('/workflows', { name: tool, steps: [{ id: 'a', tool_name: tool }] });
    return `/workflows/${(await jsonOf(created))['id']}`;
  };
  return {
    ...app,
    heldPath: await create('held'),
    path: await create('lookup'),
    release: () => released.resolve({}),
  };
}

const applied = ({ headers }: Response) => headers.get('preference-applied');

describe('Prefer: respond-async', () => {
  test('is the twin of background', async () => {
    const { post, request, path } = await setUp();
    const response = await post(`${path}/run`, { input: { n: 1 } }, { Prefer: 'respond-async' });
    expect([response.status, applied(response)]).toEqual([202, 'respond-async']);
    const run = await jsonOf(response);
    expect(run).toMatchObject({ status: 'PENDING', background: true, input: { n: 1 } });
    expect(response.headers.get('location')).toBe(`${path}/runs/${run['execution_id']}`);
    await expect
      .poll(async () => jsonOf(await request(`${path}/runs/${run['execution_id']}`)))
      .toMatchObject({ status: 'COMPLETED' });
  });

  test.each([
    [{ background: true }, 202, 'respond-async'],
    [{ background: false }, 200, null],
  ])('gives way to %j of the body', async (body, status, preference) => {
    const { post, path } = await setUp();
    const response = await post(`${path}/run`, body, { Prefer: 'respond-async' });
    expect([response.status, applied(response)]).toEqual([status, preference]);
  });

  test.each([undefined, 'return=minimal', 'respond-async=false', 'wait=soon'])(
    'is not assumed: %s',
    async (prefer) => {
      const { post, path } = await setUp();
      const response = await post(`${path}/run`, '', prefer === undefined ? {} : { Prefer: prefer });
      expect([response.status, applied(response)]).toEqual([200, null]);
    },
  );
});

describe('Prefer: wait', () => {
  test('makes no difference for a run that ends in time', async () => {
    const { post, path, clock } = await setUp();
    const response = await post(`${path}/run`, {}, { Prefer: 'wait=5' });
    expect([response.status, applied(response), response.headers.has('location')]).toEqual([
      200,
      'wait=5',
      false,
    ]);
    expect(await jsonOf(response)).toMatchObject({ status: 'COMPLETED', background: false });
    expect(clock.pending()).toBe(0);
  });

  test.each(['wait=5', 'wait=5, respond-async'])(
    'ends with 202 and the execution, which continues: %s',
    async (prefer) => {
      const { post, request, heldPath, clock, release } = await setUp();
      const responding = post(`${heldPath}/run`, {}, { Prefer: prefer });
      await clock.advance(4_999);
      expect(await Promise.race([responding, settle()])).toBeUndefined();
      await clock.advance(1);
      const response = await responding;
      expect([response.status, applied(response)]).toEqual([202, 'wait=5']);
      const run = await jsonOf(response);
      expect(run).toMatchObject({ status: 'RUNNING', background: false, completed_at: null });
      const location = response.headers.get('location') ?? '';
      expect(location).toBe(`${heldPath}/runs/${run['execution_id']}`);
      expect(await jsonOf(await request(location))).toEqual(run);
      release();
      await settle();
      expect(await jsonOf(await request(location))).toMatchObject({
        status: 'COMPLETED',
        duration_ms: 5_000,
      });
    },
  );

  test('of 0 seconds does not wait', async () => {
    const { post, heldPath, clock, release } = await setUp();
    const responding = post(`${heldPath}/run`, {}, { Prefer: 'wait=0' });
    await clock.advance(0);
    expect((await responding).status).toBe(202);
    release();
  });

  test('is not used for a run that the body sends to the background', async () => {
    const { post, path } = await setUp();
    const response = await post(`${path}/run`, { background: true }, { Prefer: 'wait=5' });
    expect([response.status, applied(response)]).toEqual([202, null]);
  });
});
