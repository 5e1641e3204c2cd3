import { describe, expect, test } from 'vitest';
import { memoryStorage } from '../../../src/adapters/memory-storage.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import type { RoutingResult } from '../../../src/domain/routing/routing.ts';
import { createTestApp, expectError, jsonOf, type TestApp } from '../../support/http/app.ts';
import { oldTrace } from '../../support/old-trace.ts';

const noon = Date.parse('2026-01-01T12:00:00.000Z');
const at = (minutes: number) => new Date(noon + minutes * 60_000).toISOString();

/** The members of each trace of the app; the newest is the last. */
const traces = [
  { customerId: 'ann', intent: 'refund', escalated: false, status: 'COMPLETED' },
  { customerId: 'bob', intent: 'billing', escalated: true, status: 'COMPLETED' },
  { customerId: 'ann', intent: 'unknown', escalated: true, status: 'FAILED' },
  { customerId: 'a b&c=ü"', intent: 'refund', escalated: true, status: 'COMPLETED' },
] as const;

const routings = ['completed', 'partial', 'failed', 'completed'] as const;

/** An app whose records were created at noon, and one, two and three minutes later. */
async function createFilledApp(): Promise<TestApp> {
  const stores = memoryStorage();
  for (const [number, fields] of traces.entries()) {
    const trace = { ...oldTrace, traceId: `trace-${number}`, createdAt: at(number), ...fields };
    await stores.traces.put(trace as unknown as Trace);
  }
  for (const [number, status] of routings.entries()) {
    const result: RoutingResult = {
      routingId: `routing-${number}`,
      goal: 'g',
      status,
      decomposition: 'explicit',
      unassigned: [],
      subtaskCounts: { total: 0, completed: 0, failed: 0 },
      results: [],
      error: null,
      customerId: null,
      forwarded: [],
      createdAt: at(number),
      completedAt: at(number),
      durationMs: 0,
    };
    await stores.routes.put(result);
  }
  return createTestApp({ ports: { traces: stores.traces, routes: stores.routes } });
}

interface Listed {
  readonly total: number;
  readonly traces?: readonly { readonly trace_id: string }[];
  readonly routes?: readonly { readonly routing_id: string }[];
}

/** The numbers of the listed records, newest first. */
async function numbersAt(path: string): Promise<readonly number[]> {
  const { request } = await createFilledApp();
  const response = await request(path);
  expect(response.status).toBe(200);
  const page = await jsonOf<Listed>(response);
  const ids = [...(page.traces ?? []).map((item) => item.trace_id)];
  ids.push(...(page.routes ?? []).map((item) => item.routing_id));
  expect(page.total).toBe(ids.length);
  return ids.map((id) => Number(id.split('-')[1]));
}

describe('GET /trace/ with filters', () => {
  test.each([
    ['status=FAILED', [2]],
    ['status=COMPLETED', [3, 1, 0]],
    ['status=FAILED,COMPLETED', [3, 2, 1, 0]],
    ['status=COMPLETED%2CFAILED%2CFAILED', [3, 2, 1, 0]],
    ['intent=refund', [3, 0]],
    ['intent=unknown', [2]],
    ['intent=shipping', []],
    ['escalated=true', [3, 2, 1]],
    ['escalated=false', [0]],
    ['customer_id=ann', [2, 0]],
    [`customer_id=${encodeURIComponent('a b&c=ü"')}`, [3]],
    ['customer_id=Ann', []],
    ['customer_id=', []],
    ['since=2026-01-01T12:01:00Z', [3, 2, 1]],
    ['since=2026-01-01T12:01:00.0001Z', [3, 2]],
    ['until=2026-01-01T12:01:00Z', [0]],
    ['until=2026-01-01T12:01:00.000000001Z', [1, 0]],
    ['since=2026-01-01T12:01Z&until=2026-01-01T12:03Z', [2, 1]],
    ['since=2026-01-01T14:01:00%2B02:00&until=2026-01-01T07:03:00-05:00', [2, 1]],
    ['since=2026-01-01T12:03:00Z&until=2026-01-01T12:01:00Z', []],
    ['status=COMPLETED&escalated=true&intent=refund&since=2026-01-01T12:00:00Z', [3]],
    ['Status=x&disposition=x&workflow_id=x&constructor=1&__proto__=2', [3, 2, 1, 0]],
  ])('lists what fits %s', async (query, numbers) => {
    expect(await numbersAt(`/trace/?${query}`)).toEqual(numbers);
  });

  test.each([
    ['status=DONE', 'status: must be one or more of COMPLETED, FAILED, separated by commas'],
    ['status=', 'status: must be one or more of COMPLETED, FAILED, separated by commas'],
    ['status=FAILED,', 'status: must be one or more of COMPLETED, FAILED, separated by commas'],
    ['status=failed', 'status: must be one or more of COMPLETED, FAILED, separated by commas'],
    ['status=COMPLETED,DONE', 'status: must be one or more of COMPLETED, FAILED, separated by commas'],
    ['status=FAILED&status=COMPLETED', 'status: must be given once'],
    ['intent=weather', 'intent: must be an intent of the playbook, or unknown'],
    ['intent=', 'intent: must be an intent of the playbook, or unknown'],
    ['intent=__proto__', 'intent: must be an intent of the playbook, or unknown'],
    ['intent=refund&intent=refund', 'intent: must be given once'],
    ['escalated=yes', 'escalated: must be true or false'],
    ['escalated=', 'escalated: must be true or false'],
    ['escalated=true&escalated=false', 'escalated: must be given once'],
    ['customer_id=a&customer_id=b', 'customer_id: must be given once'],
    [
      'escalated=1&intent=x',
      'intent: must be an intent of the playbook, or unknown; escalated: must be true or false',
    ],
  ])('rejects %s', async (query, detail) => {
    const { request } = await createFilledApp();
    await expectError(await request(`/trace/?${query}`), 422, detail);
  });

  test('knows the intents of its own playbook', async () => {
    const { ports } = createTestApp();
    const refund = ports.playbook.intents.get('refund') ?? expect.fail();
    const playbook = { ...ports.playbook, intents: new Map([['warranty', refund]]) };
    const { request } = createTestApp({ ports: { playbook } });
    expect((await request('/trace/?intent=warranty')).status).toBe(200);
    expect((await request('/trace/?intent=unknown')).status).toBe(200);
    await expectError(await request('/trace/?intent=refund'), 422, /^intent: /);
  });
});

describe('GET /agents/routes with filters', () => {
  test.each([
    ['status=completed', [3, 0]],
    ['status=partial,failed', [2, 1]],
    ['since=2026-01-01T12:01:00Z&until=2026-01-01T12:03:00Z', [2, 1]],
    ['status=completed&since=2026-01-01T12:01:00Z', [3]],
    ['intent=weather&escalated=x&customer_id=a&customer_id=b', [3, 2, 1, 0]],
  ])('lists what fits %s', async (query, numbers) => {
    expect(await numbersAt(`/agents/routes?${query}`)).toEqual(numbers);
  });

  test.each(['COMPLETED', 'planned', '', 'completed, failed'])('rejects the status %j', async (status) => {
    const { request } = await createFilledApp();
    await expectError(
      await request(`/agents/routes?status=${encodeURIComponent(status)}`),
      422,
      'status: must be one or more of completed, partial, failed, separated by commas',
    );
  });
});

describe.each(['/trace/', '/agents/routes'])('the times of GET %s', (path) => {
  test.each([
    '',
    'yesterday',
    '2026-01-01',
    '2026-01-01T12:00:00',
    '2026-01-01 12:00:00Z',
    '2026-02-30T12:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T12:00:00+02',
    '2026-01-01T12:00:00 02:00',
    '1767268800000',
    `2026-01-01T12:00:00.${'1'.repeat(10_000)}Z`,
  ])('reject %j, with the name of the parameter', async (time) => {
    const { request } = await createFilledApp();
    for (const name of ['since', 'until']) {
      const response = await request(`${path}?${name}=${encodeURIComponent(time)}`);
      await expectError(response, 422, new RegExp(`^${name}: must be an ISO 8601 time with Z or an offset`));
    }
  });

  test('are accepted from the first to the last year', async () => {
    const { request } = await createFilledApp();
    const query = 'since=0000-01-01T00:00:00%2B14:00&until=9999-12-31T23:59:59.999999-12:00';
    expect(await jsonOf(await request(`${path}?${query}`))).toMatchObject({ total: 4 });
  });
});

test('problem details name the parameter', async () => {
  const { request } = await createFilledApp();
  const headers = { Accept: 'application/problem+json' };
  const response = await request('/trace/?since=now', { headers });
  expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: 'since' }] });
});

test.each([
  ['/trace/?status=COMPLETED&since=2026-01-01T14:00:00%2B02:00&limit=1', [3, 1, 0]],
  ['/agents/routes?status=failed,completed&until=2026-01-01T13:00:00Z&limit=1', [3, 2, 0]],
])('the links of %s lead through what fits', async (path, numbers) => {
  const { request } = await createFilledApp();
  const seen: number[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const response: Response = await request(next);
    const { traces: listed = [], routes = [], total } = await jsonOf<Listed>(response);
    expect(total).toBe(numbers.length);
    const ids = [...listed.map((item) => item.trace_id), ...routes.map((item) => item.routing_id)];
    seen.push(...ids.map((id) => Number(id.split('-')[1])));
    next = /^<([^<>]*)>/.exec(response.headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual(numbers);
});

test('a program lists with the same filters', async () => {
  const { orchestrator } = await createFilledApp();
  const page = { limit: 50, offset: 0 };
  const failed = await orchestrator.traces.list(page, { statuses: ['FAILED'], escalated: true });
  expect(failed).toMatchObject({ total: 1, items: [{ traceId: 'trace-2' }] });
  const routes = await orchestrator.agents.listRoutes(page, { statuses: ['partial'], since: noon });
  expect(routes).toMatchObject({ total: 1, items: [{ routingId: 'routing-1', unassigned: [] }] });
});

test('the OpenAPI document lists the filters, and the intents of the playbook', async () => {
  interface Parameter {
    readonly name: string;
    readonly required?: boolean;
    readonly schema: { readonly enum?: readonly string[]; readonly format?: string; readonly type?: string };
  }
  interface Document {
    readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly Parameter[] } }>>;
  }
  const { paths } = await jsonOf<Document>(await createTestApp().request('/openapi.json'));
  const namesOf = (path: string) => paths[path]?.get.parameters.map(({ name }) => name);
  expect(namesOf('/agents/routes')).toEqual(['limit', 'offset', 'status', 'since', 'until']);
  expect(namesOf('/trace/')).toEqual([
    ...['limit', 'offset', 'status', 'intent', 'escalated', 'customer_id', 'since', 'until'],
  ]);
  const parameters = paths['/trace/']?.get.parameters ?? [];
  for (const { required, schema } of parameters) {
    expect([required ?? false, schema.type]).toEqual([false, expect.stringMatching(/^(string|integer)$/)]);
  }
  const schemas = new Map(parameters.map(({ name, schema }) => [name, schema]));
  expect(schemas.get('intent')?.enum).toEqual(expect.arrayContaining(['refund', 'unknown']));
  expect(schemas.get('escalated')?.enum).toEqual(['true', 'false']);
  expect(schemas.get('since')?.format).toBe('date-time');
});
