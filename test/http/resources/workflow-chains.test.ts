import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

const chain = {
  input_schema: { type: 'object', required: ['name'] },
  steps: [{ id: 'look', tool_name: 'lookup', static_input: { name: '$input.name' } }],
  output: { found: '$step.look.got' },
};

const item = '$'.concat('{{ item }}');

const definition = {
  name: 'Welcome',
  steps: [
    {
      id: 'welcome',
      kind: 'workflow',
      definition: chain,
      foreach: { items: 'input.people' },
      static_input: item,
    },
  ],
};

describe('a step with a definition of its own', () => {
  test('is stored and answered as it was sent, and run for each item', async () => {
    const { post, put, request, clock } = createTestApp();
    const made = await post('/workflows', definition);
    expect(made.status).toBe(201);
    const workflow = await jsonOf<{ id: string; steps: unknown[] }>(made);
    expect(workflow.steps).toEqual([
      {
        ...definition.steps[0],
        depends_on: [],
        definition: { ...chain, steps: [{ ...chain.steps[0], kind: 'tool', depends_on: [] }] },
      },
    ]);
    // A definition that was read can be sent back.
    expect(await jsonOf(await put('/workflows/key:welcome', workflow))).toMatchObject({
      changed: true,
      version: 1,
    });
    expect(await jsonOf(await put('/workflows/key:welcome', definition))).toMatchObject({ changed: false });

    const people = [{ name: 'Ann' }, { name: 'Bob' }];
    const started = await post(`/workflows/${workflow.id}/run`, { background: true, input: { people } });
    const { execution_id } = await jsonOf<{ execution_id: string }>(started);
    await clock.advance(1_000);
    const run = await jsonOf<{ step_results: Record<string, { output: unknown }> }>(
      await request(`/runs/${execution_id}`),
    );
    const children = people.map((person) => ({ status: 'COMPLETED', output: { found: person } }));
    expect(run.step_results['welcome']?.output).toMatchObject({ results: children, count: 2, failed: 0 });
    const listed = await jsonOf<{ executions: { execution_id: string; chain?: string }[] }>(
      await request(`/runs?workflow_id=${workflow.id}`),
    );
    const [child] = listed.executions.filter((execution) => execution.chain !== undefined);
    expect(child).toMatchObject({
      workflow_id: workflow.id,
      workflow_name: 'Welcome',
      version: 1,
      chain: 'welcome',
      parent_execution_id: execution_id,
    });
    const path = `/runs/${child?.execution_id}`;
    const read = await jsonOf(await request(path));
    expect(await jsonOf(await request(`/workflows/${workflow.id}${path}`))).toEqual(read);
    const events = await request(`/workflows/${workflow.id}${path}/events`);
    expect(await jsonOf(events)).toMatchObject({ ended: true });
  });

  test('is rejected with the places of its faults, and warned of', async () => {
    const { post } = createTestApp();
    const send = (step: object) =>
      post('/workflows', { name: 'x', steps: [{ id: 'w', kind: 'workflow', ...step }] });
    await expectError(
      await send({ definition: chain, workflow_id: 'x' }),
      422,
      'steps.0.definition: cannot be used together with workflow_id',
    );
    await expectError(await send({}), 422, 'steps.0.workflow_id: is required for a step of kind workflow');
    await expectError(
      await send({ kind: 'tool', tool_name: 'lookup', definition: chain }),
      422,
      'steps.0.definition: is only for steps of kind workflow',
    );
    await expectError(
      await send({ definition: { steps: [{ id: '!' }] } }),
      422,
      /^steps\.0\.definition\.steps\.0\.id: .*; steps\.0\.definition\.steps\.0\.tool_name: is required/,
    );
    await expectError(await send({ definition: [] }), 422, 'steps.0.definition: must be an object');
    await expectError(
      await send({ definition: { steps: [{ id: 'a', tool_name: 'lookup', depends_on: ['a'] }] } }),
      422,
      'steps.0.definition.steps.0.depends_on: step "a" depends on itself',
    );
    await expectError(
      await send({ definition: chain, static_input: '$input.x' }),
      422,
      /^steps\.0\.static_input: must be an object, or a text/,
    );
    await expectError(
      await send({ definition: chain, static_input: 7 }),
      422,
      'steps.0.static_input: must be an object',
    );
    const odd = { name: 'y', retri: 1, steps: [{ id: 'a', tool_name: 'nope', dependsOn: [] }] };
    const { warnings } = await jsonOf<{ warnings: string[] }>(await send({ definition: odd }));
    expect(warnings).toEqual([
      'steps.0.definition: a definition within a step has no member "name"',
      'steps.0.definition: a definition within a step has no member "retri"',
      'steps.0.definition.steps.0: a step has no member "dependsOn"; did you mean "depends_on"?',
      'steps.0.definition.steps.0.tool_name: no tool "nope" is registered',
    ]);
  });

  test('has all mistakes of it told together, those of members beside those of expressions and of the rest', async () => {
    const { post } = createTestApp();
    const inner = [
      { id: 'a', tool_name: 7, static_input: { x: '$step.nowhere.y' } },
      { id: 'b', tool_name: 'lookup', when: 'input.(' },
    ];
    const steps = [
      { id: 'w', kind: 'workflow', definition: { steps: inner } },
      { id: 'v', kind: 'workflow', definition: { steps: 'none' } },
      { id: 'z', tool_name: 'lookup', when: 'steps.gone.x' },
    ];
    const response = await post('/workflows/validate', { name: 'x', steps });
    const { errors } = await jsonOf<{ errors: { pointer: string }[] }>(response);
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      '/steps/0/definition/steps/0/tool_name',
      '/steps/0/definition/steps/1/when',
      '/steps/1/definition/steps',
      '/steps/2/when',
    ]);
  });

  test.each([
    [
      'an invalid id that another step depends on',
      [
        { id: 'bad id!', tool_name: 'lookup' },
        { id: 'b', tool_name: 'lookup', depends_on: ['bad id!'], when: "steps['bad id!'].ok" },
      ],
      [{ pointer: '/0/id', detail: expect.stringContaining('must be 1 to 64') }],
    ],
    [
      'a step that cannot be read',
      [5, { id: 'x', tool_name: 'lookup' }],
      [{ pointer: '/0', detail: 'must be an object' }],
    ],
    [
      'a real duplicate',
      [
        { id: 'a', tool_name: 'lookup' },
        { id: 'a', tool_name: 'lookup' },
      ],
      [
        {
          pointer: '/1/id',
          detail: expect.stringMatching(/^"a" is already the id of steps\.0\..*steps\.0$/),
        },
      ],
    ],
  ])('has no faults told that are none: %s', async (_case, inner, faults) => {
    const { post } = createTestApp();
    const once = { steps: inner };
    const twice = { steps: [{ id: 'deep', kind: 'workflow', definition: once }] };
    for (const [definition, prefix] of [
      [once, '/steps/0/definition/steps'],
      [twice, '/steps/0/definition/steps/0/definition/steps'],
    ] as const) {
      const steps = [{ id: 'w', kind: 'workflow', definition }];
      const checked = await jsonOf(await post('/workflows/validate', { name: 'n', steps }));
      expect(checked).toEqual({
        valid: false,
        warnings: [],
        layers: [['w']],
        errors: faults.map(({ pointer, detail }) => ({ pointer: `${prefix}${pointer}`, detail })),
      });
    }
  });

  test('has the place of the first step named where two have an id', async () => {
    const { post } = createTestApp();
    const inner = ['b', 'a', 'a'].map((id) => ({ id, tool_name: 'lookup' }));
    const steps = [
      { id: 'first', tool_name: 'lookup' },
      { id: 'w', kind: 'workflow', definition: { steps: inner } },
    ];
    await expectError(
      await post('/workflows', { name: 'n', steps }),
      422,
      'steps.1.definition.steps.2.id: "a" is already the id of steps.1.definition.steps.1',
    );
  });

  test('has no warnings about what stands in for what cannot be read', async () => {
    const { post } = createTestApp();
    const check = async (steps: readonly object[]) =>
      jsonOf<{ valid: boolean; warnings: string[] }>(await post('/workflows/validate', { name: 'n', steps }));
    const unknown = { id: 'a', kind: 'teleport', tool_name: 'lookup' };
    for (const step of [
      { id: 'w', kind: 'workflow', definition: 7 },
      { id: 'w', kind: 'workflow', definition: 7, workflow_id: 'y' },
      { id: 'w', kind: 'workflow', definition: { steps: 7 } },
      { id: 'w', kind: 'workflow', definition: { steps: [unknown] } },
      unknown,
    ]) {
      expect(await check([step])).toMatchObject({ valid: false, warnings: [] });
    }
    const wrong = { id: 'w', kind: 'workflow', definition: 7, workflow_id: 'key:NO!' };
    expect(await check([wrong])).toMatchObject({
      errors: [
        { pointer: '/steps/0/definition' },
        { pointer: '/steps/0/workflow_id', detail: 'the key must be 1 to 64 of a-z, 0-9 and "-"' },
      ],
    });
    const beside = { id: 'v', kind: 'workflow', definition: { steps: [{ id: 'b', tool_name: 'nope' }] } };
    expect((await check([wrong, beside])).warnings).toEqual([
      'steps.1.definition.steps.0.tool_name: no tool "nope" is registered',
    ]);
  });

  test('is answered soon where it is nonsense of the largest size', async () => {
    const { post } = createTestApp();
    const nonsense = { kind: 'workflow', definition: { steps: new Array(3_000).fill(1) } };
    const steps = Array.from({ length: 100 }, (_, index) => ({ ...nonsense, id: `w${index}` }));
    const startedAt = performance.now();
    const response = await post('/workflows', { name: 'x', steps });
    await expectError(response, 422, /the definitions within them must have at most 10000 steps together/);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
