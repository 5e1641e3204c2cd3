import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import { settle } from '../../support/fake-clock.ts';
import { withMessageTools } from '../../support/ports.ts';
import { scriptedStages } from '../../support/stages.ts';
import { endTelemetry, request, startTelemetry, type TelemetryUnderTest } from './telemetry-under-test.ts';

afterEach(endTelemetry);

/** The stages of a pipeline, below its own span. */
const stages = ['classifier', 'planner', 'responder', 'verifier'].map((stage) => `    stage ${stage}`);

const message = { source: 'web', customerId: 'c', message: 'my card is 4111' };

interface Traced extends TelemetryUnderTest {
  readonly orchestrator: Orchestrator;
  /**
   * Runs `work` as a request to that route, shuts telemetry down, and returns the spans that the collector received as
   * a tree.
   */
  serve(route: string, work: () => Promise<unknown>): Promise<string[]>;
}

async function startTraced(overrides: Partial<Ports> = {}, limits = {}): Promise<Traced> {
  const started = await startTelemetry();
  const { telemetry, collector } = started;
  const playbook = withMessageTools('lookup');
  const ports = defaultPorts({ telemetry, random: () => 0, playbook, ...overrides });
  const orchestrator = createOrchestrator(ports, { ...defaultLimits, ...limits });
  orchestrator.tools.register({
    name: 'lookup',
    description: 'Looks something up.',
    input: z.object({ fail: z.enum(['once', 'always']).optional() }),
    async execute({ fail }, { attempt }) {
      await settle();
      if (fail === 'always') throw new ToolError('card 4111 was refused', { permanent: true });
      if (fail === 'once' && attempt === 1) throw new Error('card 4111 is busy');
      return {};
    },
  });
  return {
    ...started,
    orchestrator,
    async serve(route, work) {
      await telemetry.serverSpan(request('POST', route), async (server) => {
        await work();
        server.answered(route, 200);
      });
      await orchestrator.close(0);
      await telemetry.shutdown();
      return collector.tree();
    },
  };
}

function toolStep(id: string, dependsOn: string[] = [], fail?: 'once' | 'always'): Step {
  return { id, kind: 'tool', toolName: 'lookup', dependsOn, staticInput: fail === undefined ? {} : { fail } };
}

function agentStep(id: string, agentName: string, dependsOn: string[] = []): Step {
  return { id, kind: 'agent', agentName, dependsOn, staticInput: { message: message.message } };
}

describe('the spans of a message', () => {
  test('are its stages and tool calls, and link to the stored trace', async () => {
    const toolCalls = [
      { toolName: 'lookup', input: {} },
      { toolName: 'lookup', input: { fail: 'once' } },
    ];
    const { orchestrator, serve, collector } = await startTraced({ stages: scriptedStages({ toolCalls }) });
    const traces: { traceId: string; otelTraceId: string | null }[] = [];
    const tree = await serve('/messages', async () =>
      traces.push(await orchestrator.messages.process(message)),
    );
    expect(tree).toEqual([
      'POST /messages',
      '  invoke_workflow message_pipeline',
      '    execute_tool lookup',
      '    execute_tool lookup',
      ...stages,
    ]);
    const span = collector.span('invoke_workflow message_pipeline');
    expect(traces).toMatchObject([
      { traceId: span.attributes['orchestration.trace_id'], otelTraceId: span.traceId },
    ]);
    const retries = collector.spans.flatMap(({ events }) => events.map((event) => event.name));
    expect(retries).toEqual(['retry']);
  });

  test('mark only the tool that failed, and contain no text of the customer', async () => {
    const toolCalls = [{ toolName: 'lookup', input: { fail: 'always' } }];
    const { orchestrator, serve, collector } = await startTraced({ stages: scriptedStages({ toolCalls }) });
    expect(await serve('/messages', () => orchestrator.messages.process(message))).toEqual([
      'POST /messages',
      '  invoke_workflow message_pipeline',
      '    !execute_tool lookup',
      '    stage classifier',
      '    stage planner',
    ]);
    const sent = JSON.stringify(collector.spans.map(({ attributes, events }) => ({ attributes, events })));
    expect(sent).not.toContain('4111');
  });

  test('mark only the stage that failed', async () => {
    const stages = scriptedStages({}, { plan: () => Promise.reject(new Error('card 4111')) });
    const { orchestrator, serve } = await startTraced({ stages });
    expect(await serve('/messages', () => orchestrator.messages.process(message))).toEqual([
      'POST /messages',
      '  invoke_workflow message_pipeline',
      '    !stage planner',
      '    stage classifier',
    ]);
  });

  test('of one batch are separate', async () => {
    const { orchestrator, serve } = await startTraced({ stages: scriptedStages() });
    expect(
      await serve('/messages/batch', () => orchestrator.messages.processBatch([message, message])),
    ).toEqual([
      'POST /messages/batch',
      '  invoke_workflow message_pipeline',
      ...stages,
      '  invoke_workflow message_pipeline',
      ...stages,
    ]);
  });
});

describe('the spans of a workflow run', () => {
  const steps = [toolStep('a'), toolStep('b', [], 'always'), agentStep('c', 'support_pipeline')];
  const pipeline = ['  invoke_workflow message_pipeline', ...stages];

  test('are its layers, steps, tools and agents, nested', async () => {
    const { orchestrator, serve, collector } = await startTraced({ stages: scriptedStages() });
    const { id } = await orchestrator.workflows.create({ name: 'w', description: '', steps });
    const received = await serve('/workflows/{id}/run', () => orchestrator.workflows.run(id));
    expect(received).toEqual([
      'POST /workflows/{id}/run',
      '  invoke_workflow',
      '    workflow layer',
      '      workflow step',
      '        !execute_tool lookup',
      '      workflow step',
      '        execute_tool lookup',
      '      workflow step',
      '        invoke_agent support_pipeline',
      ...pipeline.map((line) => `        ${line}`),
    ]);
    expect(collector.span('invoke_workflow').attributes).toMatchObject({ 'orchestration.workflow_id': id });
  });

  test('are children of their own request when the run waited in the background queue', async () => {
    const limits = { maxBackgroundRuns: 1 };
    const { orchestrator, telemetry, collector } = await startTraced({ stages: scriptedStages() }, limits);
    const { id } = await orchestrator.workflows.create({
      name: 'w',
      description: '',
      steps: [toolStep('a'), toolStep('b', ['a'])],
    });
    const executions: string[] = [];
    for (const route of ['/first', '/second', '/third']) {
      await telemetry.serverSpan(request('POST', route), async (server) => {
        const { runId } = await orchestrator.workflows.run(id, { background: true });
        executions.push(runId);
        server.answered(route, 202);
      });
    }
    await orchestrator.close(10_000);
    await telemetry.shutdown();
    const layer = ['    workflow layer', '      workflow step', '        execute_tool lookup'];
    const run = ['  invoke_workflow', ...layer, ...layer];
    expect(collector.tree()).toEqual(['POST /first', ...run, 'POST /second', ...run, 'POST /third', ...run]);
    const requests = ['POST /first', 'POST /second', 'POST /third'].map(
      (name) => collector.span(name).traceId,
    );
    const traceOf = (runId: string) =>
      collector.spans.find((span) => span.attributes['orchestration.execution_id'] === runId)?.traceId;
    expect(executions.map(traceOf)).toEqual(requests);
  });
});

describe('the spans of a cancelled run', () => {
  const cancelled = { 'orchestration.cancelled': true };

  async function cancelRun(orchestrator: Orchestrator, step: Step): Promise<void> {
    const { id } = await orchestrator.workflows.create({ name: 'w', description: '', steps: [step] });
    const { runId } = await orchestrator.workflows.run(id, { background: true });
    await settle();
    await orchestrator.runs.cancel(runId, { by: 'api', reason: 'card 4111' });
    await settle();
    expect((await orchestrator.runs.get(runId)).status).toBe('CANCELLED');
    await orchestrator.runs.retry(runId, { by: 'api' });
    await settle();
    await orchestrator.runs.cancel(runId, { by: 'api', reason: null });
    await settle();
  }

  /** Ends when its signal is aborted. */
  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });

  test('are marked as cancelled and not as failed, with the tool that the cancel stopped', async () => {
    const { orchestrator, serve, collector } = await startTraced();
    orchestrator.tools.register({
      name: 'slow',
      description: 'Waits.',
      input: z.object({}),
      execute: (_input, { signal }) => untilAborted(signal),
    });
    const step: Step = { id: 'a', kind: 'tool', toolName: 'slow', dependsOn: [], staticInput: {} };
    const run = [
      '  invoke_workflow',
      '    workflow layer',
      '      workflow step',
      '        execute_tool slow',
    ];
    expect(await serve('/runs', () => cancelRun(orchestrator, step))).toEqual(['POST /runs', ...run, ...run]);
    for (const name of ['invoke_workflow', 'workflow step', 'execute_tool slow']) {
      const [first, second] = collector.spans.filter((span) => span.name === name);
      expect(first?.attributes).toMatchObject(cancelled);
      expect(first?.attributes).not.toHaveProperty('error.type');
      expect(second?.attributes).toMatchObject(cancelled);
    }
    const attempts = collector.spans
      .filter(({ name }) => name === 'invoke_workflow')
      .map(({ attributes }) => attributes['orchestration.attempt']);
    expect(attempts).toEqual([1, 2]);
    expect(JSON.stringify(collector.spans)).not.toContain('4111');
  });

  test('are marked as cancelled and not as failed, with the agent that the cancel stopped', async () => {
    const { orchestrator, serve, collector } = await startTraced();
    orchestrator.agents.register({
      name: 'slow',
      description: 'Waits.',
      handle: (_message, { signal }) => untilAborted(signal),
    });
    const run = [
      '  invoke_workflow',
      '    workflow layer',
      '      workflow step',
      '        invoke_agent slow',
    ];
    const tree = await serve('/runs', () => cancelRun(orchestrator, agentStep('a', 'slow')));
    expect(tree).toEqual(['POST /runs', ...run, ...run]);
    for (const { attributes } of collector.spans.filter(({ name }) => name === 'invoke_agent slow')) {
      expect(attributes).toMatchObject(cancelled);
    }
  });
});

describe('the spans of a routed goal', () => {
  test('are its decomposition, its subtasks and their agents', async () => {
    const { orchestrator, serve } = await startTraced({
      stages: scriptedStages(),
      decompose: () => ({
        decomposition: 'keyword',
        subtasks: ['echo', 'nobody', 'support_pipeline'].map((agentName) => ({
          agentName,
          payload: { message: 'my card is 4111' },
        })),
      }),
    });
    expect(await serve('/agents/route', () => orchestrator.agents.route({ goal: 'card 4111' }))).toEqual([
      'POST /agents/route',
      '  route',
      '    !subtask',
      '    decompose',
      '    subtask',
      '      invoke_agent echo',
      '    subtask',
      '      invoke_agent support_pipeline',
      '        invoke_workflow message_pipeline',
      ...stages.map((line) => `      ${line}`),
    ]);
  });
});
