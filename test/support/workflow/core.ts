import { expect } from 'vitest';
import { z } from 'zod';
import type { OrchestratorOptions } from '../../../src/application/driving-port.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { RunRequest } from '../../../src/application/workflows/workflows.ts';
import type { InboxItem } from '../../../src/domain/inbox/item.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import type { RunEvent, RunEventType } from '../../../src/domain/run/events.ts';
import { replay } from '../../../src/domain/run/evolve.ts';
import { hasEnded, summarizeRun } from '../../../src/domain/run/run.ts';
import { recordOf } from '../../../src/domain/run/state.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { DefinitionOptions, StepDraft } from '../../../src/domain/workflow/definition.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { Tool, ToolContext, ToolEffect } from '../../../src/ports/tool.ts';
import { testPorts } from '../ports.ts';

/** A call of a tool or an agent. */
export interface CoreCall {
  readonly target: string;
  readonly input: JsonObject;
  /** The idempotency key; undefined for agents. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

/** The behaviour of a tool or an agent; `call` counts from 1 for each target. */
type Behaviour = (
  input: JsonObject,
  call: number,
  context: Pick<ToolContext, 'signal'>,
) => JsonObject | Promise<JsonObject>;

/** Options of {@link createCore}. */
export interface CoreOptions extends OrchestratorOptions {
  readonly ports?: Partial<Ports>;
  readonly limits?: Partial<Limits>;
}

const anyInput = z.record(z.string(), z.json());

/**
 * The whole core over {@link testPorts}, whose tools are attempted once. The tool `echo` returns its input; `fail`
 * fails; `hang` never ends.
 */
export function createCore({ ports: own, limits, ...options }: CoreOptions = {}) {
  const { ports, clock, recorded, logger } = testPorts(own);
  const orchestrator = createOrchestrator(
    ports,
    { toolMaxAttempts: 1, ...limits },
    { builtInAgents: [], ...options },
  );
  const calls: CoreCall[] = [];
  const counts = new Map<string, number>();

  function count(target: string, input: JsonObject, key: string | undefined, signal: AbortSignal): number {
    calls.push({ target, input, key, signal });
    const call = (counts.get(target) ?? 0) + 1;
    counts.set(target, call);
    return call;
  }

  function tool(name: string, work: Behaviour, effect: ToolEffect = 'read'): void {
    const execute: Tool<JsonObject>['execute'] = (input, { idempotencyKey, signal }) =>
      work(input, count(name, input, idempotencyKey, signal), { signal });
    orchestrator.tools.register({ name, description: name, input: anyInput, effect, execute } as Tool);
  }

  function agent(name: string, work: Behaviour, effect?: ToolEffect): void {
    orchestrator.agents.register({
      name,
      description: name,
      ...(effect && { effect }),
      handle: async ({ payload }, { signal }) =>
        work(payload, count(name, payload, undefined, signal), { signal }),
    });
  }

  tool('echo', (input) => input);
  tool('fail', () => {
    throw new ToolError('it does not work');
  });
  tool('hang', () => new Promise(() => undefined));
  agent('parrot', (input) => input);

  async function define(steps: readonly StepDraft[], of: DefinitionOptions = {}): Promise<string> {
    return (await orchestrator.workflows.create({ name: 'sample', steps, ...of })).id;
  }

  const { runs } = ports;
  const settle = (): Promise<void> => clock.advance(0);

  async function get(runId: string) {
    const run = await orchestrator.runs.get(runId);
    const stored = (await runs.get(runId)) ?? expect.fail(`the run ${runId} is not stored`);
    expect(run).toEqual(recordOf(replay(stored)));
    // An ended child is noted as told to its parent beside its log.
    const { wakeAt } = (await runs.summary(runId)) ?? expect.fail();
    expect(await runs.summary(runId)).toEqual({
      ...summarizeRun(run),
      wakeAt: hasEnded(run.status) ? wakeAt : run.wakeAt,
    });
    return run;
  }

  /** The events of a run, or those of one type. */
  async function eventsOf(runId: string, type?: RunEventType): Promise<readonly RunEvent[]> {
    const { events } = (await runs.get(runId)) ?? expect.fail(`the run ${runId} is not stored`);
    return events.filter((event) => type === undefined || event.type === type);
  }

  return {
    orchestrator,
    ports,
    clock,
    recorded,
    logger,
    calls,
    tool,
    agent,
    define,
    eventsOf,
    runs: orchestrator.runs,
    get inbox() {
      return orchestrator.inbox ?? expect.fail('the inbox is off');
    },
    /** The calls as `target key`, without the id of the run. */
    called: () => calls.map(({ target, key }) => [target, ...(key?.split(':').slice(1) ?? [])].join(' ')),
    /** Starts a run in the background, and lets it go on as far as it can without time. */
    async start(steps: readonly StepDraft[] | string, given: RunRequest & DefinitionOptions = {}) {
      const { inputSchema, output, timeoutMs, maxConcurrentSteps, ...request } = given;
      const definition = { inputSchema, output, timeoutMs, maxConcurrentSteps };
      const id = typeof steps === 'string' ? steps : await define(steps, definition);
      const { runId } = await orchestrator.workflows.run(id, { background: true, ...request });
      await settle();
      return runId;
    },
    /** The record of a run, which its log replays to. */
    get,
    /** The status of a run, and those of its steps. */
    async statuses(runId: string) {
      const { status, stepResults } = await get(runId);
      return [status, ...stepResults.map((step) => step.status)];
    },
    /** The items of the inbox that wait, the oldest first. */
    async open(): Promise<readonly InboxItem[]> {
      const { items } = await ports.inbox.list({ statuses: ['open', 'claimed'] }, { limit: 200 });
      return [...items].sort((a, b) => (a.itemId < b.itemId ? -1 : 1));
    },
    /** The children of a run, the oldest first. */
    async childrenOf(runId: string) {
      const { items } = await orchestrator.runs.list({}, { limit: 200 });
      return items.filter(({ parentRunId }) => parentRunId === runId).reverse();
    },
    /** Lets everything happen that needs no time. */
    settle,
  };
}

/** The core of {@link createCore}. */
export type Core = ReturnType<typeof createCore>;

/** A step that calls a tool. */
export const call = (id: string, toolName = 'echo', more: Partial<StepDraft> = {}): StepDraft =>
  ({ id, kind: 'tool', toolName, ...more }) as StepDraft;

/** A step that asks a person. */
export const ask = (id: string, more: Partial<StepDraft> = {}): StepDraft =>
  ({ id, kind: 'approval', title: 'May it go on?', ...more }) as StepDraft;

/** A step that waits. */
export const pause = (id: string, durationMs: number, more: Partial<StepDraft> = {}): StepDraft =>
  ({ id, kind: 'wait', durationMs, ...more }) as StepDraft;

/** A step that runs another workflow. */
export const child = (id: string, workflowId: string, more: Partial<StepDraft> = {}): StepDraft =>
  ({ id, kind: 'workflow', workflowId, ...more }) as StepDraft;
