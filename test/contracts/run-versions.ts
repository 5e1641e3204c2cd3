import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createOrchestrator } from '../../src/application/orchestrator.ts';
import { replay } from '../../src/domain/run/evolve.ts';
import type { Run } from '../../src/domain/run/run.ts';
import { recordOf } from '../../src/domain/run/state.ts';
import type { WorkflowDraft } from '../../src/domain/workflow/definition.ts';
import { defaultPorts } from '../../src/entries/defaults.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { Ports } from '../../src/ports/ports.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { callTool } from '../support/workflow/engine.ts';

const page = { limit: 50, offset: 0 };

/** A version of a workflow: it waits, tells its version, and the second one has a further step. */
function draft(version: number): WorkflowDraft {
  const steps = [callTool('hold', 'hold'), callTool('tell', 'tell', { version }, ['hold'])];
  const further = version === 1 ? [] : [callTool('more', 'tell', { heard: '$step.tell.version' }, ['tell'])];
  return { name: `Version ${version}`, steps: [...steps, ...further] };
}

const outputs = ({ stepResults }: Run) =>
  Object.fromEntries(stepResults.map(({ stepId, output }) => [stepId, output]));

const firstOutputs = { hold: {}, tell: { version: 1 } };
const secondOutputs = { hold: {}, tell: { version: 2 }, more: { heard: 2 } };

/** The whole core, whose tool `hold` waits, or fails, as the test wants. */
function createEngine(storage: Partial<Ports>) {
  const ports = defaultPorts({ ...storage, logger: silentLogger });
  const orchestrator = createOrchestrator(ports, {}, { builtInAgents: [] });
  const held = Promise.withResolvers<void>();
  const state = { fails: false, holds: false, started: 0 };
  const tool = (name: string, execute: (input: JsonObject) => ReturnType<Tool['execute']>): void =>
    orchestrator.tools.register({
      name,
      description: name,
      effect: 'write',
      execute,
      input: z.record(z.string(), z.json()),
    } satisfies Tool<JsonObject>);
  tool('hold', async () => {
    state.started++;
    if (state.holds) await held.promise;
    if (state.fails) throw new Error('not now');
    return {};
  });
  tool('tell', async (input) => input);

  /** The record that the stored events of a run replay to. */
  async function replayed(runId: string): Promise<Run> {
    const stored = await ports.runs.get(runId);
    if (stored === undefined) throw new Error('the run is not stored');
    expect(stored.definition.version).toBe(recordOf(replay(stored)).version);
    return recordOf(replay(stored));
  }

  async function ended(runId: string): Promise<Run> {
    await expect
      .poll(async () => (await orchestrator.runs.get(runId)).completedAt, { timeout: 15_000 })
      .not.toBeNull();
    return orchestrator.runs.get(runId);
  }

  return { ...orchestrator, state, release: held.resolve, replayed, ended };
}

/** The promises of every run about the version of its definition, with the whole core over a store. */
export function runVersionsContract(name: string, make: () => Promise<Partial<Ports>>): void {
  describe(`${name} as a store of runs of several versions`, () => {
    test('has runs that go on with the version they began with, while there is a newer one', async () => {
      const { workflows, state, release, replayed, ended } = createEngine(await make());
      const { id } = await workflows.create(draft(1));
      state.holds = true;
      const first = await workflows.run(id, { background: true });
      await expect.poll(() => state.started, { timeout: 15_000 }).toBe(1);
      expect(await workflows.replace(id, draft(2))).toMatchObject({ id, version: 2, name: 'Version 2' });
      const second = await workflows.run(id, { background: true });
      const old = await workflows.run(id, { background: true, version: 1 });
      await expect.poll(() => state.started, { timeout: 15_000 }).toBe(3);
      release();
      const runs = await Promise.all([first, second, old].map(({ runId }) => ended(runId)));
      expect(runs.map(({ status, version, workflowName }) => [status, version, workflowName])).toEqual([
        ['COMPLETED', 1, 'Version 1'],
        ['COMPLETED', 2, 'Version 2'],
        ['COMPLETED', 1, 'Version 1'],
      ]);
      expect(runs.map(outputs)).toEqual([firstOutputs, secondOutputs, firstOutputs]);
      for (const run of runs) expect(await replayed(run.runId)).toEqual(run);
      const listed = await workflows.listRuns(id, page);
      expect(new Map(listed.items.map(({ runId, version }) => [runId, version]))).toEqual(
        new Map(runs.map(({ runId, version }) => [runId, version])),
      );
    });

    test.each(['changed', 'deleted'])(
      'retries and reruns a run in its version after the workflow was %s',
      async (how) => {
        const { workflows, runs, state, replayed, ended } = createEngine(await make());
        const { id } = await workflows.create(draft(1));
        state.fails = true;
        const first = await workflows.run(id);
        await workflows.replace(id, draft(2));
        const second = await workflows.run(id);
        expect([first, second].map(({ status, version }) => [status, version])).toEqual([
          ['FAILED', 1],
          ['FAILED', 2],
        ]);
        if (how === 'deleted') await workflows.delete(id);
        state.fails = false;
        for (const { runId } of [first, second]) await runs.retry(runId, { by: 'test' });
        const retried = await Promise.all([first, second].map(({ runId }) => ended(runId)));
        expect(retried.map(outputs)).toEqual([firstOutputs, secondOutputs]);
        const rerun = [];
        for (const { runId } of retried) {
          rerun.push(await runs.rerun(runId, { background: false }));
          rerun.push(await runs.rerun(runId, { background: false, fromStep: 'tell' }));
        }
        expect(rerun.map(({ version, rerunOf }) => [version, rerunOf])).toEqual([
          [1, first.runId],
          [1, first.runId],
          [2, second.runId],
          [2, second.runId],
        ]);
        expect(rerun.map(outputs)).toEqual([firstOutputs, firstOutputs, secondOutputs, secondOutputs]);
        for (const run of [...retried, ...rerun]) expect(await replayed(run.runId)).toEqual(run);
      },
    );

    test('keeps the versions of runs while others of the same workflow are deleted', async () => {
      const { workflows, runs, replayed } = createEngine(await make());
      const { id } = await workflows.create(draft(1));
      const [gone, first] = [await workflows.run(id), await workflows.run(id)];
      await workflows.replace(id, draft(2));
      const [second, last] = [await workflows.run(id), await workflows.run(id, { version: 2 })];
      for (const { runId } of [gone, last]) await runs.delete(runId);
      for (const run of [first, second]) expect(await replayed(run.runId)).toEqual(run);
      await runs.delete(first.runId);
      expect(await replayed(second.runId)).toEqual(second);
      const again = await workflows.run(id, { version: 1 });
      expect(outputs(again)).toEqual(firstOutputs);
      expect(await replayed(again.runId)).toEqual(again);
    });
  });
}
