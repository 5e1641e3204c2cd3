import { unavailable } from '../../../domain/errors.ts';
import type { Limits } from '../../../domain/limits.ts';
import { replay } from '../../../domain/run/evolve.ts';
import { type SkipCause, skipCause } from '../../../domain/run/layer.ts';
import type { Run, StepResult } from '../../../domain/run/run.ts';
import { type RunState, recordOf } from '../../../domain/run/state.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { createActivity } from '../../../lib/async/activity.ts';
import { createSemaphore } from '../../../lib/async/semaphore.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { AgentBus } from '../../agents/bus.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import { createToolRegistry, type ToolRegistry } from '../../tools/registry.ts';
import { findWorkflow } from '../find-workflow.ts';
import { copyInput } from '../run-input.ts';
import { createWorkflowRunner } from '../runner.ts';
import { createAnswers } from './answers.ts';
import { createBudget } from './budget.ts';
import { isolatedPorts } from './isolated-ports.ts';
import { createMockedChildren } from './mocked-children.ts';
import { type CheckedMocks, checkMocks, type FindWorkflow, type Mocks } from './mocks.ts';
import { createReplies } from './replies.ts';
import { createScopes } from './scopes.ts';
import { createScratchLog } from './scratch-log.ts';
import { createScratchQueue } from './scratch-queue.ts';
import { createVirtualClock } from './virtual-clock.ts';

export type { Mocks, StepMock } from './mocks.ts';

/** What is to be simulated. */
export interface SimulationRequest {
  /** The input of the run. Empty when absent. */
  readonly input?: JsonObject | undefined;
  /** None when absent. */
  readonly mocks?: Mocks | undefined;
  /** The version of the definition; the newest one when absent. */
  readonly version?: number | undefined;
}

/** The result of a simulated step. `why` says of a skipped one what it was skipped for. */
export type SimulatedStepResult = StepResult & { readonly why?: SkipCause };

/** A run that is recorded nowhere. Its times are simulated ones, which begin now. */
export interface SimulatedRun extends Run {
  readonly simulated: true;
  readonly stepResults: readonly SimulatedStepResult[];
}

/** Runs a definition by the engine without touching a tool, an agent, a person or a timer. */
export interface Simulator {
  /**
   * Resolves to the ended run of a definition. Rejects with `not_found`, with `validation` for an input that the
   * definition does not accept, for an unknown version, for mocks that fit no step, and for a simulation that takes too
   * much; and with `unavailable` where too many wait already.
   */
  simulate(workflowId: string, request?: SimulationRequest): Promise<SimulatedRun>;
}

/** What {@link createSimulator} works with. */
export interface SimulatorDeps {
  /** Whether a person can be asked. */
  readonly hasInbox: boolean;
  readonly ports: Pick<Ports, 'clock' | 'logger' | 'workflows' | 'expressions' | 'schemas'>;
  /** The registered tools and agents, none of which is called. */
  readonly tools: Pick<ToolRegistry, 'get'>;
  readonly agents: Pick<AgentRegistry, 'get'>;
  readonly createBus: (ports: BusPorts, agents: Pick<AgentRegistry, 'get'>) => AgentBus;
  /** The definition for a run: see the function of that name in `workflows`. */
  readonly definitionToRun: (id: string, version: number | undefined) => Promise<WorkflowDefinition>;
  /** Aborted when the service shuts down. */
  readonly signal: AbortSignal;
}

type BusPorts = Pick<Ports, 'clock' | 'newId' | 'logger' | 'telemetry'>;

/** The most simulations that go on at the same time, and that wait. */
const MAX_RUNNING = 2;
const MAX_WAITING = 32;

const RETRY_AFTER_SECONDS = 5;

/** Creates the {@link Simulator}. */
export function createSimulator(deps: SimulatorDeps, limits: Limits): Simulator {
  const { ports, signal } = deps;
  const semaphore = createSemaphore(MAX_RUNNING, MAX_WAITING);

  return {
    async simulate(workflowId, { input = {}, mocks = {}, version } = {}) {
      const ownInput = copyInput(input, limits.maxOutputBytes);
      const definition = await deps.definitionToRun(workflowId, version);
      const find = cached((reference) => findWorkflow(ports.workflows, reference));
      const checked = await checkMocks(definition, mocks, find, limits.maxOutputBytes);
      const permit = await semaphore.acquire(signal);
      if (permit === undefined) throw unavailable('too many simulations are waiting', RETRY_AFTER_SECONDS);
      try {
        const simulation = createSimulation(deps, limits, checked, find);
        return await simulation(definition, ownInput);
      } finally {
        permit.release();
      }
    },
  };
}

function simulatedRun(state: RunState): SimulatedRun {
  const run = recordOf(state);
  const stepResults = run.stepResults.map((result, index) =>
    result.status === 'SKIPPED' ? { ...result, why: skipCause(state, index) } : result,
  );
  return { ...run, background: false, simulated: true, stepResults };
}

/** Every child of one workflow has the same version. */
function cached(find: FindWorkflow): FindWorkflow {
  const found = new Map<string, Promise<WorkflowDefinition | undefined>>();
  return (id) => {
    const known = found.get(id) ?? find(id);
    found.set(id, known);
    return known;
  };
}

/** Creates an engine for one simulation, with a clock, stores and people of its own. */
function createSimulation(
  { ports, tools, agents, createBus, hasInbox, signal }: SimulatorDeps,
  limits: Limits,
  mocks: CheckedMocks,
  find: FindWorkflow,
): (definition: WorkflowDefinition, input: JsonObject) => Promise<SimulatedRun> {
  const { expressions, schemas } = ports;
  const clock = createVirtualClock(ports.clock.now());
  const isolated = { ...isolatedPorts(ports.logger), clock };
  const activity = createActivity();
  const budget = createBudget(ports.clock, signal);
  const scopes = createScopes(mocks);
  const runQueue = createScratchQueue();
  const runs = createScratchLog({
    mayAdd: (events) => budget.spend(events),
    onCreated: ({ summary, definition }) => scopes.add(summary.runId, definition),
    onWaiting: (runId, event) => children.add(runId, event),
    onParked: (runId, wakeAt) => clock.after(wakeAt - clock.now(), () => void runQueue.wake(runId)),
  });
  const children = createMockedChildren({ clock, runs, scopes, budget });
  // A key is its own id here: `findChild` finds the workflow.
  const idOfKey = async (key: string): Promise<string> => `key:${key}`;
  const workflows = { ...ports.workflows, get: findChild, idOfKey };
  const targets = createReplies({
    clock,
    scopes,
    budget,
    tools,
    agents,
    createTools: () => createToolRegistry(isolated, limits),
    createBus: (registry) => createBus(isolated, registry),
    maxSchemaBytes: limits.maxOutputBytes,
  });
  const items = createAnswers({ clock, schemas, runs, scopes, budget });
  const runner = createWorkflowRunner(
    { ...isolated, runs, runQueue, expressions, schemas, workflows },
    { targets, items, hasInbox, adaptRules: children.adaptRules },
    limits,
  );

  /** A store that is unavailable fails the simulation, in place of many retries. */
  async function findChild(reference: string): Promise<WorkflowDefinition | undefined> {
    try {
      return await activity.outside(find(reference));
    } catch (error) {
      budget.stop(error);
      throw error;
    }
  }

  function assertMayGoOn(): void {
    const issue = budget.issue();
    if (issue !== undefined) throw issue;
  }

  return async (definition, input) => {
    const runId = isolated.newId();
    await activity.run(() => {
      runner.start({ definition, input, runId }).catch(budget.stop);
    });
    for (;;) {
      assertMayGoOn();
      const ended = runs.ended(runId);
      if (ended !== undefined) return simulatedRun(replay(ended));
      const next = clock.next();
      if (next === undefined) throw new Error('a simulated run waits for something that never comes');
      await activity.run(next);
    }
  };
}
