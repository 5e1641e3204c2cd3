import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

/** A definition with every member that a definition can have. */
const everything = {
  name: 'everything',
  description: 'with all members',
  input_schema: { type: 'object', properties: { n: { type: 'integer' } } },
  output: { total: '${{ steps.call.total }}' },
  timeout_ms: 60_000,
  max_concurrent_steps: 4,
  steps: [
    {
      id: 'call',
      kind: 'tool',
      tool_name: 'lookup',
      depends_on: [],
      static_input: { n: '$input.n' },
      when: 'input.n > 1',
      run_if: 'all_completed',
      timeout_ms: 5_000,
      on_error: 'continue',
      retry: { max_attempts: 5, backoff_ms: 10, factor: 1.5, max_backoff_ms: 100 },
    },
    {
      id: 'each',
      kind: 'agent',
      agent_name: 'echo',
      depends_on: ['call'],
      static_input: { of: '${{ item }}' },
      foreach: { items: ['a', 1], concurrency: 2, on_item_error: 'continue' },
      on_error: { output: { x: 1 } },
    },
    {
      id: 'child',
      kind: 'workflow',
      workflow_id: 'other',
      depends_on: [],
      static_input: {},
      run_if: 'always',
    },
    { id: 'pause', kind: 'wait', depends_on: [], static_input: {}, duration_ms: 0 },
    { id: 'until', kind: 'wait', depends_on: [], static_input: {}, until: 'input.time' },
    {
      id: 'ask',
      kind: 'approval',
      depends_on: ['call'],
      static_input: {},
      title: 'Refund ${{ input.n }}?',
      payload: { n: '$input.n' },
      response_schema: { type: 'object' },
      expires_in_ms: 1_000,
      on_expire: 'approve',
      on_reject: 'continue',
      foreach: { items: 'steps.call.lines' },
    },
  ],
};

interface Definition {
  readonly id: string;
  readonly steps: readonly object[];
  readonly warnings: readonly string[];
}

interface Validation {
  readonly valid: boolean;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly layers: readonly string[][];
}

const lookup = (members: object) => ({ name: 'n', steps: [{ id: 'a', tool_name: 'lookup', ...members }] });

describe('a definition with policies and new kinds of steps', () => {
  test('is answered as it was sent, also when it is read', async () => {
    const { post, request } = createTestApp();
    const response = await post('/workflows', everything);
    expect(response.status).toBe(201);
    const created = await jsonOf<Definition>(response);
    expect(created).toMatchObject(everything);
    expect(created.steps).toEqual(everything.steps);
    expect(await jsonOf(await request(`/workflows/${created.id}`))).toEqual(created);
  });

  test('has no member that was not sent', async () => {
    const { post } = createTestApp();
    const created = await jsonOf<Definition>(await post('/workflows', lookup({})));
    expect(created.steps).toEqual([
      { id: 'a', kind: 'tool', tool_name: 'lookup', depends_on: [], static_input: {} },
    ]);
    for (const member of ['input_schema', 'output', 'timeout_ms', 'max_concurrent_steps']) {
      expect(created).not.toHaveProperty(member);
    }
  });

  test('is rejected with the place of each issue', async () => {
    const { post } = createTestApp();
    const cases: [object, string][] = [
      [{ kind: 'other' }, 'steps.0.kind: must be tool, agent, workflow, wait or approval'],
      [{ when: true }, 'steps.0.when: must be a text with an expression'],
      [{ when: 'input.x >' }, 'steps.0.when: unexpected token: the end (column 10)'],
      [{ run_if: 'never' }, 'steps.0.run_if: must be none_failed, all_completed or always'],
      [{ timeout_ms: 1.5 }, 'steps.0.timeout_ms: must be an integer from 1 to 2592000000'],
      [{ retry: {} }, 'steps.0.retry.max_attempts: is required'],
      [{ retry: 3 }, 'steps.0.retry: must be an object'],
      [{ on_error: { result: {} } }, 'steps.0.on_error: must be fail, continue or {"output": {…}}'],
      [{ foreach: { items: {} } }, 'steps.0.foreach.items: must be a list, or a text with an expression'],
      [
        { foreach: { items: [], concurrency: 0 } },
        'steps.0.foreach.concurrency: must be an integer from 1 to 1000',
      ],
      [{ duration_ms: 5 }, 'steps.0.duration_ms: is only for steps of kind wait'],
      [
        { tool_name: undefined, kind: 'workflow' },
        'steps.0.workflow_id: is required for a step of kind workflow',
      ],
      [{ kind: 'wait', duration_ms: 1 }, 'steps.0.tool_name: is only for steps of kind tool'],
      [
        { tool_name: undefined, kind: 'approval', title: '', on_reject: 'x' },
        'steps.0.title: must not be empty; steps.0.on_reject: must be fail or continue',
      ],
      [
        { tool_name: undefined, kind: 'workflow', workflow_id: 'w', retry: { max_attempts: 2 } },
        'steps.0.retry: cannot be used with a step of kind workflow',
      ],
    ];
    for (const [members, detail] of cases)
      await expectError(await post('/workflows', lookup(members)), 422, detail);
    const bounds = { ...lookup({}), timeout_ms: 0, max_concurrent_steps: 10_001 };
    await expectError(
      await post('/workflows', bounds),
      422,
      'timeout_ms: must be an integer from 1 to 2592000000; max_concurrent_steps: must be an integer from 1 to 10000',
    );
  });

  test('has warnings about members that do not exist or have no effect, and about unknown workflows', async () => {
    const { post } = createTestApp();
    const body = {
      name: 'n',
      inputSchema: {},
      colour: 'red',
      steps: [
        { id: 'a', tool_name: 'lookup', agent_name: 'echo', dependsOn: [], tiemout_ms: 5, Retry: {} },
        { id: 'b', kind: 'workflow', workflow_id: 'nobody', foreach: { items: [], onItemError: 'fail' } },
        { id: 'c', tool_name: 'lookup', on_error: { output: {}, next: 'b' } },
      ],
    };
    const { id, warnings } = await jsonOf<Definition>(await post('/workflows', body));
    expect(warnings).toEqual([
      'body: a definition has no member "inputSchema"; did you mean "input_schema"?',
      'body: a definition has no member "colour"',
      'steps.0: a step has no member "dependsOn"; did you mean "depends_on"?',
      'steps.0: a step has no member "tiemout_ms"; did you mean "timeout_ms"?',
      'steps.0: a step has no member "Retry"; did you mean "retry"?',
      'steps.0.agent_name: is not used by a step of kind tool',
      'steps.1.foreach: foreach has no member "onItemError"; did you mean "on_item_error"?',
      'steps.2.on_error: on_error has no member "next"',
      'steps.1.workflow_id: there is no workflow "nobody" yet',
    ]);
    const again = { name: 'n', steps: [{ id: 'b', kind: 'workflow', workflow_id: id }] };
    expect(await jsonOf(await post('/workflows', again))).toMatchObject({ warnings: [] });
  });

  test('takes its own answer as a request, without warnings', async () => {
    const { post, put } = createTestApp();
    const stored = await jsonOf<Definition>(await post('/workflows', lookup({})));
    const replaced = await put(`/workflows/${stored.id}`, stored);
    expect(replaced.status).toBe(200);
    expect(await jsonOf(replaced)).toMatchObject({ id: stored.id, version: 2, warnings: [] });
  });

  test('has a bounded number of warnings', async () => {
    const { post } = createTestApp();
    const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]));
    const { warnings } = await jsonOf<Definition>(await post('/workflows', lookup(members)));
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toBe('and 4900 more warnings');
  });
});

describe('POST /workflows/validate', () => {
  test('answers the warnings and layers of a valid definition, and stores nothing', async () => {
    const { post, request } = createTestApp();
    const response = await post('/workflows/validate', everything);
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual({
      valid: true,
      errors: [],
      warnings: ['steps.2.workflow_id: there is no workflow "other" yet'],
      layers: [
        ['call', 'child', 'pause', 'until'],
        ['each', 'ask'],
      ],
    });
    expect(await jsonOf(await request('/workflows'))).toMatchObject({ total: 0 });
  });

  test('answers 200 with pointers for a definition that is not valid', async () => {
    const { post } = createTestApp();
    const steps = [
      { id: 'a', tool_name: 'lookup', static_input: { 'a/b': ['${{ x }}'] }, when: '1' },
      { id: 'b', kind: 'approval', title: 'ok?', response_schema: { type: 'thing' }, dependsOn: ['a'] },
    ];
    expect(await jsonOf(await post('/workflows/validate', { name: 'n', steps }))).toEqual({
      valid: false,
      errors: [
        { pointer: '/steps/0/when', detail: 'must be a boolean, but it is a number' },
        {
          pointer: '/steps/0/static_input/a~1b/0',
          detail: 'there is no "x" here; there is: input, steps, run, schedule (column 5)',
        },
        { pointer: '/steps/1/response_schema', detail: expect.stringMatching(/^\/type: must be/) },
      ],
      warnings: ['steps.1: a step has no member "dependsOn"; did you mean "depends_on"?'],
      layers: [['a', 'b']],
    });
  });

  test.each([[null], [[]], ['text'], [5], [{}], [{ name: 5, steps: [7, { id: 'a', depends_on: ['x'] }] }]])(
    'answers 200 for JSON that fails the schema: %j',
    async (body) => {
      const { post } = createTestApp();
      const response = await post('/workflows/validate', JSON.stringify(body));
      expect(response.status).toBe(200);
      const { valid, errors, layers } = await jsonOf<Validation>(response);
      expect({ valid, layers }).toEqual({ valid: false, layers: [] });
      expect(errors.length).toBeGreaterThan(0);
      for (const { pointer, detail } of errors) {
        expect(pointer).toMatch(/^(?:\/\w+)*$/);
        expect(detail).not.toBe('');
      }
    },
  );

  const errorList = z.object({ errors: z.array(z.object({ pointer: z.string() })) });
  const problemBody = errorList.extend({ detail: z.string() });
  const pointersOf = (body: unknown) =>
    errorList
      .parse(body)
      .errors.map(({ pointer }) => pointer)
      .toSorted();

  const manyFaults = {
    description: 5,
    timeout_ms: -1,
    input_schema: { type: 'thing' },
    output: { sum: '${{ steps.total.x + }}' },
    steps: [
      { id: 'a', tool_name: 'lookup', when: 'input.x >', retry: { max_attempts: 0 } },
      { id: 'not valid', kind: 'agent', depends_on: ['a', 7, 'gone'], static_input: { a: '${{ item }}' } },
      'no step',
      { id: 'c', kind: 'approval', depends_on: ['not valid'], response_schema: { type: 5 }, tool_name: 't' },
      { id: 'd', kind: 'teleport', depends_on: ['a'], static_input: { t: "${{ steps['a'].x + }}" } },
      {
        id: 'e',
        tool_name: 'lookup',
        foreach: { items: 5, concurrency: 0 },
        static_input: { i: '${{ item }}' },
      },
      { id: 'f', tool_name: 'lookup', depends_on: ['g'], when: 5 },
      { id: 'g', kind: 'wait', depends_on: ['f'], until: '2026-02-30T00:00:00Z' },
    ],
  };
  const faults = [
    '/description',
    '/input_schema',
    '/name',
    '/output/sum',
    '/steps',
    '/steps/0/retry/max_attempts',
    '/steps/0/when',
    '/steps/1/agent_name',
    '/steps/1/depends_on',
    '/steps/1/depends_on/1',
    '/steps/1/id',
    '/steps/1/static_input/a',
    '/steps/2',
    '/steps/3/response_schema',
    '/steps/3/title',
    '/steps/3/tool_name',
    '/steps/4/kind',
    '/steps/4/static_input/t',
    '/steps/5/foreach/concurrency',
    '/steps/5/foreach/items',
    '/steps/6/when',
    '/steps/7/until',
    '/timeout_ms',
  ];

  test('tells the faults of members, graph, expressions, schemas and templates together', async () => {
    const { post } = createTestApp();
    const checked = await jsonOf(await post('/workflows/validate', manyFaults));
    expect(checked).toMatchObject({ valid: false, layers: [] });
    expect(pointersOf(checked)).toEqual(faults);
    expect(JSON.stringify(checked['warnings'])).not.toContain('\\"x\\"');
    const named = await jsonOf(await post('/workflows/validate', { ...manyFaults, name: 'n' }));
    expect(pointersOf(named)).toEqual(faults.filter((pointer) => pointer !== '/name'));
  });

  test('refuses them all as one in POST and PUT', async () => {
    const { post, put } = createTestApp();
    const stored = await jsonOf(
      await post('/workflows', { name: 'n', steps: [{ id: 'a', tool_name: 't' }] }),
    );
    const accept = { Accept: 'application/problem+json' };
    for (const response of [
      await post('/workflows', manyFaults, accept),
      await put(`/workflows/${stored['id']}`, manyFaults, accept),
    ]) {
      expect(response.status).toBe(422);
      const problem = problemBody.parse(await response.json());
      expect(pointersOf(problem)).toEqual(faults);
      expect(problem.detail).toContain('steps.0.when: unexpected token');
      expect(problem.detail).toContain('steps.1.agent_name: is required for a step of kind agent');
    }
  });

  test('hides nothing but what is inside of what cannot be read', async () => {
    const { post } = createTestApp();
    const errorsOf = async (body: unknown) =>
      (await jsonOf(await post('/workflows/validate', body)))['errors'];
    expect(await errorsOf({ steps: 'none', output: { a: '${{ 1 + }}' } })).toEqual([
      { pointer: '/name', detail: 'is required' },
      { pointer: '/steps', detail: 'must be an array of steps' },
    ]);
    const steps = [{ id: 'a' }, { id: 'a', tool_name: 't', depends_on: ['a'] }];
    expect(await errorsOf({ name: 'n', steps })).toEqual([
      { pointer: '/steps/0/tool_name', detail: 'is required for a step of kind tool' },
      { pointer: '/steps/1/id', detail: '"a" is already the id of steps.0' },
    ]);
  });

  test('answers no layers where a step has no id', async () => {
    const { post } = createTestApp();
    const [named, nameless] = [{ id: 'a', tool_name: 'lookup' }, { tool_name: 'lookup' }];
    for (const steps of [
      [nameless, nameless],
      [named, nameless],
      [named, { ...nameless, id: 5 }],
      [named, 5],
    ]) {
      const checked = await jsonOf(await post('/workflows/validate', { name: 'n', steps }));
      expect(checked).toMatchObject({ valid: false, layers: [] });
      expect(JSON.stringify(checked)).not.toContain('u0000');
    }
    const steps = [named, { tool_name: 'lookup', id: 'bad id!' }];
    const checked = await jsonOf(await post('/workflows/validate', { name: 'n', steps }));
    expect(checked).toMatchObject({ valid: false, layers: [['a', 'bad id!']] });
  });

  test.each(['key:NO!', 'key:', `key:${'a'.repeat(65)}`])(
    'tells that no workflow can have the key in %j',
    async (workflow_id) => {
      const { post } = createTestApp();
      const step = { id: 'c', kind: 'workflow', workflow_id };
      const chain = { id: 'w', kind: 'workflow', definition: { steps: [step] } };
      const body = { name: 'n', steps: [step, chain] };
      const detail = 'the key must be 1 to 64 of a-z, 0-9 and "-"';
      expect(await jsonOf(await post('/workflows/validate', body))).toMatchObject({
        valid: false,
        errors: ['', '/steps/1/definition'].map((prefix) => ({
          pointer: `${prefix}/steps/0/workflow_id`,
          detail,
        })),
        warnings: [],
      });
      await expectError(
        await post('/workflows', { name: 'n', steps: [step] }),
        422,
        `steps.0.workflow_id: ${detail}`,
      );
    },
  );

  test('rejects what is not JSON, and other methods', async () => {
    const { post, request } = createTestApp();
    await expectError(await post('/workflows/validate', '{'), 422, 'body: must be well-formed JSON');
    const response = await request('/workflows/validate');
    expect(response.headers.get('allow')).toBe('POST');
    await expectError(response, 405);
    await expectError(await post('/workflows/some-id', {}), 405);
  });
});
