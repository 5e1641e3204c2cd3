import { STATUS_CODES } from 'node:http';
import { describe, expect, test } from 'vitest';
import { jsonPointer, parseIssue, problemBody } from '../../src/adapters/http/error-body.ts';
import { createTestApp, expectError, type TestApp } from '../support/http/app.ts';

const accept = { Accept: 'application/problem+json' };

/** Expects an error as problem details, and returns its body. */
async function expectProblem(response: Response, status: number): Promise<Record<string, unknown>> {
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.any(String) });
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('vary')).toBe('Accept');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  const { errors, ...problem } = JSON.parse(text) as Record<string, unknown>;
  const title = STATUS_CODES[status];
  expect(problem).toEqual({
    type: 'about:blank',
    title,
    status,
    error: title,
    detail: expect.stringMatching(/./),
  });
  expect(errors !== undefined).toBe(status === 422);
  return { ...problem, errors };
}

const workflow = { name: 'n', steps: [{ id: 'a', tool_name: 'lookup' }] };

describe('problem details', () => {
  test.each<[number, (app: TestApp) => Promise<Response>]>([
    [404, ({ request }) => request('/nobody', { headers: accept })],
    [404, ({ request }) => request('/trace/nobody', { headers: accept })],
    [405, ({ request }) => request('/tools', { method: 'PUT', headers: accept })],
    [413, ({ post }) => post('/messages', 'x'.repeat(1_100_000), accept)],
    [415, ({ post }) => post('/messages', '{}', { ...accept, 'Content-Type': 'text/plain' })],
    [422, ({ post }) => post('/messages', '{', accept)],
    [422, ({ request }) => request('/health?probe=x', { headers: accept })],
  ])('are the body of a %i', async (status, send) => {
    const app = createTestApp();
    await expectProblem(await send(app), status);
    expect(app.finished).toMatchObject([{ status }]);
  });

  test('are the body of 401 and 429, with their headers', async () => {
    const { request } = createTestApp({ requestLimit: 1, http: { apiKeys: ['key'] } });
    const unauthorized = await request('/tools', { headers: accept });
    expect(unauthorized.headers.get('www-authenticate')).toMatch(/^ApiKey /);
    await expectProblem(unauthorized, 401);
    const limited = await request('/tools', { headers: accept });
    expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
    await expectProblem(limited, 429);
  });

  test('are the body of 503 and 500', async () => {
    const { request } = createTestApp({ probes: { kvstore: async () => 'error' } });
    const response = await request('/health?probe=ready', { headers: accept });
    expect(response.headers.get('retry-after')).toBe('1');
    await expectProblem(response, 503);
    const traces = { get: () => Promise.reject(new Error('secret')) } as never;
    const broken = createTestApp({ ports: { traces } });
    const problem = await expectProblem(await broken.request('/trace/x', { headers: accept }), 500);
    expect(JSON.stringify(problem)).not.toContain('secret');
  });

  test.each([undefined, '*/*', 'application/json', 'application/*', 'application/problem+json;q=0'])(
    'are not sent for Accept: %s',
    async (value) => {
      const { request } = createTestApp();
      const headers = value === undefined ? {} : { Accept: value };
      const response = await request('/trace/?limit=0', { headers });
      expect(response.headers.has('vary')).toBe(false);
      await expectError(response, 422, 'limit: must be from 1 to 200');
    },
  );

  test('are sent where they are the least preferred type', async () => {
    const { request } = createTestApp();
    const headers = { Accept: 'application/json, application/problem+json;q=0.1' };
    await expectProblem(await request('/nobody', { headers }), 404);
  });

  test('do not change responses without an error', async () => {
    const { request } = createTestApp();
    const response = await request('/tools', { headers: accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  });
});

describe('the errors of a 422', () => {
  async function errorsOf(path: string, body?: unknown): Promise<unknown> {
    const { request, post } = createTestApp({ limits: { maxSubtasks: 1 } });
    const response = body === undefined ? request(path, { headers: accept }) : post(path, body, accept);
    return (await expectProblem(await response, 422))['errors'];
  }

  test('point into the body', async () => {
    expect(await errorsOf('/messages', { message: '', metadata: { 'a/b~c.d': 1 } })).toEqual([
      { pointer: '/customer_id', detail: 'is required' },
      { pointer: '/message', detail: 'must not be empty' },
      { pointer: '/metadata/a~1b~0c.d', detail: 'must be a text' },
    ]);
    expect(await errorsOf('/messages/batch', { messages: [{ customer_id: 'c', message: 1 }] })).toEqual([
      { pointer: '/messages/0/message', detail: 'must be a string' },
    ]);
  });

  test.each([
    ['{', 'must be well-formed JSON'],
    ['[]', 'must be an object'],
    ['1e999', 'must not contain numbers that are not finite'],
  ])('point to the body as a whole: %s', async (body, detail) => {
    expect(await errorsOf('/messages', body)).toEqual([{ pointer: '', detail }]);
  });

  test('name query parameters', async () => {
    expect(await errorsOf('/workflows?limit=0&offset=x')).toEqual([
      { pointer: 'limit', detail: 'must be from 1 to 200' },
      { pointer: 'offset', detail: 'must be an integer in plain decimal digits' },
    ]);
  });

  test('point to members of the input whose names are any text', async () => {
    const { post } = createTestApp();
    const properties = { 'order-id': { type: 'string' }, 'a/b': { items: { type: 'integer' } } };
    const definition = { ...workflow, input_schema: { properties } };
    const { id } = (await (await post('/workflows', definition)).json()) as { id: string };
    for (const action of ['run', 'simulate']) {
      const body = { input: { 'order-id': 1, 'a/b': ['x'] } };
      const { errors } = await expectProblem(await post(`/workflows/${id}/${action}`, body, accept), 422);
      expect(errors).toMatchObject([{ pointer: '/input/order-id' }, { pointer: '/input/a~1b/0' }]);
    }
  });

  test('point to members of a definition whose names are any text', async () => {
    const steps = [{ id: 'a', tool_name: 'lookup', static_input: { 'k.k': { 'a/b': '${{ nothing }}' } } }];
    expect(
      await errorsOf('/workflows', { name: 'n', steps, output: { 'x y': '${{ nothing }}' } }),
    ).toMatchObject([{ pointer: '/steps/0/static_input/k.k/a~1b' }, { pointer: '/output/x y' }]);
  });

  test('point to the mock of a step with any id', async () => {
    const { post } = createTestApp();
    const steps = [{ id: 'my-step', tool_name: 'lookup' }];
    const { id } = (await (await post('/workflows', { name: 'n', steps })).json()) as { id: string };
    const mocks = { 'my-step': { output: {}, error: 'x' } };
    const { errors } = await expectProblem(await post(`/workflows/${id}/simulate`, { mocks }, accept), 422);
    expect(errors).toEqual([{ pointer: '/mocks/my-step', detail: 'has an output and an error' }]);
  });

  test('point into the data of an approval', async () => {
    const { post, request } = createTestApp();
    const responseSchema = { type: 'object', required: ['amount-paid'] };
    const steps = [{ id: 'ask', kind: 'approval', title: 'Pay?', response_schema: responseSchema }];
    const { id } = (await (await post('/workflows', { name: 'n', steps })).json()) as { id: string };
    await post(`/workflows/${id}/run`, { background: true });
    const listed = async () =>
      ((await (await request('/inbox')).json()) as { items: { item_id: string }[] }).items[0]?.item_id;
    await expect.poll(listed).toBeDefined();
    const answer = { outcome: 'approved', by: 'ann', data: {} };
    const { errors } = await expectProblem(
      await post(`/inbox/${await listed()}/resolve`, answer, accept),
      422,
    );
    expect(errors).toEqual([{ pointer: '/data/amount-paid', detail: 'is missing' }]);
  });

  test('include those of the core', async () => {
    const steps = [
      { id: 'a', tool_name: 'lookup', depends_on: ['b', 'nobody'] },
      { id: 'b', tool_name: 'lookup', depends_on: ['a'] },
    ];
    expect(await errorsOf('/workflows', { ...workflow, steps })).toEqual([
      { pointer: '/steps/0/depends_on', detail: 'names the unknown step "nobody"' },
      { pointer: '/steps', detail: 'there is a cycle of dependencies: "a" -> "b" -> "a"' },
    ]);
    expect(await errorsOf('/workflows', { steps: [...steps, { id: 'a', tool_name: 'lookup' }] })).toEqual(
      expect.arrayContaining([
        { pointer: '/name', detail: 'is required' },
        { pointer: '/steps/2/id', detail: '"a" is already the id of steps.0' },
      ]),
    );
    const subtasks = [{ agent_name: 'echo' }, { agent_name: 'echo' }];
    expect(await errorsOf('/agents/route', { goal: 'g', subtasks })).toEqual([
      { pointer: '/subtasks', detail: expect.stringContaining('at most 1') },
    ]);
  });

  test('are at most 100, in a detail of at most 2,000 characters', async () => {
    const messages = new Array(100).fill({ customer_id: 1, message: 2 });
    const errors = await errorsOf('/messages/batch', { messages });
    expect(errors).toHaveLength(100);
  });
});

describe('the body of a problem', () => {
  test('has a shortened detail', () => {
    expect(problemBody({ status: 404, detail: 'x'.repeat(3_000) }).detail).toHaveLength(2_000);
  });

  test.each([
    ['body: must be well-formed JSON', '', 'must be well-formed JSON'],
    ['steps.0.id: is required', '/steps/0/id', 'is required'],
    ['input: contains: a colon', '/input', 'contains: a colon'],
    ['and 3 more issues', '', 'and 3 more issues'],
    ['no field here: at all', '', 'no field here: at all'],
  ])('reads the field of %j', (text, pointer, detail) => {
    expect(parseIssue(text)).toEqual({ pointer, detail });
  });

  test('escapes pointers', () => {
    expect(jsonPointer(['a', 0, '~/', ''])).toBe('/a/0/~0~1/');
  });
});
