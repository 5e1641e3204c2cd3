import { invalid, unavailable } from '../../../domain/errors.ts';
import type { Limits } from '../../../domain/limits.ts';
import { decide } from '../../../domain/run/decide.ts';
import type { ItemEnd, RunEvent } from '../../../domain/run/events.ts';
import { foreachOutcome, foreachWaits, isStopped, itemsTooLargeText } from '../../../domain/run/foreach.ts';
import {
  fanOutBelow,
  isIssue,
  type SkipCause,
  type StepRules,
  skipCause,
  startStep,
} from '../../../domain/run/layer.ts';
import { hasEnded, type Run, type StepResult } from '../../../domain/run/run.ts';
import { type RunState, recordOf, summaryOf } from '../../../domain/run/state.ts';
import { endOfStep, type StepOutcome } from '../../../domain/run/step-end.ts';
import { decisionEvents, endDueWaits, nextDue, type WaitEnd } from '../../../domain/run/waits.ts';
import type {
  ChainDefinition,
  WorkflowDefinition,
  WorkflowStep,
} from '../../../domain/workflow/definition.ts';
import { planWorkflow, stepPlanAt, type WorkflowPlan } from '../../../domain/workflow/plan.ts';
import { DEFAULT_FOREACH_CONCURRENCY, type ForeachPolicy } from '../../../domain/workflow/policies.ts';
import { chainDefinition, indexOfStep } from '../../../domain/workflow/shape.ts';
import { itemAt } from '../../../lib/array.ts';
import { createSemaphore } from '../../../lib/async/semaphore.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { jsonByteLength } from '../../../lib/json/size.ts';
import { quote } from '../../../lib/text/quote.ts';
import { elapsedMs } from '../../../lib/text/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import { createRecorder, type Recorder } from '../appender.ts';
import { childFailed, endOf } from '../child-runs.ts';
import { findWorkflow } from '../find-workflow.ts';
import { itemSources, itemsOf, type LoadedRun, loadRun, orIssue, stepRules } from '../loaded-run.ts';
import { createRun, type NewRunRequest } from '../new-run.ts';
import { maxConcurrentOf } from '../owned-runs.ts';
import { copyInput, createInputCheck } from '../run-input.ts';
import { firstLimit, tooLate } from '../run-steps.ts';
import {
  answerOf,
  type CallLimit,
  createCallMocked,
  type MockedEnd,
  type MockedStep,
  notCalled,
  SIMULATION,
  type Spend,
} from './mocked-steps.ts';
import { checkMocks, type FindMock, type FindWorkflow, type Mocks } from './mocks.ts';

export type { Mocks, StepMock } from './mocks.ts';

/** A request for a simulation. */
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

/** Runs definitions by the rules of real runs, without touching a tool, an agent, a person or a timer. */
export interface Simulator {
  /**
   * Resolves to the ended run of a definition. Rejects with `not_found`, with `validation` for an input that the
   * definition does not accept, for an unknown version, for mocks that fit no step, and for a simulation that takes too
   * much; and with `unavailable` where too many wait already.
   */
  simulate(workflowId: string, request?: SimulationRequest): Promise<SimulatedRun>;
}

/** The parts of a {@link Simulator}. */
export interface SimulatorDeps {
  readonly ports: Pick<Ports, 'clock' | 'workflows' | 'expressions' | 'schemas'>;
  /** The registered tools and agents, none of which is called. */
  readonly tools: Pick<ToolRegistry, 'get'>;
  readonly agents: Pick<AgentRegistry, 'get'>;
  /** True where a person can be asked. */
  readonly hasInbox: boolean;
  /** The definition for a run: see the function of that name in `workflows`. */
  readonly definitionToRun: (id: string, version: number | undefined) => Promise<WorkflowDefinition>;
  /** Aborted when the service shuts down. */
  readonly signal: AbortSignal;
}

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
      const findMock = await checkMocks(definition, mocks, find, limits.maxOutputBytes);
      const permit = await semaphore.acquire(signal);
      if (permit === undefined) throw unavailable('too many simulations are waiting', RETRY_AFTER_SECONDS);
      try {
        const simulation = createSimulation(deps, limits, { find, findMock });
        return await simulation(definition, ownInput);
      } finally {
        permit.release();
      }
    },
  };
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

/** The most events of runs and calls of steps of one simulation, together. */
const MAX_WORK = 100_000;

/** The most bytes of JSON of the outputs of one simulation. */
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

/** The longest time of one simulation, in real milliseconds. */
const MAX_REAL_MS = 10_000;

/**
 * Creates the function that counts the work of one simulation. It throws `validation` where that is too much, and
 * `unavailable` once the service shuts down.
 */
function createBudget(clock: Clock, signal: AbortSignal): Spend {
  const startedMs = clock.monotonic();
  let work = 0;
  let bytes = 0;

  function exceeded(): string | null {
    if (work > MAX_WORK) return `${MAX_WORK} events and calls`;
    if (bytes > MAX_OUTPUT_BYTES) return `${MAX_OUTPUT_BYTES} bytes of outputs`;
    return clock.monotonic() - startedMs > MAX_REAL_MS ? `${MAX_REAL_MS / 1_000} seconds` : null;
  }

  return (units, output) => {
    work += units;
    if (output !== undefined) bytes += jsonByteLength(output, MAX_OUTPUT_BYTES);
    if (signal.aborted) throw unavailable('the service is shutting down');
    const limit = exceeded();
    if (limit !== null) throw invalid([`the simulation takes too much: it was stopped after ${limit}`]);
  };
}

/** The time of a step without a limit. */
const noLimit: CallLimit = { ms: Number.POSITIVE_INFINITY, error: 'timed out' };

/** A run of a simulation: the outermost one, or a child. */
interface MockedRun {
  readonly active: LoadedRun;
  readonly recorder: Recorder;
  /** When it began, in milliseconds since the start of the simulation. */
  readonly startedMs: number;
  /** The keys of its mocks begin with it. */
  readonly prefix: string;
  /** The run whose step waits for its end. */
  readonly parent: MockedRun | undefined;
  /** The steps of its layer that are to be called when others have ended. */
  readonly queue: number[];
  /** The number of its steps that are called. */
  calls: number;
  /** The due time of a wait for which it was scheduled last. */
  dueAt: number | null;
}

/** The end or the start of a call or of a wait, in milliseconds since the start of the simulation. */
interface Entry {
  readonly at: number;
  readonly run: MockedRun;
  readonly work: () => void | Promise<void>;
}

/**
 * Creates one simulation: a loop over `decide`, in which calls and waits end at simulated times. All entries of one
 * time are done before the runs advance.
 */
function createSimulation(
  { ports, tools, agents, hasInbox, signal }: SimulatorDeps,
  limits: Limits,
  { find, findMock }: { readonly find: FindWorkflow; readonly findMock: FindMock },
): (definition: WorkflowDefinition, input: JsonObject) => Promise<SimulatedRun> {
  const startedAt = ports.clock.now();
  let elapsed = 0;
  const clock = { now: () => startedAt + Math.floor(elapsed), monotonic: () => elapsed };
  const spend = createBudget(ports.clock, signal);
  const callMocked = createCallMocked({ tools, agents }, limits, spend);
  const checkInput = createInputCheck(ports.schemas);
  const plans = new Map<WorkflowDefinition, WorkflowPlan>();
  const chains = new Map<ChainDefinition, WorkflowDefinition>();
  /** The last one to come first. */
  const agenda: Entry[] = [];
  /** The runs that may have something to decide. */
  const ready = new Set<MockedRun>();
  let ids = 0;

  /** Ids in the form of a UUID, in ascending order. */
  const newId = (): string => `00000000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`;

  /** Of the entries of one time, the first that was scheduled comes first. */
  function schedule(run: MockedRun, afterMs: number, work: Entry['work']): void {
    const at = elapsed + afterMs;
    let [low, high] = [0, agenda.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (itemAt(agenda, middle).at > at) low = middle + 1;
      else high = middle;
    }
    agenda.splice(low, 0, { at, run, work });
  }

  function record(run: MockedRun, events: readonly RunEvent[]): void {
    spend(events.length);
    for (const event of events) {
      run.recorder.record(event);
      if (event.type === 'step.waiting') beginWait(run, event);
    }
  }

  function mockedStep({ active, prefix }: MockedRun, index: number, item: number | undefined): MockedStep {
    const step = itemAt(active.plan.definition.steps, index);
    const key = `${prefix}${step.id}`;
    return { step, key, mock: findMock(key, item) };
  }

  function rulesOf(run: MockedRun): StepRules {
    const rules = stepRules(run.active, { clock, newId, hasInbox }, limits);
    return {
      ...rules,
      wait(index, item) {
        const wait = rules.wait(index, item);
        const { step, mock } = mockedStep(run, index, item);
        return step.kind === 'wait' && !isIssue(wait) && mock !== undefined ? { until: null } : wait;
      },
    };
  }

  /** Begins a run. Its first decision comes with the next `advance`. */
  function begin(
    request: NewRunRequest & { readonly runId: string },
    parent?: MockedRun,
    prefix = '',
  ): MockedRun {
    const { definition, runId } = request;
    const plan = plans.get(definition) ?? planWorkflow(definition, ports.expressions);
    plans.set(definition, plan);
    const { state, events } = createRun(request, { runId, background: true }, plan, clock.now());
    spend(events.length);
    const active = loadRun(state, plan);
    const run: MockedRun = {
      active,
      recorder: createRecorder(active, () => null),
      startedMs: elapsed,
      prefix,
      parent,
      queue: [],
      calls: 0,
      dueAt: null,
    };
    ready.add(run);
    return run;
  }

  function endWait(run: MockedRun, end: WaitEnd): void {
    record(run, decisionEvents(run.active.state, end, clock.now()));
    ready.add(run);
  }

  /** Schedules the end of a wait, unless it ends by its own time. */
  function beginWait(run: MockedRun, event: RunEvent<'step.waiting'>): void {
    const { itemId, stepId, item } = event;
    const index = indexOfStep(run.active.plan.indexes, stepId);
    const { step, mock, key } = mockedStep(run, index, item);
    const { output, error = null, delayMs = 0 } = mock ?? {};
    const endLater = (end: Omit<WaitEnd, 'itemId'>): void =>
      schedule(run, delayMs, () => endWait(run, { ...end, itemId }));
    if (step.kind !== 'approval') spend(0, output);
    if (step.kind === 'approval') {
      endLater(answerOf({ step, mock, key }, ports.schemas));
    } else if (step.kind === 'wait' && mock !== undefined) {
      const outcome = error === null ? 'completed' : 'failed';
      endLater({ outcome, by: SIMULATION, note: error, output: error === null ? (output ?? {}) : null });
    } else if (step.kind === 'workflow' && mock !== undefined) {
      const status = output === undefined ? 'FAILED' : 'COMPLETED';
      endLater(endOf({ runId: itemId, status, error, output: output ?? null }));
    } else if (step.kind === 'workflow') {
      schedule(run, 0, () => startChild(run, step, event));
    }
  }

  /** The definition of the step itself, or that of the workflow which it names; undefined where there is none. */
  async function definitionOf(
    { active }: MockedRun,
    { id, workflowId = '', definition: chain }: WorkflowStep,
  ): Promise<WorkflowDefinition | undefined> {
    if (chain === undefined) return find(workflowId);
    const known = chains.get(chain) ?? chainDefinition(active.plan.definition, id, chain);
    chains.set(chain, known);
    return known;
  }

  async function startChild(
    run: MockedRun,
    step: WorkflowStep,
    { itemId, item }: RunEvent<'step.waiting'>,
  ): Promise<void> {
    const { active, prefix } = run;
    const { state, plan } = active;
    const index = indexOfStep(plan.indexes, step.id);
    const definition = await definitionOf(run, step);
    if (definition === undefined) {
      return endWait(run, childFailed(itemId, `no workflow ${quote(step.workflowId ?? '')} is stored`));
    }
    const sources = itemSources(active, index, item, limits);
    const input = stepPlanAt(plan, index).input(sources, limits.maxInputBytes);
    const issues = checkInput(definition, input);
    if (issues.length > 0) return endWait(run, childFailed(itemId, invalid(issues).message));
    const { runId, customerId, depth } = state.head;
    const childFanOut = fanOutBelow(state, state.foreach?.get(index)?.total ?? 1);
    const parent = { runId, customerId, depth, attempt: state.attempt, childFanOut };
    begin({ definition, input, runId: itemId, parent, origin: 'workflow' }, run, `${prefix}${step.id}/`);
  }

  /** Schedules calls of the queue, as many as may be under way at the same time. */
  function callSteps(run: MockedRun): void {
    while (run.calls < maxConcurrentOf(run.active, limits)) {
      const index = run.queue.shift();
      if (index === undefined) return;
      run.calls++;
      schedule(run, 0, () => callStep(run, index));
    }
  }

  async function callStep(run: MockedRun, index: number): Promise<void> {
    const { state } = run.active;
    const step = itemAt(state.shape.definition.steps, index);
    const now = clock.now();
    const startedMs = elapsed;
    if (itemAt(state.results, index).status === 'PENDING') record(run, [startStep(state, index, now)]);
    const end = ({ attempts, outcome }: Pick<MockedEnd, 'attempts' | 'outcome'>): void => {
      const durationMs = elapsedMs(startedMs, elapsed);
      const base = { seq: state.seq + 1, at: clock.now(), stepId: step.id, attempts, durationMs };
      record(run, [endOfStep(state, { ...base, startedAt: now }, outcome)]);
      run.calls--;
      callSteps(run);
      ready.add(run);
    };
    const late = tooLate(state, step, now);
    const limit = firstLimit(state, step, now) ?? noLimit;
    if (late !== null) end({ attempts: 0, outcome: { error: late } });
    else if (step.foreach !== undefined) await callItems(run, index, { policy: step.foreach, limit, end });
    else {
      const ended = call(run, index, undefined, limit);
      schedule(run, ended.afterMs, () => end(ended));
    }
  }

  function call(run: MockedRun, index: number, item: number | undefined, limit: CallLimit): MockedEnd {
    const { active } = run;
    const input = orIssue(() => ({
      value: stepPlanAt(active.plan, index).input(
        itemSources(active, index, item, limits),
        limits.maxInputBytes,
      ),
    }));
    return 'error' in input ? notCalled(input) : callMocked(mockedStep(run, index, item), input.value, limit);
  }

  /** Calls a step for each of its items. */
  async function callItems(
    run: MockedRun,
    index: number,
    {
      policy,
      limit,
      end,
    }: {
      readonly policy: ForeachPolicy;
      readonly limit: CallLimit;
      readonly end: (ended: Pick<MockedEnd, 'attempts' | 'outcome'>) => void;
    },
  ): Promise<void> {
    const items = itemsOf(run.active, index, limits);
    if ('error' in items) return end(notCalled(items));
    const { concurrency = DEFAULT_FOREACH_CONCURRENCY } = policy;
    const { length: total } = items.values;
    const limitAt = elapsed + limit.ms;
    const ends = new Map<number, ItemEnd>();
    const counts = { failed: 0, attempts: 0, bytes: 0, open: 0, next: 0 };
    let isTimedOut = false;
    const isTooLarge = (): boolean => counts.bytes > limits.maxOutputBytes;
    const isOver = (): boolean => isTimedOut || isTooLarge() || isStopped(counts, policy);

    async function startItems(): Promise<void> {
      while (counts.open < concurrency && counts.next < total && !isOver()) {
        await yieldIfDue();
        const item = counts.next++;
        const ended = call(run, index, item, { ...limit, ms: limitAt - elapsed });
        // Without a call it has ended before the next one starts.
        if (ended.attempts === 0) add(item, ended);
        else {
          counts.open++;
          schedule(run, ended.afterMs, () => {
            counts.open--;
            add(item, ended);
            return startItems();
          });
        }
      }
      if (counts.open === 0) end({ attempts: counts.attempts, outcome: outcomeOf() });
    }

    function add(item: number, { attempts, outcome, timedOut }: MockedEnd): void {
      counts.attempts += attempts;
      if (timedOut) isTimedOut = true;
      else if ('output' in outcome) {
        counts.bytes += jsonByteLength(outcome.output);
        ends.set(item, { index: item, output: outcome.output, error: null, attempts });
      } else {
        counts.failed++;
        ends.set(item, { index: item, output: null, error: outcome.error, attempts });
      }
    }

    function outcomeOf(): StepOutcome {
      if (isTimedOut) return { error: limit.error };
      if (isTooLarge()) return { error: itemsTooLargeText(limits.maxOutputBytes) };
      return foreachOutcome({ total, results: ends, failed: counts.failed }, policy);
    }

    return startItems();
  }

  /** Records what is decided about a run, until it waits for an entry. */
  async function advance(run: MockedRun): Promise<void> {
    const { state } = run.active;
    while (!hasEnded(state.status)) {
      await yieldIfDue();
      const { seq } = state;
      endDueWaits(state, clock.now(), (event) => record(run, [event]));
      if (state.seq === seq && run.calls > 0) {
        record(run, foreachWaits(state, rulesOf(run), clock.now()));
        if (state.seq === seq) return scheduleDue(run);
      } else if (state.seq === seq) {
        const { events, steps, waits } = decide(state, {
          now: clock.now(),
          elapsedMs: elapsedMs(run.startedMs, elapsed),
          failure: null,
          maxStarts: maxConcurrentOf(run.active, limits),
          rules: () => rulesOf(run),
        });
        record(run, events);
        run.queue.push(...steps);
        callSteps(run);
        if (waits) return scheduleDue(run);
      }
    }
    const { parent } = run;
    if (parent !== undefined) endWait(parent, endOf(summaryOf(state)));
  }

  /** Schedules the next wait of a run that ends by itself. */
  function scheduleDue(run: MockedRun): void {
    const dueAt = nextDue(run.active.state);
    if (dueAt === null || dueAt === run.dueAt) return;
    run.dueAt = dueAt;
    schedule(run, dueAt - clock.now(), () => void ready.add(run));
  }

  /** Moves the time to that of the next entry, and does all entries of that time. */
  async function passTime(): Promise<void> {
    let next = agenda.pop();
    if (next === undefined) throw new Error('a simulated run waits for something that never comes');
    elapsed = next.at;
    for (; next !== undefined; next = agenda.at(-1)?.at === elapsed ? agenda.pop() : undefined) {
      await yieldIfDue();
      spend(0);
      if (!isAbandoned(next.run)) await next.work();
    }
  }

  return async (definition, input) => {
    const issues = checkInput(definition, input);
    if (issues.length > 0) throw invalid(issues);
    const outermost = begin({ definition, input, runId: newId() });
    for (;;) {
      for (const run of ready) {
        ready.delete(run);
        if (!isAbandoned(run)) await advance(run);
      }
      if (hasEnded(outermost.active.state.status)) return simulatedRun(outermost.active.state);
      await passTime();
    }
  };
}

/** True for a child whose parent no longer waits for it. */
function isAbandoned({ active, parent }: MockedRun): boolean {
  if (parent === undefined) return false;
  return !parent.active.state.openItems.has(active.state.head.runId) || isAbandoned(parent);
}

function simulatedRun(state: RunState): SimulatedRun {
  const run = recordOf(state);
  const stepResults = run.stepResults.map((result, index) =>
    result.status === 'SKIPPED' ? { ...result, why: skipCause(state, index) } : result,
  );
  return { ...run, background: false, simulated: true, stepResults };
}
