import { describe, expect, test } from 'vitest';
import { memoryStorage } from '../../src/adapters/memory-storage.ts';
import type { WorkflowDraft } from '../../src/domain/workflow/definition.ts';
import { callTool, createTestEngine } from '../support/workflow/engine.ts';

const page = { limit: 50, offset: 0 };

const draft = (name: string): WorkflowDraft => ({ name, steps: [callTool('a', 'ok', { name })] });

/** An engine with a workflow of one version, whose tool `ok` returns its input. */
async function setUp(...[options]: Parameters<typeof createTestEngine>) {
  const engine = createTestEngine(options);
  engine.tool('ok', (input) => input);
  const first = await engine.workflows.create(draft('one'));
  return { ...engine, first, id: first.id };
}

const subjectEvents = ({ recorded }: Pick<ReturnType<typeof createTestEngine>, 'recorded'>) =>
  recorded.events.filter(({ type }) => type.startsWith('workflow.'));

describe('a new version of a workflow', () => {
  test('is stored beside those before it, with its own layers, warnings and time', async () => {
    const { workflows, clock, first, id } = await setUp();
    await clock.advance(5_000);
    const steps = [callTool('b', 'missing', {}, ['a']), callTool('a', 'ok')];
    const second = await workflows.replace(id, { name: 'two', description: 'changed', steps });
    expect(second).toEqual({
      id,
      version: 2,
      name: 'two',
      description: 'changed',
      steps,
      layers: [['a'], ['b']],
      warnings: ['steps.0.tool_name: no tool "missing" is registered'],
      createdAt: '2026-01-01T00:00:05.000Z',
    });
    expect(await workflows.get(id)).toEqual(second);
    expect(await workflows.getVersion(id, 1)).toEqual(first);
    expect(await workflows.getVersion(id, 2)).toEqual(second);
    expect(await workflows.versions(id, page)).toEqual({ total: 2, ...page, items: [second, first] });
    expect((await workflows.list(page)).items).toEqual([second]);
  });

  test('is checked as a new workflow is, and nothing is stored of a wrong one', async () => {
    const { workflows, first, id, recorded } = await setUp();
    const before = recorded.events.length;
    const steps = [callTool('a', 'ok', { n: Number.NaN }), callTool('b', 'ok', {}, ['b'])];
    for (const wrong of [steps, [], steps.slice(1)]) {
      const [created, replaced] = await Promise.all(
        [
          workflows.create({ name: 'x', steps: wrong }),
          workflows.replace(id, { name: 'x', steps: wrong }),
        ].map((attempt) => attempt.then(() => undefined).catch((error: unknown) => error)),
      );
      expect(created).toMatchObject({ code: 'validation' });
      expect(replaced).toEqual(created);
    }
    expect(await workflows.versions(id, page)).toMatchObject({ total: 1, items: [first] });
    expect(recorded.events).toHaveLength(before);
  });

  test('shares no object with its draft', async () => {
    const { workflows, id } = await setUp();
    const input = { list: [1] };
    const second = await workflows.replace(id, { name: 'two', steps: [callTool('a', 'ok', input)] });
    input.list.push(2);
    expect(second.steps[0]).toMatchObject({ staticInput: { list: [1] } });
  });

  test('is rejected where the caller has seen another one', async () => {
    const { workflows, id } = await setUp();
    await workflows.replace(id, draft('two'), { ifMatch: 1 });
    for (const ifMatch of [1, 3]) {
      await expect(workflows.replace(id, draft('lost'), { ifMatch })).rejects.toMatchObject({
        code: 'precondition_failed',
        message: `the workflow has changed: its version is 2, not ${ifMatch}`,
      });
    }
    expect(await workflows.replace(id, draft('three'), { ifMatch: 2 })).toMatchObject({ version: 3 });
  });

  test('is stored once for each of 50 concurrent callers, and by one of them who have seen the same', async () => {
    const engine = await setUp();
    const { workflows, id } = engine;
    const names = Array.from({ length: 50 }, (_, number) => `caller ${number}`);
    const seen = await Promise.allSettled(
      names.map((name) => workflows.replace(id, draft(name), { ifMatch: 1 })),
    );
    expect(seen.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of seen) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'precondition_failed' });
    }
    const stored = await Promise.all(names.map((name) => workflows.replace(id, draft(name))));
    const versions = stored.map(({ version }) => version).toSorted((one, other) => one - other);
    expect(versions).toEqual(names.map((_, index) => index + 3));
    for (const definition of stored) {
      expect(await workflows.getVersion(id, definition.version)).toEqual(definition);
    }
    expect(subjectEvents(engine).map((event) => ('seq' in event ? event.seq : 0))).toEqual(
      Array.from({ length: 52 }, (_, index) => index + 1),
    );
  });

  test('is given up where others store theirs for too long', async () => {
    const { workflows } = memoryStorage();
    const ports = { workflows: { ...workflows, replace: async () => 'conflict' as const } };
    const { workflows: useCases, id } = await setUp({ ports });
    await expect(useCases.replace(id, draft('two'))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the workflow changes too fast',
    });
  });

  test('and its end are events of the workflow, numbered without gaps', async () => {
    const engine = await setUp();
    const { workflows, clock, id } = engine;
    await workflows.replace(id, draft('two'));
    await workflows.replace(id, draft('three'));
    await workflows.delete(id);
    const at = clock.now();
    expect(subjectEvents(engine)).toEqual([
      { type: 'workflow.created', workflowId: id, name: 'one', seq: 1, at },
      { type: 'workflow.updated', workflowId: id, name: 'two', seq: 2, at },
      { type: 'workflow.updated', workflowId: id, name: 'three', seq: 3, at },
      { type: 'workflow.deleted', workflowId: id, name: 'three', seq: 4, at },
    ]);
  });
});

describe('a version of a workflow', () => {
  test('is not found where it, or its workflow, is unknown', async () => {
    const { workflows, id } = await setUp();
    const missing = { code: 'not_found', message: 'workflow "nope" not found' };
    await expect(workflows.replace('nope', draft('x'))).rejects.toMatchObject(missing);
    await expect(workflows.replace('nope', draft('x'), { ifMatch: 1 })).rejects.toMatchObject(missing);
    await expect(workflows.getVersion('nope', 1)).rejects.toMatchObject(missing);
    await expect(workflows.versions('nope', page)).rejects.toMatchObject(missing);
    await expect(workflows.run('nope', { version: 1 })).rejects.toMatchObject(missing);
    for (const version of [0, 2, 1.5]) {
      await expect(workflows.getVersion(id, version)).rejects.toMatchObject({
        code: 'not_found',
        message: `workflow "${id}" has no version ${version}`,
      });
    }
  });

  test('goes with its workflow', async () => {
    const { workflows, id } = await setUp();
    await workflows.replace(id, draft('two'));
    await workflows.delete(id);
    for (const version of [1, 2]) {
      await expect(workflows.getVersion(id, version)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(workflows.versions(id, page)).rejects.toMatchObject({ code: 'not_found' });
    await expect(workflows.replace(id, draft('three'))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('can be run; without one the newest is', async () => {
    const { workflows, id } = await setUp();
    await workflows.replace(id, draft('two'));
    const runs = [
      await workflows.run(id, { version: 1 }),
      await workflows.run(id, { version: 2 }),
      await workflows.run(id),
    ];
    expect(runs.map(({ version, workflowName }) => [version, workflowName])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [2, 'two'],
    ]);
    expect(runs.map(({ stepResults }) => stepResults[0]?.output)).toEqual([
      { name: 'one' },
      { name: 'two' },
      { name: 'two' },
    ]);
    for (const run of runs) expect(await workflows.getRun(id, run.runId)).toEqual(run);
    const { items } = await workflows.listRuns(id, page);
    expect(items.map(({ version }) => version)).toEqual([2, 2, 1]);
  });

  test('that is unknown is not run, and nothing is recorded', async () => {
    const { workflows, id } = await setUp();
    for (const background of [false, true]) {
      await expect(workflows.run(id, { background, version: 2 })).rejects.toMatchObject({
        code: 'validation',
        message: 'version: the workflow has no version 2',
      });
    }
    expect((await workflows.listRuns(id, page)).total).toBe(0);
  });
});
