import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../../src/domain/errors.ts';
import { createTestSimulator, tool } from '../../../support/workflow/simulator.ts';

const steps = [
  tool('a'),
  tool('fails', { onError: 'continue' }),
  { id: 'b', kind: 'agent', agentName: 'agent', dependsOn: ['a'] },
  { id: 'w', kind: 'wait', durationMs: 60_000 },
  { id: 'p', kind: 'approval', title: 'ok?' },
] as const;
const mocks = { a: { output: {} }, b: { output: {} }, fails: { error: 'no' } };

const unused = (): never => {
  throw new Error('a simulation does not use it');
};

describe('a simulation', () => {
  test('leaves nothing behind: no record, item, event, statistics, log line, call or timer', async () => {
    const test = createTestSimulator();
    const { orchestrator, ports, recorded, logger, clock } = test;
    const { id } = await test.define(steps);
    const before = [...recorded.events];
    const lines = logger.lines.length;
    const stats = await orchestrator.stats.read({ windowMs: 3_600_000, stepMs: 60_000 });
    const run = await orchestrator.workflows.simulate(id, { mocks });
    expect(run.status).toBe('COMPLETED');
    expect(recorded.events).toEqual(before);
    expect(logger.lines.length).toBe(lines);
    expect(await ports.runs.listAll({}, { limit: 10 })).toMatchObject({ items: [] });
    expect(await ports.runs.summary(run.runId)).toBeUndefined();
    expect((await ports.inbox.list({}, { limit: 10 })).items).toEqual([]);
    expect((await orchestrator.events.list({}, { limit: 10 })).events.map(({ type }) => type)).toEqual([
      'workflow.created',
    ]);
    expect(await orchestrator.stats.read({ windowMs: 3_600_000, stepMs: 60_000 })).toEqual(stats);
    expect(orchestrator.tools.listRegistered().every(({ stats: calls }) => calls.success === 0)).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  test('does not use the run log, the queue and the inbox', async () => {
    const only = (member: string) =>
      new Proxy({}, { get: (_, key) => (key === member ? () => undefined : unused) }) as never;
    const stores = { runs: only('listen'), runQueue: only('process'), inbox: only('') };
    const { orchestrator, define } = createTestSimulator({ ports: stores });
    const { id } = await define(steps);
    expect(await orchestrator.workflows.simulate(id, { mocks })).toMatchObject({ status: 'COMPLETED' });
  });

  test('is refused for an unknown workflow, an unknown version and an input that is not JSON', async () => {
    const { orchestrator, define } = createTestSimulator();
    const { id } = await define([tool('a')]);
    const simulate = orchestrator.workflows.simulate;
    await expect(simulate('gone')).rejects.toMatchObject({ code: 'not_found' });
    await expect(simulate(id, { version: 9 })).rejects.toMatchObject({
      code: 'validation',
      message: 'version: the workflow has no version 9',
    });
    await expect(simulate(id, { input: { x: 1n as never } })).rejects.toMatchObject({ code: 'validation' });
    expect(await simulate(id, { version: 1, mocks: { a: { output: {} } } })).toMatchObject({ version: 1 });
  });

  test('of a workflow in a slow store waits for its children', async () => {
    const test = createTestSimulator();
    const { define, ports, simulate } = test;
    const leaf = await define([tool('x')]);
    const { get } = ports.workflows;
    Object.assign(ports.workflows, {
      get: async (id: string) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return get(id);
      },
    });
    const run = await simulate([{ id: 'c', kind: 'workflow', workflowId: leaf.id, timeoutMs: 1_000 }], {
      'c/x': { output: {}, delayMs: 900 },
    });
    expect(run).toMatchObject({ status: 'COMPLETED' });
  });

  test('fails where the store of its children is unavailable', async () => {
    const { define, ports, simulate } = createTestSimulator();
    const leaf = await define([tool('x')]);
    const { get } = ports.workflows;
    Object.assign(ports.workflows, {
      get: (id: string) => (id === leaf.id ? Promise.reject(unavailable('no store')) : get(id)),
    });
    await expect(simulate([{ id: 'c', kind: 'workflow', workflowId: leaf.id }])).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
