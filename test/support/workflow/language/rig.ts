import { z } from 'zod';
import type { Orchestrator, OrchestratorOptions } from '../../../../src/application/driving-port.ts';
import { createOrchestrator } from '../../../../src/application/orchestrator.ts';
import { isOrchestrationError } from '../../../../src/domain/errors.ts';
import type { InboxItem } from '../../../../src/domain/inbox/item.ts';
import { replay } from '../../../../src/domain/run/evolve.ts';
import { hasEnded } from '../../../../src/domain/run/run.ts';
import { recordOf } from '../../../../src/domain/run/state.ts';
import { ToolError } from '../../../../src/domain/tool-error.ts';
import type { StepDraft, WorkflowDraft } from '../../../../src/domain/workflow/definition.ts';
import { itemAt } from '../../../../src/lib/array.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import type { Ports } from '../../../../src/ports/ports.ts';
import { type FakeClock, settle } from '../../fake-clock.ts';
import { testPorts } from '../../ports.ts';
import { type Call, shownIn, unmarked, type World } from './compare.ts';
import { toCel, written, writtenObject } from './expression.ts';
import { inputAt } from './generate.ts';
import {
  agents,
  busyText,
  failureText,
  forItem,
  mended,
  mendedAnswer,
  nameOf,
  type PlannedDefinition,
  type PlannedStep,
  type Scenario,
  tools,
  UNIT,
} from './scenario.ts';

/** The number of moves of the clock by a {@link UNIT} before a scenario counts as stuck. */
const MOST_UNITS = 200;

/** A run of a scenario that goes on. */
export interface StartedScenario {
  readonly scenario: Scenario;
  readonly runId: string;
  readonly input: JsonObject;
  /** When it was started, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The observer of the calls of tools and agents, and the people who act. Processes that follow each other share it. */
export interface Cast {
  readonly calls: Call[];
  /** The maximum numbers of calls of a step and of steps of a run that were under way at the same time. */
  readonly peaks: Map<string, number>;
  current: Scenario | null;
  /** True for a retry. */
  isMended: boolean;
  /** The items of approvals as they were opened, by their ids: a withdrawn one forgets what it was about. */
  readonly opened: Map<string, InboxItem>;
  /** Cancels the timers of people. */
  readonly timers: (() => void)[];
  /** The process that people reach: the last one that was started. */
  process: Orchestrator | null;
}

/** An empty {@link Cast}. */
export function createCast(): Cast {
  return {
    calls: [],
    peaks: new Map(),
    current: null,
    isMended: false,
    opened: new Map(),
    timers: [],
    process: null,
  };
}

/** Options of {@link createRig}. */
export interface RigOptions extends OrchestratorOptions {
  readonly ports?: Partial<Ports>;
  readonly clock?: FakeClock;
  readonly cast?: Cast;
}

/** An orchestrator whose tools, agents and people do what scenarios say. */
export type Rig = ReturnType<typeof createRig>;

/** Creates a {@link Rig} over ports in memory and a fake clock, unless others are given. */
export function createRig({
  ports: own = {},
  clock: given,
  cast = createCast(),
  ...options
}: RigOptions = {}) {
  const { ports, clock, recorded } = testPorts({ ...own, ...(given && { clock: given }) });
  const usedClock = given ?? clock;
  let asked = 0;
  const life = { isGone: false };
  const emit = ports.events;
  const people: Ports['events'] = (event) => {
    emit(event);
    recorded.events.length = 0;
    if (!life.isGone && event.type === 'inbox.opened' && event.itemKind === 'approval') {
      asked++;
      void answer(event.itemId).finally(() => asked--);
    }
  };
  const limits = { toolTimeoutMs: UNIT * 10_000, agentTimeoutMs: UNIT * 10_000 };
  const orchestrator = createOrchestrator({ ...ports, events: people }, limits, options);
  registerTargets(orchestrator, cast, usedClock, life);

  cast.process = orchestrator;

  async function answer(itemId: string): Promise<void> {
    const item = await ports.inbox.get(itemId);
    if (cast.opened.has(itemId)) return;
    if (item?.payload == null) throw new Error(`the item ${itemId} has no payload`);
    cast.opened.set(itemId, item);
    const { step, at } = shownIn(item.payload);
    const { work } = stepNamed(cast.current, step);
    if (work.kind !== 'approval') throw new Error(`step ${step} asks nobody`);
    const given = cast.isMended ? mendedAnswer : forItem(work.answers, at);
    if (given === null) return;
    const { outcome, after, by, note, data } = given;
    const decision = { outcome, by, ...(note !== null && { note }), ...(data !== null && { data }) };
    const decide = (): void => {
      cast.process?.inbox?.resolve(itemId, decision).catch((error: unknown) => {
        // A process that has stopped cannot answer: people try again.
        if (isOrchestrationError(error, 'unavailable')) cast.timers.push(usedClock.after(1_000, decide));
        else if (!isOrchestrationError(error, 'conflict')) throw error;
      });
    };
    cast.timers.push(usedClock.after(after, decide));
  }

  return {
    orchestrator,
    ports,
    clock: usedClock,
    cast,
    /** Ends the process for its tools, agents and people: none of them does anything any more. */
    kill(): void {
      life.isGone = true;
    },
    /** Creates the definitions of a scenario, and starts a run of the first one. */
    async start(scenario: Scenario): Promise<StartedScenario> {
      cast.calls.length = 0;
      cast.peaks.clear();
      cast.opened.clear();
      cast.current = scenario;
      cast.isMended = false;
      const ids = scenario.definitions.map(() => ports.newId());
      const drafts = draftsOf(scenario, ids);
      for (const [index, draft] of [...drafts.entries()].reverse()) {
        await orchestrator.workflows.create(draft, itemAt(ids, index));
      }
      const startedAt = usedClock.now();
      const input = inputAt(scenario, startedAt);
      const { runId } = await orchestrator.workflows.run(itemAt(ids, 0), { background: true, input });
      const { cancelAfter } = scenario;
      const cancel = (): void =>
        void orchestrator.runs.cancel(runId, { by: 'ann', reason: 'no longer needed' });
      if (cancelAfter !== null) cast.timers.push(usedClock.after(cancelAfter, cancel));
      return { scenario, runId, input, startedAt };
    },
    /** Asks people about the items that were opened before this process started. */
    async askAgain(): Promise<void> {
      const { items } = await ports.inbox.list({ statuses: ['open', 'claimed'] }, { limit: 200 });
      for (const { itemId, kind } of items) if (kind === 'approval') await answer(itemId);
    },
    /** Lets time pass until a run has ended. */
    async finish({ runId }: StartedScenario): Promise<void> {
      await settle();
      for (let units = 0; units < MOST_UNITS; units++) {
        const summary = await ports.runs.summary(runId);
        if (summary === undefined) throw new Error('the run is not stored');
        if (hasEnded(summary.status) && asked === 0) return;
        await usedClock.advance(UNIT);
      }
      throw new Error('the run does not end');
    },
    /** Retries a run that has ended, where its scenario says so. Returns when, in milliseconds since the epoch. */
    async retry({ scenario, runId }: StartedScenario): Promise<number | null> {
      const summary = await ports.runs.summary(runId);
      if (!scenario.isRetried || summary?.status === 'COMPLETED') return null;
      for (const cancel of cast.timers.splice(0)) cancel();
      // In the moment of the end, or some seconds after it.
      if (scenario.seed % 2 === 0) await usedClock.advance((scenario.seed % 8) * 1_000);
      cast.isMended = true;
      const retriedAt = usedClock.now();
      await orchestrator.runs.retry(runId, { by: 'ann' });
      return retriedAt;
    },
    /** Lets the rest happen, and reads what came of a scenario. */
    async observe({ runId }: StartedScenario): Promise<World> {
      for (const cancel of cast.timers.splice(0)) cancel();
      await settle();
      const runs: World['runs'] extends ReadonlyMap<infer K, infer V> ? Map<K, V> : never = new Map();
      const all: { readonly runId: string; readonly parentRunId: string | null }[] = [];
      for (let cursor: number | undefined, isDone = false; !isDone; ) {
        const page = await ports.runs.listAll({}, { limit: 200, ...(cursor !== undefined && { cursor }) });
        all.push(...page.items);
        isDone = page.nextCursor === null || page.items.some((run) => run.runId === runId);
        cursor = page.nextCursor ?? undefined;
      }
      // Children are newer than their parents.
      for (const run of all.reverse()) {
        if (run.runId !== runId && !runs.has(run.parentRunId ?? '')) continue;
        const stored = await ports.runs.get(run.runId);
        if (stored === undefined) throw new Error(`the run ${run.runId} is not stored`);
        runs.set(run.runId, { record: recordOf(replay(stored)), events: stored.events });
      }
      const { items } = await ports.inbox.list({ statuses: ['open', 'claimed'] }, { limit: 200 });
      return {
        rootId: runId,
        runs,
        calls: cast.calls,
        opened: [...cast.opened.values()].filter(({ subject }) => runs.has(subject.id)),
        open: items.flatMap(({ itemId, subject }) => (runs.has(subject.id) ? [itemId] : [])),
      };
    },
  };
}

/** The step that a mark names. */
function stepNamed(scenario: Scenario | null, name: string): PlannedStep {
  const [definition, id] = name.split('/');
  const step = scenario?.definitions[Number(definition)]?.steps.find((other) => other.id === id);
  if (step === undefined) throw new Error(`no scenario has a step ${name}`);
  return step;
}

function registerTargets(
  orchestrator: Orchestrator,
  cast: Cast,
  clock: FakeClock,
  life: { readonly isGone: boolean },
): void {
  async function act(
    runId: string,
    target: Pick<Call, 'kind' | 'name' | 'key'>,
    given: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    if (life.isGone) return new Promise(() => undefined);
    const { step, at, input } = unmarked(given);
    const { work } = stepNamed(cast.current, step);
    if (work.kind !== 'tool' && work.kind !== 'agent') throw new Error(`step ${step} calls nothing`);
    const behavior = forItem(work.does, at);
    const { failures, does, output } = cast.isMended ? mended(behavior) : behavior;
    const earlier = cast.calls.filter((call) => call.runId === runId && call.step === step && call.at === at);
    cast.calls.push({ runId, step, at, input, madeAt: clock.now(), ...target });
    if (earlier.length < failures) throw new ToolError(busyText(step));
    if (does === 'fail') throw new ToolError(failureText(step), { permanent: true });
    if (does === 'succeed') return output;
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
    });
  }

  for (const [name, effect] of Object.entries(tools)) {
    const input = z.record(z.string(), z.json());
    orchestrator.tools.register({
      name,
      description: name,
      input,
      effect,
      retry: { maxAttempts: 3, backoffMs: 10 },
      execute: (given: JsonObject, { signal, idempotencyKey: key }) =>
        act(key.split(':')[0] ?? '', { kind: 'tool', name, key }, given, signal),
    });
  }
  for (const [name, effect] of Object.entries(agents)) {
    orchestrator.agents.register({
      name,
      description: name,
      ...(effect && { effect }),
      handle: ({ sender, payload }, { signal }) =>
        act(sender.split(':')[1] ?? '', { kind: 'agent', name, key: null }, payload, signal),
    });
  }
}

/** The definitions as they are created, in the order of the scenario. `ids` are theirs. */
export function draftsOf({ definitions }: Scenario, ids: readonly string[]): WorkflowDraft[] {
  return definitions.map((definition, number) => draftOf(definition, number, ids));
}

function draftOf(definition: PlannedDefinition, number: number, ids: readonly string[]): WorkflowDraft {
  const { steps, output, timeoutMs, maxConcurrentSteps } = definition;
  return {
    name: `definition ${number}`,
    steps: steps.map((step) => stepDraft(step, number, ids)),
    ...(output && { output: writtenObject(output) }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxConcurrentSteps !== undefined && { maxConcurrentSteps }),
  };
}

function stepDraft(step: PlannedStep, number: number, ids: readonly string[]): StepDraft {
  const { id, dependsOn, work, when, foreach } = step;
  const { runIf, retry, timeoutMs, onError } = step;
  const base = {
    id,
    dependsOn,
    ...(when && { when: toCel(when) }),
    ...(runIf && { runIf }),
    ...(retry && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(onError !== undefined && { onError }),
    ...(foreach && {
      foreach: { ...foreach, items: 'op' in foreach.items ? toCel(foreach.items) : foreach.items },
    }),
  };
  // Tools, agents, people and children find their part of the scenario by these members.
  const marks = { step: nameOf(number, id), at: foreach ? '${{ index }}' : 0 };
  switch (work.kind) {
    case 'tool':
      return { ...base, kind: 'tool', toolName: work.name, staticInput: marked(work.input, marks) };
    case 'agent':
      return { ...base, kind: 'agent', agentName: work.name, staticInput: marked(work.input, marks) };
    case 'workflow': {
      const workflowId = (work.definition === null ? undefined : ids[work.definition]) ?? 'nothing';
      return { ...base, kind: 'workflow', workflowId, staticInput: marked(work.input, marks) };
    }
    case 'wait':
      if ('durationMs' in work) return { ...base, kind: 'wait', durationMs: work.durationMs };
      return {
        ...base,
        kind: 'wait',
        until: typeof work.until === 'string' ? work.until : toCel(work.until),
      };
    case 'approval': {
      const { title, payload, answers: _, ...given } = work;
      return { ...base, ...given, title: String(written(title)), payload: marked(payload, marks) };
    }
  }
}

function marked(templates: Parameters<typeof writtenObject>[0], marks: JsonObject): JsonObject {
  return { ...writtenObject(templates), ...marks };
}
