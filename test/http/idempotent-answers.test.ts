import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/adapters/memory-storage.ts';
import { unavailable } from '../../src/domain/errors.ts';
import type { IdempotencyStore } from '../../src/ports/storage/record-store.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { createTestApp, jsonOf, lookup } from '../support/http/app.ts';

const key = { 'Idempotency-Key': '8e03978e-40d5-43dd-bc93-6894a57f9324' };

const message = { customer_id: 'c-1', message: 'I want a refund.' };

/** An app with a workflow whose only step waits until it is released. */
async function setUp(more: Partial<IdempotencyStore> = {}) {
  const released = Promise.withResolvers<object>();
  const held: Tool = { ...lookup, name: 'held', execute: () => released.promise as never };
  const idempotency = { ...createMemoryStorage({ clock: createFakeClock() }).idempotency, ...more };
  const app = createTestApp({ tools: [lookup, held], ports: { idempotency } });
  const create = async (tool: string) => {
    const created = await app.post('/workflows', { name: tool, steps: [{ id: 'a', tool_name: tool }] });
    return `/workflows/${(await jsonOf(created))['id']}`;
  };
  const release = async () => {
    released.resolve({});
    await settle();
  };
  return { ...app, heldPath: await create('held'), path: await create('lookup'), release };
}

const headersOf = ({ headers }: Response) =>
  ['preference-applied', 'location', 'idempotency-replayed'].map((name) => headers.get(name));

describe('a repeat of a run with preferences', () => {
  test.each(['respond-async', 'wait=5', 'wait=0', null])(
    'gets the first answer, whatever it prefers itself: %s',
    async (prefer) => {
      const { post, path } = await setUp();
      const first = await post(`${path}/run`, {}, { ...key, Prefer: 'respond-async' });
      const location = first.headers.get('location');
      expect([first.status, ...headersOf(first)]).toEqual([202, 'respond-async', location, null]);
      await settle();
      const repeat = await post(`${path}/run`, {}, { ...key, ...(prefer && { Prefer: prefer }) });
      expect([repeat.status, ...headersOf(repeat)]).toEqual([202, 'respond-async', location, 'true']);
      expect(await repeat.text()).toBe(await first.text());
      const plain = await post(`${path}/run`, {}, { 'Idempotency-Key': 'plain' });
      const asked = { 'Idempotency-Key': 'plain', ...(prefer && { Prefer: prefer }) };
      const again = await post(`${path}/run`, {}, asked);
      expect([again.status, ...headersOf(again)]).toEqual([200, null, null, 'true']);
      expect(await again.text()).toBe(await plain.text());
    },
  );

  test('gets the 202 of a wait that was over, also when the run has ended since', async () => {
    const { post, request, heldPath, clock, release } = await setUp();
    const prefer = { ...key, Prefer: 'wait=5' };
    const responding = post(`${heldPath}/run`, {}, prefer);
    await settle();
    const early = await post(`${heldPath}/run`, {}, prefer);
    expect([early.status, early.headers.get('retry-after')]).toEqual([409, '1']);
    await clock.advance(5_000);
    const first = await responding;
    const location = first.headers.get('location') ?? '';
    expect([first.status, ...headersOf(first)]).toEqual([202, 'wait=5', location, null]);
    expect(early.headers.get('location')).toBe(location);
    await release();
    expect(await jsonOf(await request(location))).toMatchObject({ status: 'COMPLETED' });
    const repeat = await post(`${heldPath}/run`, {}, prefer);
    expect([repeat.status, ...headersOf(repeat)]).toEqual([202, 'wait=5', location, 'true']);
    expect(await repeat.text()).toBe(await first.text());
  });

  test('gets the record when the answer was not kept', async () => {
    const complete = () => Promise.reject(unavailable('the store cannot be reached', 1));
    const { post, path, idempotent } = await setUp({ complete });
    const background = await post(`${path}/run`, {}, { ...key, Prefer: 'respond-async' });
    await settle();
    const again = await post(`${path}/run`, {}, { ...key, Prefer: 'respond-async' });
    const location = background.headers.get('location');
    expect([again.status, ...headersOf(again)]).toEqual([202, 'respond-async', location, 'true']);
    expect(await jsonOf(again)).toMatchObject({ status: 'COMPLETED', background: true });
    const other = await post(`${path}/run`, {}, { ...key, Prefer: 'wait=5' });
    expect([other.status, ...headersOf(other)]).toEqual([202, null, location, 'true']);
    expect(idempotent).toEqual(['claimed', 'recalled', 'recalled']);
  });
});

describe('problem details about an Idempotency-Key', () => {
  const problem = { Accept: 'application/problem+json' };

  async function expectProblem(response: Response, status: number, errors?: readonly object[]) {
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json',
    ]);
    const { detail, ...body } = JSON.parse(await response.text()) as Record<string, unknown>;
    expect(detail).toMatch(/./);
    expect(body).toMatchObject({ type: 'about:blank', status, ...(errors && { errors }) });
    expect('errors' in body).toBe(errors !== undefined);
  }

  test('are the body of a 409, with its headers', async () => {
    const { post, heldPath, release } = await setUp();
    const first = post(`${heldPath}/run`, {}, key);
    await settle();
    const response = await post(`${heldPath}/run`, {}, { ...key, ...problem });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('location')).toContain(`${heldPath}/runs/`);
    await expectProblem(response, 409);
    await release();
    await first;
  });

  test('name the header in a 422', async () => {
    const { post } = await setUp();
    await post('/messages', message, key);
    const other = await post('/messages', { ...message, source: 'chat' }, { ...key, ...problem });
    const pointer = 'Idempotency-Key';
    await expectProblem(other, 422, [{ pointer, detail: 'was used with another body' }]);
    const malformed = await post('/messages', message, { 'Idempotency-Key': 'a b', ...problem });
    await expectProblem(malformed, 422, [
      { pointer, detail: expect.stringMatching(/^must have 1 to 255 visible ASCII characters/) },
    ]);
  });

  test('are the body of a 503, with its header', async () => {
    const claim = () => Promise.reject(unavailable('the store cannot be reached', 3));
    const { post } = await setUp({ claim });
    const response = await post('/messages', message, { ...key, ...problem });
    expect(response.headers.get('retry-after')).toBe('3');
    await expectProblem(response, 503);
  });

  test('are not kept: the repeat of a request that they rejected does its work', async () => {
    const { post, idempotent } = await setUp();
    const rejected = await post('/workflows/unknown/run', {}, { ...key, ...problem });
    await expectProblem(rejected, 404);
    expect((await post('/workflows/unknown/run', {}, key)).status).toBe(404);
    expect(idempotent).toEqual(['claimed', 'claimed']);
  });
});

describe('POST /tools/{name}/call with an Idempotency-Key', () => {
  test('gives the tool the key of the body, and without one a key of its own', async () => {
    const keys: string[] = [];
    const tool: Tool = { ...lookup, execute: (_, { idempotencyKey }) => ({ n: keys.push(idempotencyKey) }) };
    const { post, idempotent } = createTestApp({ tools: [tool] });
    const call = (body: object, name: string) =>
      post('/tools/lookup/call', body, { 'Idempotency-Key': name });
    for (const name of ['one', 'one', 'two']) await call({ input: {} }, name);
    for (const name of ['three', 'three']) await call({ input: {}, idempotency_key: 'try-1' }, name);
    expect(keys).toEqual([expect.stringMatching(/-/), expect.stringMatching(/-/), 'try-1']);
    expect(keys[0]).not.toBe(keys[1]);
    expect(idempotent).toEqual(['claimed', 'replayed', 'claimed', 'claimed', 'replayed']);
  });

  test('leaves the key free when there is no such tool', async () => {
    const { post } = createTestApp();
    const call = (name: string) => post(`/tools/${name}/call`, { input: {} }, key);
    expect((await call('nothing')).status).toBe(404);
    expect((await call('nothing')).status).toBe(404);
  });
});
