import { describe, expect, test } from 'vitest';
import type { WorkflowDraft } from '../../src/domain/workflow/definition.ts';
import { createCore } from '../support/workflow/core.ts';
import { startCores } from '../support/workflow/store-cores.ts';

const draft = (name: string, more: Partial<WorkflowDraft> = {}): WorkflowDraft => ({
  name,
  steps: [{ id: 'a', kind: 'tool', toolName: 'echo', staticInput: { name } }],
  output: { name: '$step.a.name' },
  ...more,
});

function setUp() {
  const core = createCore();
  return { ...core, workflows: core.orchestrator.workflows };
}

const page = { limit: 50, offset: 0 };

describe('a definition with a key', () => {
  test('is found, run, simulated and listed by its key as by its id', async () => {
    const { workflows, runs } = setUp();
    const first = await workflows.create(draft('one', { key: 'greet' }));
    expect(first.key).toBe('greet');
    const second = await workflows.replace('key:greet', draft('two'));
    expect(await workflows.get('key:greet')).toEqual(second);
    expect(await workflows.getVersion('key:greet', 1)).toEqual(first);
    expect((await workflows.versions('key:greet', page)).items).toEqual([second, first]);
    const run = await workflows.run('key:greet');
    expect(run).toMatchObject({ workflowId: first.id, version: 2, output: { name: 'two' } });
    expect(await workflows.run('key:greet', { version: 1 })).toMatchObject({ output: { name: 'one' } });
    const simulated = await workflows.simulate('key:greet', { mocks: { a: { output: { name: 'mock' } } } });
    expect(simulated).toMatchObject({ workflowId: first.id, output: { name: 'mock' } });
    expect(await workflows.getRun('key:greet', run.runId)).toEqual(run);
    expect(await workflows.listRuns('key:greet', page)).toMatchObject({ total: 2 });
    expect((await runs.list({ workflowId: 'key:greet' }, { limit: 9 })).items).toHaveLength(2);
    await workflows.delete('key:greet');
    await expect(workflows.get(first.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('keeps it with a new version, unless that has another one', async () => {
    const { workflows } = setUp();
    const { id } = await workflows.create(draft('one', { key: 'greet' }));
    expect(await workflows.replace(id, draft('two'))).toMatchObject({ version: 2, key: 'greet' });
    expect(await workflows.replace(id, draft('three', { key: 'hail' }))).toMatchObject({ key: 'hail' });
    expect(await workflows.get('key:hail')).toMatchObject({ id, version: 3 });
    await expect(workflows.get('key:greet')).rejects.toMatchObject({
      code: 'not_found',
      message: 'workflow "key:greet" not found',
    });
    expect(await workflows.getVersion(id, 1)).toMatchObject({ key: 'greet' });
  });

  test('is refused where another one has the key, and nothing is stored', async () => {
    const { workflows, recorded } = setUp();
    await workflows.create(draft('one', { key: 'greet' }));
    const other = await workflows.create(draft('other'));
    const before = recorded.events.length;
    const taken = { code: 'conflict', message: 'the key "greet" is that of another workflow' };
    await expect(workflows.create(draft('x', { key: 'greet' }))).rejects.toMatchObject(taken);
    await expect(workflows.replace(other.id, draft('x', { key: 'greet' }))).rejects.toMatchObject(taken);
    expect((await workflows.list(page)).total).toBe(2);
    expect(await workflows.get(other.id)).toEqual(other);
    expect(recorded.events).toHaveLength(before);
  });

  test.each(['', 'A', 'ä', 'a_b', 'a b', 'x'.repeat(65), 'key:a'])(
    'is refused with the key %j',
    async (key) => {
      const { workflows } = setUp();
      const issue = { code: 'validation', message: 'key: must be 1 to 64 of a-z, 0-9 and "-"' };
      await expect(workflows.create(draft('x', { key }))).rejects.toMatchObject(issue);
      await expect(workflows.put(key, draft('x'))).rejects.toMatchObject(issue);
      expect((await workflows.list(page)).total).toBe(0);
    },
  );

  test('leaves its key to the next one when it is deleted', async () => {
    const { workflows } = setUp();
    const first = await workflows.create(draft('one', { key: 'greet' }));
    const run = await workflows.run('key:greet');
    await workflows.delete(first.id);
    for (const call of [
      () => workflows.run('key:greet'),
      () => workflows.getRun('key:greet', run.runId),
      () => workflows.listRuns('key:greet', page),
      () => workflows.delete('key:greet'),
    ]) {
      await expect(call()).rejects.toMatchObject({ message: 'workflow "key:greet" not found' });
    }
    const second = await workflows.create(draft('two', { key: 'greet' }));
    expect(await workflows.run('key:greet')).toMatchObject({ workflowId: second.id });
    expect(await workflows.getRun(first.id, run.runId)).toEqual(run);
  });
});

describe('a definition that is put under a key', () => {
  test('is made, replaced, and left as it is where nothing differs', async () => {
    const { workflows, recorded } = setUp();
    const first = await workflows.put('greet', draft('one'));
    expect(first).toMatchObject({ outcome: 'created', definition: { version: 1, key: 'greet' } });
    expect(await workflows.put('greet', draft('one', { key: 'greet' }))).toEqual({
      outcome: 'unchanged',
      definition: first.definition,
    });
    const second = await workflows.put('greet', draft('two'));
    expect(second).toMatchObject({
      outcome: 'replaced',
      definition: { id: first.definition.id, version: 2 },
    });
    const types = recorded.events.map(({ type }) => type).filter((type) => type.startsWith('workflow.'));
    expect(types).toEqual(['workflow.created', 'workflow.updated']);
  });

  test('differs by every member and by the order of lists, not by the order of members', async () => {
    const { workflows } = setUp();
    const steps = [
      { id: 'a', kind: 'tool', toolName: 'echo', staticInput: { x: 1, y: [1, 2] } },
      { id: 'b', kind: 'tool', toolName: 'echo' },
    ] as const;
    await workflows.put('k', draft('one', { steps }));
    const same = [{ ...steps[0], staticInput: { y: [1, 2], x: 1 }, dependsOn: [] }, steps[1]];
    expect((await workflows.put('k', draft('one', { steps: same, description: '' }))).outcome).toBe(
      'unchanged',
    );
    const changes: readonly Partial<WorkflowDraft>[] = [
      { steps: [{ ...steps[0], staticInput: { x: 1, y: [2, 1] } }, steps[1]] },
      { steps: [steps[1], steps[0]] },
      { steps: [{ ...steps[0], when: 'true' }, steps[1]] },
      { steps, description: 'x' },
      { steps, timeoutMs: 5 },
      { steps, maxConcurrentSteps: 1 },
      { steps, inputSchema: {} },
      { steps, output: {} },
    ];
    for (const [index, change] of changes.entries()) {
      const { outcome, definition } = await workflows.put('k', draft('one', change));
      expect([outcome, definition.version]).toEqual(['replaced', index + 2]);
    }
  });

  test('must have no other key, and the version that the caller has seen', async () => {
    const { workflows } = setUp();
    await expect(workflows.put('a', draft('x', { key: 'b' }))).rejects.toMatchObject({
      code: 'validation',
      message: 'key: must be "a" as in the path, or absent',
    });
    await expect(workflows.put('a', draft('x'), { ifMatch: 1 })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await workflows.put('a', draft('one'));
    for (const same of ['one', 'two']) {
      await expect(workflows.put('a', draft(same), { ifMatch: 2 })).rejects.toMatchObject({
        code: 'precondition_failed',
        message: 'the workflow has changed: its version is 1, not 2',
      });
    }
    expect((await workflows.put('a', draft('two'), { ifMatch: 1 })).definition.version).toBe(2);
    expect((await workflows.list(page)).total).toBe(1);
  });
});

describe('a step that runs a workflow by its key', () => {
  const call = (workflowId: string) => [{ id: 'child', kind: 'workflow', workflowId }] as const;

  test('runs the definition that has the key when the step begins', async () => {
    const core = setUp();
    const { workflows } = core;
    const parent = await workflows.create({ name: 'parent', steps: call('key:greet') });
    expect(parent.warnings).toEqual(['steps.0.workflow_id: there is no workflow "key:greet" yet']);
    expect(await core.statuses(await core.start(parent.id))).toEqual(['FAILED', 'FAILED']);
    const first = await workflows.put('greet', draft('one'));
    expect((await workflows.validate({ name: 'parent', steps: call('key:greet') })).warnings).toEqual([]);
    const one = await core.start(parent.id);
    await workflows.delete('key:greet');
    const second = await workflows.put('greet', draft('two'));
    const two = await core.start(parent.id);
    const outputs = [];
    for (const runId of [one, two]) {
      const [child] = await core.childrenOf(runId);
      outputs.push([child?.workflowId, child?.version, child?.output]);
    }
    expect(outputs).toEqual([
      [first.definition.id, 1, { name: 'one' }],
      [second.definition.id, 1, { name: 'two' }],
    ]);
  });

  test('is simulated, with mocks of the steps of its workflow', async () => {
    const { workflows } = setUp();
    await workflows.put('greet', draft('one'));
    const parent = await workflows.create({
      name: 'parent',
      steps: call('key:greet'),
      output: { name: '$step.child.output.name' },
    });
    const mocks = { 'child/a': { output: { name: 'mock' } } };
    expect(await workflows.simulate(parent.id, { mocks })).toMatchObject({ output: { name: 'mock' } });
  });
});

test.each(['memory', 'sqlite', 'redis'] as const)(
  'with %s, callers that put a key at the same time make one workflow, with a version for each difference',
  async (store) => {
    const { cores, close } = await startCores(store);
    try {
      const names = Array.from({ length: 12 }, (_, index) => `name ${index % 4}`);
      const done = await Promise.all(
        names.map((name, index) => {
          const core = cores[index % cores.length];
          if (core === undefined) throw new TypeError('no core');
          return core.workflows.put('greet', { name, steps: [{ id: 'a', kind: 'wait', durationMs: 0 }] });
        }),
      );
      expect(new Set(done.map(({ definition }) => definition.id)).size).toBe(1);
      expect(done.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
      const stored = done.filter(({ outcome }) => outcome !== 'unchanged');
      const versions = stored.map(({ definition }) => definition.version).sort((a, b) => a - b);
      expect(versions).toEqual(versions.map((_, index) => index + 1));
      for (const { workflows } of cores) {
        expect((await workflows.list(page)).total).toBe(1);
        expect(await workflows.versions('key:greet', page)).toMatchObject({ total: versions.length });
      }
    } finally {
      await close();
    }
  },
);
