import { describe, expect, test } from 'vitest';
import { readExamples } from '../../src/adapters/http/docs/openapi.ts';
import { createTestApp, jsonOf } from '../support/http/app.ts';
import { serviceApp } from '../support/http/every-way.ts';
import { createMemoryRuns, runIdAt, runRecord } from '../support/http/memory-runs.ts';

interface Content {
  readonly schema: { readonly safeParse?: (value: unknown) => { success: boolean; data?: unknown } };
  readonly example?: unknown;
}

interface Documented {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly schema: { example?: unknown };
  }[];
  readonly requestBody?: Documented;
  readonly responses: Readonly<Record<string, Documented & { readonly headers?: object }>>;
}

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema & { readonly $ref?: string }>>;
}

interface Description {
  readonly openapi: string;
  readonly security?: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: object;
  };
}

const description = await jsonOf<Description>(await createTestApp().request('/openapi.json'));

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);

/** Every route with its statuses. Most include those of the access control and of unexpected failures. */
const common = [401, 403, 429, 500];
const body = [400, 413, 415, 422];
const answers: Readonly<Record<string, readonly number[]>> = {
  'GET /': [200, ...common],
  'GET /health': [200, 422, 500, 503],
  'GET /metrics': [200, 429, 500],
  'POST /messages': [200, 409, ...body, ...common, 503],
  'POST /messages/batch': [200, 409, ...body, ...common, 503],
  'GET /trace/': [200, 422, ...common, 503],
  'GET /trace/{trace_id}': [200, 304, 404, ...common, 503],
  'DELETE /trace/{trace_id}': [204, 404, ...common, 503],
  'GET /inbox': [200, 404, 422, ...common, 503],
  'GET /inbox/{id}': [200, 404, ...common, 503],
  'POST /inbox/next': [200, 204, 404, ...body, ...common, 503],
  'POST /inbox/{id}/claim': [200, 404, 409, 412, ...body, ...common, 503],
  'POST /inbox/{id}/release': [200, 404, 409, 412, ...body, ...common, 503],
  'POST /inbox/{id}/assign': [200, 404, 409, 412, ...body, ...common, 503],
  'POST /inbox/{id}/notes': [200, 404, 409, 412, ...body, ...common, 503],
  'POST /inbox/{id}/resolve': [200, 404, 409, 412, ...body, ...common, 503],
  'GET /conversations/{id}': [200, 404, ...common, 503],
  'DELETE /conversations/{id}': [204, 404, ...common, 503],
  'GET /datasets': [200, ...common, 503],
  'GET /datasets/{id}/examples': [200, 404, 422, ...common, 503],
  'POST /datasets/{id}/examples/{example_id}/accept': [200, 404, ...body, ...common, 503],
  'POST /datasets/{id}/examples/{example_id}/reject': [200, 404, ...body, ...common, 503],
  'POST /erase': [200, ...body, ...common, 503],
  'GET /trace/{trace_id}/events': [200, 204, 404, 422, ...common, 503],
  'GET /agents/routes/{routing_id}/events': [200, 204, 404, 422, ...common, 503],
  'GET /events': [200, 404, 422, ...common, 503],
  'GET /tools': [200, 422, ...common],
  'POST /tools/{name}/call': [200, 404, 409, ...body, ...common, 503],
  'POST /workflows': [201, 409, ...body, ...common, 503],
  'POST /workflows/validate': [200, ...body, ...common, 503],
  'GET /workflows': [200, 422, ...common, 503],
  'GET /workflows/{id}': [200, 304, 404, ...common, 503],
  'PUT /workflows/{id}': [200, 201, 404, 409, 412, ...body, ...common, 503],
  'GET /workflows/{id}/versions': [200, 404, 422, ...common, 503],
  'GET /workflows/{id}/versions/{n}': [200, 304, 404, 422, ...common, 503],
  'DELETE /workflows/{id}': [204, 404, ...common, 503],
  'POST /workflows/{id}/run': [200, 202, 404, 409, ...body, ...common, 503],
  'POST /workflows/{id}/simulate': [200, 404, ...body, ...common, 503],
  'GET /workflows/{id}/runs': [200, 404, 422, ...common, 503],
  'GET /workflows/{id}/runs/{execution_id}': [200, 304, 404, ...common, 503],
  'GET /workflows/{id}/runs/{execution_id}/events': [200, 204, 404, 422, ...common, 503],
  'GET /runs': [200, 404, 422, ...common, 503],
  'GET /runs/{execution_id}': [200, 304, 404, ...common, 503],
  'DELETE /runs/{execution_id}': [204, 404, 409, ...common, 503],
  'POST /runs/{execution_id}/cancel': [200, 202, 404, ...body, ...common, 503],
  'POST /runs/{execution_id}/retry': [202, 404, 409, ...common, 503],
  'POST /runs/{execution_id}/rerun': [200, 202, 404, 409, ...body, ...common, 503],
  'POST /runs/{execution_id}/steps/{step_id}/resolve': [200, 404, 409, ...body, ...common, 503],
  'POST /schedules': [201, 409, ...body, ...common, 503],
  'GET /schedules': [200, 422, ...common, 503],
  'GET /schedules/{id}': [200, 404, ...common, 503],
  'PUT /schedules/{id}': [200, 404, 412, ...body, ...common, 503],
  'DELETE /agents/routes/{routing_id}': [204, 404, ...common, 503],
  'DELETE /schedules/{id}': [204, 404, ...common, 503],
  'POST /schedules/{id}/trigger': [202, 404, 409, 422, ...common, 503],
  'GET /schedules/{id}/preview': [200, 404, 422, ...common, 503],
  'GET /agents': [200, 422, ...common],
  'POST /agents/route': [200, 409, ...body, ...common, 503],
  'GET /agents/routes': [200, 422, ...common, 503],
  'GET /agents/routes/{routing_id}': [200, 404, ...common, 503],
  'GET /stats': [200, 422, ...common, 503],
  'GET /system': [200, ...common],
  'POST /system/reload': [200, 404, 422, ...common, 503],
  'POST /evaluation': [200, 404, ...body, ...common, 503],
};

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1 and has every route with every status', () => {
    expect(description.openapi).toBe('3.1.0');
    const named = operations.map(({ name, operation }) => [name, Object.keys(operation.responses).sort()]);
    const expected = Object.entries(answers).map(([name, all]) => [name, [...all].sort().map(String)]);
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(expected));
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  test.each(operations)(
    'describes $name with its parameters, request and responses, with examples',
    ({ operation }) => {
      const { summary, tags, parameters = [], requestBody, responses } = operation;
      expect([summary, operation.description]).toEqual([
        expect.stringMatching(/./),
        expect.stringMatching(/\.$/),
      ]);
      expect(tags).toHaveLength(1);
      for (const parameter of parameters) expect(parameter.description).toMatch(/./);
      const documented = [...(requestBody === undefined ? [] : [requestBody]), ...Object.values(responses)];
      for (const { description: text, content = {} } of documented) {
        expect(text).toMatch(/./);
        for (const { example } of Object.values(content)) expect(example).toBeDefined();
      }
      for (const status of ['429', '503'].filter((one) => one in responses)) {
        expect(responses[status]?.headers).toHaveProperty('Retry-After');
      }
    },
  );

  test.each([
    ['/workflows/{id}/run', 'id'],
    ['/runs/{execution_id}/rerun', 'execution_id'],
  ])('has the headers of preferences and of an idempotency key: %s', (path, id) => {
    const { parameters = [], responses } = description.paths[path]?.['post'] ?? expect.fail();
    expect(parameters.map(({ name }) => name).sort()).toEqual(['Idempotency-Key', 'Prefer', id]);
    const headersOf = (status: string) => Object.keys(responses[status]?.headers ?? {}).sort();
    expect(headersOf('200')).toEqual(['Idempotency-Replayed', 'Preference-Applied']);
    expect(headersOf('202')).toEqual(['Idempotency-Replayed', 'Location', 'Preference-Applied']);
    expect(headersOf('409')).toEqual(['Location', 'Retry-After']);
  });

  test('says for each 409 what is in conflict', () => {
    const conflicts = operations.map(({ name, operation }) => [
      name,
      operation.responses['409']?.description,
    ]);
    const key = 'The first request with this `Idempotency-Key` is under way, or its answer is not kept';
    expect(Object.fromEntries(conflicts)).toMatchObject({
      'POST /workflows': `The collection is full. ${key}`,
      'POST /workflows/{id}/run': key,
      'POST /messages': `A conversation belongs to another customer. ${key}`,
      'POST /inbox/{id}/claim':
        'Somebody else has claimed it, it waits no more, or `version` is not the one that the item has',
      'POST /runs/{execution_id}/rerun': `The execution has not ended. ${key}`,
      'POST /runs/{execution_id}/retry': 'The execution is neither FAILED nor CANCELLED',
      'POST /runs/{execution_id}/steps/{step_id}/resolve':
        'The step does not wait for a decision, or somebody has decided already',
      'DELETE /runs/{execution_id}': 'The execution has not ended',
      'POST /schedules/{id}/trigger': 'The workflow of the schedule was deleted',
    });
  });

  test('describes every field of every schema', () => {
    const silent = Object.entries(description.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, schema]) => schema.description === undefined && schema.$ref === undefined)
        .map(([field]) => `${name}.${field}`),
    );
    expect(silent).toEqual([]);
  });

  test('requires a key for the same routes as the service', async () => {
    expect(description.security).toEqual([]);
    expect(description.components.securitySchemes).toBeUndefined();
    const app = createTestApp({ http: { apiKeys: ['key'] } });
    const response = await app.request('/openapi.json', { headers: { 'X-Api-Key': 'key' } });
    const { security, components, paths } = await jsonOf<Description>(response);
    expect(security).toEqual([{ ApiKey: [] }]);
    expect(components.securitySchemes).toEqual({
      ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    });
    const exempt = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap((operation) => (operation.security === undefined ? [] : [path])),
    );
    expect(exempt).toEqual(['/health', '/metrics']);
  });
});

const examples = await readExamples();

const described = createTestApp().app.openAPIRegistry.definitions.flatMap((definition) => {
  if (definition.type !== 'route') return [];
  const { operationId, request, responses } = definition.route as unknown as {
    readonly operationId: string;
    readonly request?: { readonly body?: Documented };
    readonly responses: Readonly<Record<string, Documented>>;
  };
  const documented = Object.entries({ request: request?.body, ...responses });
  return documented.flatMap(([what, one]) =>
    Object.entries(one?.content ?? {}).map(([type, content]) => {
      const part = type === 'application/json' ? what : `${what} ${type}`;
      return {
        name: `${operationId}, ${part}`,
        content: { example: examples[operationId]?.[part], ...content },
      };
    }),
  );
});

/** The example of a request, or of a response with a status. */
const example = (operationId: string, status = 'request'): unknown =>
  described.find(({ name }) => name === `${operationId}, ${status}`)?.content.example;
/** Expects a response with the fields of its example. */
const real = async (response: Response | Promise<Response>, operationId: string, status: string) => {
  const { status: answered } = await response;
  expect([operationId, String(answered)]).toEqual([operationId, status]);
  const value = await jsonOf(await response);
  expect([operationId, fieldsOf(value)]).toEqual([operationId, fieldsOf(example(operationId, status))]);
  return value;
};

describe('the example of', () => {
  test.each(described)('$name matches its schema', ({ name, content }) => {
    const parsed = content.schema.safeParse?.(content.example);
    expect(parsed?.success).toBe(true);
    // Defaults are added to requests only.
    if (name.endsWith('request')) expect(parsed?.data).toMatchObject(content.example as object);
    else expect(parsed?.data).toEqual(content.example);
  });

  test('a plan matches the schema of the response to a goal', () => {
    const { content } = described.find(({ name }) => name === 'routeGoal, 200') ?? expect.fail();
    expect(content.schema.safeParse?.(examples['RoutingPlan'])?.data).toEqual(examples['RoutingPlan']);
  });

  test('every request is accepted, and every response has the fields of the real one', async () => {
    const app = serviceApp();
    const { trace_id } = await real(
      app.post('/messages', example('processMessage')),
      'processMessage',
      '200',
    );
    await real(app.post('/messages/batch', example('processMessages')), 'processMessages', '200');
    await real(app.request(`/trace/${trace_id}`), 'getTrace', '200');
    await real(app.request('/trace'), 'listTraces', '200');
    const { id } = await real(app.post('/workflows', example('createWorkflow')), 'createWorkflow', '201');
    await real(app.request('/workflows'), 'listWorkflows', '200');
    await real(app.request(`/workflows/${id}`), 'getWorkflow', '200');
    const run = example('runWorkflow') as object;
    const { execution_id } = await real(app.post(`/workflows/${id}/run`, run), 'runWorkflow', '200');
    await real(app.post(`/workflows/${id}/run`, { ...run, background: true }), 'runWorkflow', '202');
    const simulated = app.post(`/workflows/${id}/simulate`, example('simulateWorkflow'));
    await real(simulated, 'simulateWorkflow', '200');
    await real(app.request(`/workflows/${id}/runs`), 'listRuns', '200');
    await real(app.request(`/workflows/${id}/runs/${execution_id}`), 'getRun', '200');
    const { routing_id } = await real(app.post('/agents/route', example('routeGoal')), 'routeGoal', '200');
    await real(app.request('/agents/routes'), 'listRoutes', '200');
    await real(app.request(`/agents/routes/${routing_id}`), 'getRoute', '200');
    await real(app.request('/agents'), 'listAgents', '200');
    await real(app.request('/tools'), 'listTools', '200');
    await real(app.post('/evaluation', example('evaluate')), 'evaluate', '200');
    await real(app.request('/health'), 'getHealth', '200');
    await real(app.request('/'), 'getStartPage', '200');
  });

  test('every request to the inbox and the datasets is accepted, and answered with the fields of its response', async () => {
    const app = serviceApp();
    const message = 'The heater burned my hand. I want my money back.';
    const sent = { customer_id: 'customer-42', conversation_id: 'thread-7', message };
    const { item_id, trace_id } = await jsonOf(await app.post('/messages', sent));
    const path = `/inbox/${item_id}`;
    await real(app.request('/inbox'), 'listInbox', '200');
    const { trace, ...others } = await jsonOf<{ trace: { trace_id: string } }>(await app.request(path));
    const { trace: _, ...documented } = example('getInboxItem', '200') as { trace: unknown };
    expect([trace.trace_id, fieldsOf(others)]).toEqual([trace_id, fieldsOf(documented)]);
    await real(app.request('/conversations/thread-7'), 'getConversation', '200');
    await real(app.post('/inbox/next', example('claimNextInboxItem')), 'claimNextInboxItem', '200');
    await real(
      app.post(`${path}/release`, { ...(example('releaseInboxItem') as object), version: 2 }),
      'releaseInboxItem',
      '200',
    );
    await real(
      app.post(`${path}/claim`, { ...(example('claimInboxItem') as object), version: 3 }),
      'claimInboxItem',
      '200',
    );
    await real(app.post(`${path}/notes`, example('addInboxNote')), 'addInboxNote', '200');
    const resolution = example('resolveInboxItem') as object;
    const noted = await jsonOf<{ notes: unknown[] }>(await app.post(`${path}/resolve`, resolution));
    expect(fieldsOf({ ...noted, notes: [] })).toEqual(fieldsOf(example('resolveInboxItem', '200')));
    await real(app.request('/datasets'), 'listDatasets', '200');
    const examples = '/datasets/inbox/examples';
    await real(app.request(examples), 'listExamples', '200');
    await real(app.post(`${examples}/${item_id}/accept`, example('acceptExample')), 'acceptExample', '200');
    await real(app.post(`${examples}/${item_id}/reject`, ''), 'rejectExample', '200');
    await real(app.post('/messages', { ...sent, message: `Again: ${message}` }), 'processMessage', '200');
    const next = await jsonOf<{ items: { item_id: string }[] }>(await app.request('/inbox'));
    const assign = example('assignInboxItem');
    await real(app.post(`/inbox/${next.items[0]?.item_id}/assign`, assign), 'assignInboxItem', '200');
    await real(app.post('/erase', example('eraseCustomer')), 'eraseCustomer', '200');
  });

  test('every request to control an execution is accepted, and answered with the fields of its response', async () => {
    const [step] = runRecord().stepResults;
    const stepResults = ['order', 'answer'].flatMap((stepId) =>
      step === undefined ? [] : { ...step, stepId },
    );
    const { change, useCases } = createMemoryRuns([runRecord(0, { stepResults })]);
    const app = createTestApp({ useCases });
    const path = `/runs/${runIdAt(0)}`;
    await real(app.request('/runs'), 'listExecutions', '200');
    await real(app.request(path), 'getExecution', '200');
    await real(app.post(`${path}/cancel`, example('cancelExecution')), 'cancelExecution', '200');
    const rerun = example('rerunExecution') as object;
    await real(app.post(`${path}/rerun`, rerun), 'rerunExecution', '202');
    await real(app.post(`${path}/rerun`, { ...rerun, background: false }), 'rerunExecution', '200');
    change(runIdAt(0), { status: 'FAILED' });
    await real(app.post(`${path}/retry`, ''), 'retryExecution', '202');
    await real(app.post(`${path}/cancel`, example('cancelExecution')), 'cancelExecution', '202');
  });
});

/** Fields whose members are free. */
const free = new Set([
  'input',
  'output',
  'payload',
  'data',
  'static_input',
  'input_schema',
  'output_schema',
  'confusion',
  'per_intent',
]);

/** The fields of a value and of the first item of each of its lists, as paths. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : fieldsOf(value[0], `${path}[]`);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([key, member]) => [
      `${path}.${key}`,
      ...(free.has(key) ? [] : fieldsOf(member, `${path}.${key}`)),
    ])
    .sort();
}
