import { describe, expect, test } from 'vitest';
import { callTool, createTestEngine } from '../support/workflow/engine.ts';

const page = { limit: 50, offset: 0 };

function setUp() {
  const engine = createTestEngine({ limits: { maxWorkflowSteps: 5 } });
  engine.tool('ok', () => ({}));
  return engine;
}

describe('workflows', () => {
  test('store a definition with its layers, its warnings and its creation time', async () => {
    const { workflows } = setUp();
    const steps = [callTool('b', 'missing', {}, ['a']), callTool('a', 'ok', { x: 1 })];
    const created = await workflows.create({ name: 'two steps', description: 'in order', steps });
    expect(created).toEqual({
      id: '00000000-0000-7000-8000-000000000001',
      version: 1,
      name: 'two steps',
      description: 'in order',
      steps,
      layers: [['a'], ['b']],
      warnings: ['steps.0.tool_name: no tool "missing" is registered'],
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await workflows.get(created.id)).toEqual(created);
    expect(await workflows.list(page)).toEqual({ total: 1, ...page, items: [created] });
  });

  test('reject an invalid definition with all its issues, and store nothing', async () => {
    const { workflows } = setUp();
    const steps = [callTool('a', 'ok', {}, ['a']), callTool('a', 'ok', {}, ['x'])];
    await expect(workflows.create({ name: 'bad', description: '', steps })).rejects.toMatchObject({
      code: 'validation',
      message: [
        'steps.1.id: "a" is already the id of steps.0',
        'steps.0.depends_on: step "a" depends on itself',
        'steps.1.depends_on: names the unknown step "x"',
      ].join('; '),
    });
    const many = Array.from({ length: 6 }, (_, n) => callTool(`s${n}`, 'ok'));
    await expect(workflows.create({ name: 'bad', description: '', steps: many })).rejects.toThrow(
      'steps: must contain at most 5 steps, but there are 6',
    );
    expect((await workflows.list(page)).total).toBe(0);
  });

  test('reject static inputs that are not JSON, each with its path', async () => {
    const { workflows } = setUp();
    let deep = {};
    for (let level = 0; level < 70; level++) deep = { deep };
    const steps = [callTool('a', 'ok', deep), callTool('b', 'ok'), callTool('c', 'ok', { x: Number.NaN })];
    await expect(workflows.create({ name: 'bad', description: '', steps })).rejects.toMatchObject({
      code: 'validation',
      message: [
        'steps.0.static_input: is nested deeper than 64 levels or contains a cycle',
        'steps.2.static_input: contains a number that is not finite',
      ].join('; '),
    });
  });

  test('store a copy of a definition', async () => {
    const { workflows } = setUp();
    const input = { list: [1] };
    const step = { ...callTool('a', 'ok', input), dependsOn: [] as string[] };
    const created = await workflows.create({ name: 'x', description: '', steps: [step] });
    input.list.push(2);
    step.dependsOn.push('a');
    expect(created.steps[0]).toMatchObject({ staticInput: { list: [1] }, dependsOn: [] });
  });

  test('reject unknown ids as not found', async () => {
    const { workflows } = setUp();
    const missing = { code: 'not_found', message: 'workflow "nope" not found' };
    await expect(workflows.get('nope')).rejects.toMatchObject(missing);
    await expect(workflows.delete('nope')).rejects.toMatchObject(missing);
    await expect(workflows.run('nope')).rejects.toMatchObject(missing);
    await expect(workflows.run('nope', { background: true })).rejects.toMatchObject(missing);
    await expect(workflows.listRuns('nope', page)).rejects.toMatchObject(missing);
    await expect(workflows.getRun('nope', 'unknown')).rejects.toMatchObject({
      code: 'not_found',
      message: 'execution "unknown" not found',
    });
  });

  test('find a run only under its own workflow', async () => {
    const { workflows, define } = setUp();
    const one = await define(callTool('a', 'ok'));
    const other = await define(callTool('a', 'ok'));
    const run = await workflows.run(one.id);
    expect(await workflows.getRun(one.id, run.runId)).toEqual(run);
    await expect(workflows.getRun(other.id, run.runId)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await workflows.listRuns(other.id, page)).total).toBe(0);
  });

  test('can run more than once, and list their runs without steps, newest first', async () => {
    const { workflows, define } = setUp();
    const { id } = await define(callTool('a', 'ok'));
    const first = await workflows.run(id);
    const second = await workflows.run(id, { input: { x: 1 } });
    expect(second.runId).not.toBe(first.runId);
    const summaries = [second, first].map(({ stepResults: _, ...summary }) => summary);
    expect(await workflows.listRuns(id, page)).toEqual({ total: 2, ...page, items: summaries });
    expect((await workflows.listRuns(id, { limit: 1, offset: 1 })).items).toEqual(summaries.slice(1));
  });

  test('delete a definition once, and keep its runs', async () => {
    const { workflows, define } = setUp();
    const { id } = await define(callTool('a', 'ok'));
    const run = await workflows.run(id);
    await workflows.delete(id);
    await expect(workflows.delete(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(workflows.run(id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await workflows.listRuns(id, page)).total).toBe(1);
    expect(await workflows.getRun(id, run.runId)).toEqual(run);
  });
});
