import { describe, expect, test } from 'vitest';
import type { WorkflowDraft } from '../../src/domain/workflow/definition.ts';
import { callTool, createTestEngine } from '../support/workflow/engine.ts';

/** An engine with two tools, which say their names. The clock stands still. */
function setUp() {
  const engine = createTestEngine();
  for (const name of ['one', 'two']) engine.tool(name, () => ({ tool: name }));
  return engine;
}

const draft = (tool: string): WorkflowDraft => ({ name: 'n', steps: [callTool('a', tool)] });

const outputsOf = ({ stepResults }: { readonly stepResults: readonly { readonly output: unknown }[] }) =>
  stepResults.map(({ output }) => output);

describe('a workflow that is created again under its id, within one millisecond', () => {
  test('runs as it is defined then', async () => {
    const { workflows, control } = setUp();
    await workflows.create(draft('one'), 'nightly');
    const first = await workflows.run('nightly');
    await workflows.create(draft('two'), 'nightly');
    const second = await workflows.run('nightly');
    expect([first, second].map(outputsOf)).toEqual([[{ tool: 'one' }], [{ tool: 'two' }]]);
    const reruns = [first, second].map(({ runId }) => control.rerun(runId, { background: false }));
    expect((await Promise.all(reruns)).map(outputsOf)).toEqual([[{ tool: 'one' }], [{ tool: 'two' }]]);
  });

  test('runs as it is defined then also after it was deleted or changed', async () => {
    const { workflows } = setUp();
    await workflows.create(draft('two'), 'nightly');
    await workflows.replace('nightly', draft('one'));
    expect(outputsOf(await workflows.run('nightly'))).toEqual([{ tool: 'one' }]);
    await workflows.delete('nightly');
    await workflows.create(draft('one'), 'nightly');
    await workflows.replace('nightly', draft('two'));
    expect(outputsOf(await workflows.run('nightly'))).toEqual([{ tool: 'two' }]);
  });

  test('has a time of creation of its own, and other workflows have that of the clock', async () => {
    const { workflows, clock } = setUp();
    const timeOf = async (id: string) =>
      Date.parse((await workflows.create(draft('one'), id)).createdAt) - clock.now();
    expect([await timeOf('a'), await timeOf('a'), await timeOf('b'), await timeOf('a')]).toEqual([
      0, 1, 0, 2,
    ]);
    await clock.advance(2);
    expect([await timeOf('a'), await timeOf('b')]).toEqual([1, 0]);
    await clock.advance(5);
    expect(await timeOf('a')).toBe(0);
    clock.jump(-60_000);
    expect(await timeOf('a')).toBe(0);
  });
});
