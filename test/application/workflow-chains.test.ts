import { describe, expect, test } from 'vitest';
import type { ChainDraft, StepDraft } from '../../src/domain/workflow/definition.ts';
import { createCore } from '../support/workflow/core.ts';
import { startCores } from '../support/workflow/store-cores.ts';

/** Two steps, of which the second takes what the first returned. */
const greet: ChainDraft = {
  inputSchema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  steps: [
    { id: 'look', kind: 'tool', toolName: 'echo', staticInput: { name: '$input.name' } },
    {
      id: 'say',
      kind: 'tool',
      toolName: 'echo',
      dependsOn: ['look'],
      staticInput: { text: `Hello ${'$'.concat('{{ steps.look.name }}')}` },
    },
  ],
  output: { text: '$step.say.text' },
};

const expression = (source: string): string => `$\u007b{ ${source} }}`.replace('\u007b', '{');

const welcome = (more: Partial<StepDraft> = {}): StepDraft =>
  ({
    id: 'welcome',
    kind: 'workflow',
    definition: greet,
    foreach: { items: 'input.people', onItemError: 'continue' },
    staticInput: expression('item'),
    ...more,
  }) as StepDraft;

const people = [{ name: 'Ann' }, { name: 'Bob' }, { name: 'Cleo' }];

describe('a step with a definition of its own', () => {
  test('runs it for each item as a child of the workflow that it stands in', async () => {
    const core = createCore();
    const id = await core.define([welcome()], {
      output: { texts: expression('steps.welcome.results.map(r, r.output.text)') },
    });
    const runId = await core.start(id, { input: { people } });
    expect((await core.get(runId)).output).toEqual({ texts: ['Hello Ann', 'Hello Bob', 'Hello Cleo'] });
    const children = await core.childrenOf(runId);
    expect(children.map(({ input }) => input)).toEqual(people);
    for (const child of children) {
      expect(child).toMatchObject({ workflowId: id, workflowName: 'sample', version: 1, chain: 'welcome' });
      expect(await core.orchestrator.workflows.getRun(id, child.runId)).toMatchObject({
        status: 'COMPLETED',
      });
    }
    expect(await core.get(runId)).not.toHaveProperty('chain');
  });

  test('runs it once without items, and passes what does not fit on as its failure', async () => {
    const core = createCore();
    const step = welcome({ foreach: undefined, staticInput: expression('input.person') });
    const run = await core.start([step], { input: { person: { name: 'Ann' } } });
    expect((await core.get(run)).stepResults[0]?.output).toMatchObject({ output: { text: 'Hello Ann' } });
    const errors: [unknown, string][] = [
      [{ name: 7 }, 'input.name: must be text'],
      ['Ann', 'static_input: must be an object, but it is a text'],
      [[], 'static_input: must be an object, but it is a list'],
    ];
    for (const [person, error] of errors) {
      const failed = await core.start([step], { input: { person: person as never } });
      expect((await core.get(failed)).stepResults[0]).toMatchObject({ status: 'FAILED', error });
    }
  });

  test('fails the item whose chain fails, and the retry of the run runs only what has not completed', async () => {
    const core = createCore();
    let broken = true;
    core.tool('post', (input) => {
      if (broken && input['name'] === 'Bob') throw new Error('no');
      return input;
    });
    const definition: ChainDraft = {
      steps: [
        ...greet.steps.slice(0, 1),
        {
          id: 'post',
          kind: 'tool',
          toolName: 'post',
          dependsOn: ['look'],
          staticInput: { name: '$input.name' },
        },
      ],
    };
    const id = await core.define([
      welcome({ definition, foreach: { items: 'input.people' } } as Partial<StepDraft>),
    ]);
    const runId = await core.start(id, { input: { people } });
    expect(await core.statuses(runId)).toEqual(['FAILED', 'FAILED']);
    const before = core.calls.length;
    broken = false;
    // The run keeps the definition that it began with, and so do its children.
    await core.orchestrator.workflows.replace(id, {
      name: 'other',
      steps: [{ id: 'x', kind: 'wait', durationMs: 1 }],
    });
    await core.runs.retry(runId, { by: 'test' });
    await core.settle();
    expect(await core.statuses(runId)).toEqual(['COMPLETED', 'COMPLETED']);
    const children = await core.childrenOf(runId);
    expect(children).toHaveLength(3);
    const again = core.calls.slice(before).filter(({ input }) => input['name'] === 'Bob');
    expect(again.map(({ target, key }) => [target, key?.split(':')[1]])).toEqual([['post', 'post']]);
  });

  test('may stand within another one, up to eight deep', async () => {
    const core = createCore();
    const nest = (depth: number): StepDraft =>
      depth === 0
        ? { id: 'end', kind: 'tool', toolName: 'echo', staticInput: { n: '$input.n' } }
        : {
            id: `at${depth}`,
            kind: 'workflow',
            staticInput: expression('input'),
            definition: { steps: [nest(depth - 1)] },
          };
    const id = await core.define([nest(7)]);
    const runId = await core.start(id, { input: { n: 3 } });
    expect(await core.statuses(runId)).toEqual(['COMPLETED', 'COMPLETED']);
    const { items } = await core.runs.list({ workflowId: id }, { limit: 50 });
    expect(items).toHaveLength(8);
    expect(items.map(({ chain }) => chain ?? '')).toContain('at7/at6/at5');
    expect(await core.orchestrator.workflows.validate({ name: 'x', steps: [nest(8)] })).toMatchObject({
      issues: [
        {
          path: new Array(7).fill(['steps', 0, 'definition']).flat().concat(['steps', 0, 'definition']),
          detail: 'may be nested at most 8 deep',
        },
      ],
    });
  });

  test('is bounded in its runs as other children are', async () => {
    const core = createCore({ limits: { maxChildRuns: 2 } });
    const runId = await core.start([welcome()], { input: { people } });
    expect((await core.get(runId)).error).toContain('a run may have at most 2 runs below it at each depth');
    expect(await core.childrenOf(runId)).toEqual([]);
  });

  test('is cancelled with its parent, and can be rerun by itself', async () => {
    const core = createCore();
    const definition: ChainDraft = { steps: [{ id: 'wait', kind: 'wait', durationMs: 60_000 }] };
    const runId = await core.start([welcome({ definition } as Partial<StepDraft>)], { input: { people } });
    await core.runs.cancel(runId, { by: 'test', reason: null });
    await core.clock.advance(20_000);
    const children = await core.childrenOf(runId);
    expect(children.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    const again = await core.runs.rerun(children[0]?.runId ?? '', { background: true });
    expect(again).toMatchObject({ chain: 'welcome', parentRunId: null, rerunOf: children[0]?.runId });
    await core.clock.advance(60_000);
    expect((await core.get(again.runId)).status).toBe('COMPLETED');
  });

  test('is simulated, with mocks for its steps', async () => {
    const { orchestrator, define } = createCore();
    const { workflows } = orchestrator;
    const id = await define([welcome()], {
      output: { first: expression('steps.welcome.results[0].output.text') },
    });
    const mocks = {
      'welcome/look': { output: { name: 'you' } },
      'welcome/say': { output: { text: 'mock' } },
    };
    const input = { people };
    expect(await workflows.simulate(id, { input, mocks })).toMatchObject({ output: { first: 'mock' } });
    await expect(
      workflows.simulate(id, { input, mocks: { 'welcome/nope': { output: {} } } }),
    ).rejects.toMatchObject({ message: 'mocks: there is no step "welcome/nope"' });
    const whole = { welcome: { output: { text: 'whole' } } };
    expect(await workflows.simulate(id, { input, mocks: whole })).toMatchObject({
      output: { first: 'whole' },
    });
  });
});

describe('the check of a definition within a step', () => {
  const validate = async (...steps: unknown[]) => {
    const core = createCore();
    const { issues, warnings } = await core.orchestrator.workflows.validate({
      name: 'x',
      steps: steps as StepDraft[],
    });
    return { issues: issues.map(({ path, detail }) => `${path.join('/')}: ${detail}`), warnings };
  };

  test('tells its faults with their places', async () => {
    const at = 'steps/1/definition';
    const inner = {
      inputSchema: { type: 'nope' },
      output: { x: expression('steps.nope.x') },
      steps: [
        { id: 'a', kind: 'tool', toolName: 'none', dependsOn: ['b'], staticInput: { x: expression('item') } },
        { id: 'b', kind: 'tool', toolName: 'echo', when: '1', staticInput: '$input.x' },
        { id: 'b', kind: 'workflow', workflowId: 'gone' },
      ],
    };
    const first = { id: 'first', kind: 'tool', toolName: 'echo' };
    const { issues, warnings } = await validate(first, { id: 'w', kind: 'workflow', definition: inner });
    expect(issues).toEqual([
      `${at}/steps/2/id: "b" is already the id of steps.1.definition.steps.1`,
      expect.stringContaining(`${at}/input_schema: `),
      expect.stringContaining(`${at}/steps/0/static_input/x: `),
      `${at}/steps/1/when: must be a boolean, but it is a number`,
      `${at}/steps/1/static_input: must be an object, or a text that is wholly one ${expression('…')}`,
      expect.stringContaining(`${at}/output/x: names step "nope", which does not exist`),
    ]);
    expect(warnings).toEqual([
      'steps.1.definition.steps.0.tool_name: no tool "none" is registered',
      'steps.1.definition.steps.2.workflow_id: there is no workflow "gone" yet',
    ]);
  });

  test('wants exactly one of it and the id of a workflow, and at most 100 steps', async () => {
    const chain = { steps: [{ id: 'a', kind: 'tool', toolName: 'echo' }] };
    expect(
      (await validate({ id: 'w', kind: 'workflow', workflowId: 'x', definition: chain })).issues,
    ).toEqual(['steps/0/definition: cannot be used together with workflow_id']);
    expect((await validate({ id: 'w', kind: 'workflow' })).issues).toEqual([
      'steps/0/workflow_id: is required for a step of kind workflow',
    ]);
    const steps = Array.from({ length: 101 }, (_, index) => ({
      id: `s${index}`,
      kind: 'tool',
      toolName: 'echo',
    }));
    expect((await validate({ id: 'w', kind: 'workflow', definition: { steps } })).issues).toEqual([
      'steps/0/definition/steps: must contain at most 100 steps, but there are 101',
    ]);
    const hundred = { id: 'w', kind: 'workflow', definition: { steps: steps.slice(1) } };
    const many = Array.from({ length: 101 }, (_, index) => ({ ...hundred, id: `w${index}` }));
    expect((await validate(...many)).issues).toEqual([
      'steps/100/definition: the definitions of steps must have at most 10000 steps together',
    ]);
  });

  test.each([
    '',
    'text',
    '$input',
    '$step.a.b',
    `a ${expression('item')}`,
    `${expression('1')} ${expression('2')}`,
  ])('refuses the static_input %j, which is not one expression', async (staticInput) => {
    const foreach = { items: [1] };
    const { issues } = await validate({ id: 'a', kind: 'tool', toolName: 'echo', staticInput, foreach });
    expect(issues).toEqual([
      `steps/0/static_input: must be an object, or a text that is wholly one ${expression('…')}`,
    ]);
  });

  test('refuses an expression that can never be an object, and one that is not valid', async () => {
    const tool = { id: 'a', kind: 'tool', toolName: 'echo' };
    expect((await validate({ ...tool, staticInput: expression('1 + 1') })).issues).toEqual([
      'steps/0/static_input: must be an object, but it is a number',
    ]);
    expect((await validate({ ...tool, staticInput: expression('item') })).issues).toHaveLength(1);
    expect((await validate({ ...tool, staticInput: expression("{'a': input.b}") })).issues).toEqual([]);
  });
});

test('static_input may be one expression for tools and agents, within the bounds of an input', async () => {
  const core = createCore({ limits: { maxInputBytes: 100 } });
  const steps: readonly StepDraft[] = [
    { id: 'a', kind: 'tool', toolName: 'echo', staticInput: expression('input.of') },
    { id: 'b', kind: 'agent', agentName: 'parrot', dependsOn: ['a'], staticInput: expression('steps.a') },
  ];
  const runId = await core.start(steps, { input: { of: { x: [1, { y: null }] } } });
  const { stepResults } = await core.get(runId);
  expect(stepResults.map(({ output }) => output)).toEqual([{ x: [1, { y: null }] }, { x: [1, { y: null }] }]);
  const large = await core.start(steps, { input: { of: { x: 'x'.repeat(200) } } });
  expect((await core.get(large)).stepResults[0]?.error).toBe(
    'the resolved input is larger than 100 bytes of JSON',
  );
});

test.each(['memory', 'sqlite', 'redis'] as const)(
  'with %s, chains of items run and are listed',
  async (store) => {
    const { cores, close } = await startCores(store);
    try {
      const [core] = cores;
      if (core === undefined) throw new TypeError('no core');
      const chain: ChainDraft = {
        steps: [{ id: 'say', kind: 'wait', durationMs: 1 }],
        output: { name: '$input.name' },
      };
      const { id } = await core.workflows.create({
        name: 'w',
        steps: [welcome({ definition: chain } as Partial<StepDraft>)],
      });
      expect((await core.workflows.get(id)).steps[0]).toMatchObject({
        definition: { steps: [{ id: 'say' }] },
      });
      const run = await core.workflows.run(id, { input: { people } });
      expect(run.stepResults[0]?.output).toMatchObject({ count: 3, failed: 0 });
      for (const { runs } of cores) {
        const { items } = await runs.list({ workflowId: id }, { limit: 9 });
        expect(items.filter(({ chain: of }) => of === 'welcome')).toHaveLength(3);
      }
    } finally {
      await close();
    }
  },
);
