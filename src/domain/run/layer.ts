import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { SkipReason } from '../subject-event.ts';
import { MAX_RUN_DEPTH, type Step } from '../workflow/definition.ts';
import type { RunEvent } from './events.ts';
import type { RunFailure, StepStatus } from './run.ts';
import { isTimedOut, type RunState } from './state.ts';
import { endBase, endOfStep, runTimeoutText } from './step-end.ts';

/** The error of a step, or of a run. */
export interface StepIssue {
  readonly error: string;
}

/** The rules of the definition about its steps, with its expressions evaluated over the outputs so far. */
export interface StepRules {
  /** The value of the condition of a step. Called for steps that have one. */
  holds(index: number): boolean | StepIssue;
  /** The number of items of a step with `foreach`. */
  total(index: number): number | StepIssue;
  /**
   * When a step of a kind that waits ends by itself, in milliseconds since the epoch; null for never. `item` is the
   * index of its item, undefined for a step without `foreach`. Checks that its input can be resolved.
   */
  wait(index: number, item: number | undefined): { readonly until: number | null } | StepIssue;
  /** Evaluates `total` or `wait` of a step that waits, so that the value is known when the step starts. */
  prepare(index: number): void;
  /**
   * True where so much was evaluated that the rest is decided later. The values of `holds` and `prepare` are kept.
   */
  shouldYield(): boolean;
  /** The output of the run; null where the definition has none. */
  output(): JsonObject | null | StepIssue;
  /** The most bytes of JSON of the outputs of the items of a step together. */
  readonly maxOutputBytes: number;
  /** The most runs that one run may have below it at each depth. */
  readonly maxChildRuns: number;
  /** Makes the id of an inbox item, of a child run, or of a time. */
  newItemId(): string;
}

/** True for an issue. */
export function isIssue(value: object | null): value is StepIssue {
  return value !== null && 'error' in value && typeof value.error === 'string';
}

/** The part of a decision that the state of the run does not have. */
export interface Context {
  /** Wall-clock time in milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds that this attempt has taken so far. */
  readonly elapsedMs: number;
  /** The error of a run that must end now, unless nothing is left to do; null for a run that may go on. */
  readonly failure: RunFailure | null;
  /** The most steps that may start now; the others of the layer are started later, by `startStep`. */
  readonly maxStarts: number;
  /** Creates the rules of the run: only where they are asked, and `shouldYield` counts from then on. */
  readonly rules: () => StepRules;
}

/** Steps that are to run, of one layer. */
export interface NextLayer {
  readonly layer: number;
  readonly steps: readonly number[];
}

/** The start of a layer, or of a part of it. */
export interface LayerStart {
  readonly events: readonly RunEvent[];
  /** The indexes of the steps that call a tool or an agent. */
  readonly steps: readonly number[];
}

/**
 * Starts the steps of a layer, or nothing yet where evaluating their conditions takes long: those that do not run are
 * skipped, or fail, before it. A step that waits begins to wait at once, and only the others are returned as steps to
 * run. `hasFailed`: the run has failed.
 */
export function beginLayer(
  state: RunState,
  next: NextLayer,
  hasFailed: boolean,
  context: Context,
): LayerStart {
  // Without policies every step is a call, and runs unless the run has failed.
  if (!state.shape.hasPolicies && !hasFailed) return beginCalls(state, next, context);
  return beginGated(state, next, hasFailed, context);
}

/** Starts a layer all of whose steps call a tool or an agent. */
function beginCalls(
  state: RunState,
  { layer, steps }: NextLayer,
  { now: at, maxStarts }: Context,
): LayerStart {
  const events = runStart(state, at);
  let seq = state.seq + events.length;
  const ids = steps.map((index) => stepIdOf(state, index));
  events.push({ seq: ++seq, type: 'layer.started', at, layer, steps: ids });
  for (const index of steps.slice(0, maxStarts)) events.push(startEvent(state, index, ++seq, at));
  return { events, steps };
}

/** Starts those steps of a layer that are to run. */
function beginGated(
  state: RunState,
  { layer, steps }: NextLayer,
  hasFailed: boolean,
  { now: at, rules: createRules, maxStarts }: Context,
): LayerStart {
  const rules = createRules();
  const gates = gatesOf(state, steps, hasFailed, rules);
  if (gates === undefined) return { events: [], steps: [] };
  const events = runStart(state, at);
  const next = (): number => state.seq + events.length + 1;
  const starting = steps.filter((index, position) => {
    const gate = itemAt(gates, position);
    if (gate === 'run') return true;
    if ('error' in gate) events.push(endOfStep(state, endBase(state, index, next(), at), gate));
    else
      events.push({ seq: next(), type: 'step.skipped', at, stepId: stepIdOf(state, index), why: gate.skip });
    return false;
  });
  if (starting.length === 0) return { events, steps: [] };
  const ids = starting.map((index) => stepIdOf(state, index));
  events.push({ seq: next(), type: 'layer.started', at, layer, steps: ids });
  let started = 0;
  const called = starting.filter((index) => {
    const step = itemAt(state.shape.definition.steps, index);
    const isCalled = step.kind === 'tool' || step.kind === 'agent';
    // Calls beyond the maximum are started one by one.
    if (!isCalled || started++ < maxStarts) events.push(startEvent(state, index, next(), at));
    if (!isCalled) events.push(...beginWait(state, index, { rules, now: at, seq: next() }));
    return isCalled;
  });
  return { events, steps: called };
}

/** The event that starts the run, where it has not started. */
export function runStart({ status, seq, attempt }: RunState, at: number): RunEvent[] {
  return status === 'PENDING' ? [{ seq: seq + 1, type: 'execution.started', at, attempt }] : [];
}

/**
 * The gates of the steps; undefined where evaluating them has taken long, so that the next decision continues it.
 */
function gatesOf(
  state: RunState,
  steps: readonly number[],
  hasFailed: boolean,
  rules: StepRules,
): readonly Gate[] | undefined {
  const gates: Gate[] = [];
  for (const index of steps) {
    if (rules.shouldYield()) return undefined;
    const gate = gateOf(state, index, hasFailed, rules);
    gates.push(gate);
    const { kind } = itemAt(state.results, index);
    if (gate === 'run' && kind !== 'tool' && kind !== 'agent') rules.prepare(index);
  }
  return gates;
}

function stepIdOf({ results }: RunState, index: number): string {
  return itemAt(results, index).stepId;
}

function startEvent({ results }: RunState, index: number, seq: number, at: number): RunEvent {
  const { stepId, kind, layer, attempts } = itemAt(results, index);
  return { seq, type: 'step.started', at, stepId, kind, layer, attempt: attempts + 1 };
}

/** The event that starts a step of the current layer which has not started with it. */
export function startStep(state: RunState, index: number, now: number): RunEvent {
  return startEvent(state, index, state.seq + 1, now);
}

interface Beginning {
  readonly rules: StepRules;
  readonly now: number;
  readonly seq: number;
}

/** The events by which a step begins to wait, or ends because it cannot. */
function beginWait(state: RunState, index: number, { rules, now, seq }: Beginning): RunEvent[] {
  const step = itemAt(state.shape.definition.steps, index);
  const fail = (issue: StepIssue): RunEvent[] => [endOfStep(state, endBase(state, index, seq, now), issue)];
  const { timeoutMs } = state.shape.definition;
  if (timeoutMs !== undefined && isTimedOut(state, now)) return fail({ error: runTimeoutText(timeoutMs) });
  const total = step.foreach === undefined ? 1 : rules.total(index);
  if (typeof total === 'object') return fail(total);
  const fanOut = step.kind === 'workflow' ? fanOutBelow(state, total) : 0;
  if (fanOut > rules.maxChildRuns) return fail({ error: tooManyRunsText(fanOut, rules.maxChildRuns) });
  if (step.foreach === undefined) {
    const wait = waitEvent(state, index, { rules, now, seq, item: undefined, startedAt: now });
    return isIssue(wait) ? fail(wait) : [wait];
  }
  const kept = state.foreach?.get(index);
  const ends = kept?.total === total ? kept.results.size : 0;
  const progress = { done: ends, failed: 0, total, ends: [], mark: 0 };
  return [{ seq, type: 'step.progress', at: now, stepId: step.id, ...progress }];
}

/** The event by which a step, or one item of it, begins to wait. */
export function waitEvent(
  state: RunState,
  index: number,
  {
    rules,
    now,
    seq,
    item,
    startedAt,
  }: Beginning & {
    readonly item: number | undefined;
    /** When the step has started, in milliseconds since the epoch. */
    readonly startedAt: number;
  },
): RunEvent<'step.waiting'> | StepIssue {
  const step = itemAt(state.shape.definition.steps, index);
  if (step.kind === 'tool' || step.kind === 'agent')
    throw new TypeError('a step that is called does not wait');
  if (step.kind === 'workflow' && state.head.depth >= MAX_RUN_DEPTH) {
    return { error: `workflows may be nested at most ${MAX_RUN_DEPTH} deep` };
  }
  const wait = rules.wait(index, item);
  if (isIssue(wait)) return wait;
  const timeout = step.timeoutMs === undefined ? null : startedAt + step.timeoutMs;
  const timesOut = timeout !== null && (wait.until === null || timeout < wait.until);
  const until = timesOut ? timeout : wait.until;
  return {
    seq,
    type: 'step.waiting',
    at: now,
    stepId: step.id,
    for: step.kind,
    until: until === null ? null : isoTime(until),
    itemId: earlierChild(state, step, item) ?? rules.newItemId(),
    attempts: itemAt(state.results, index).attempts + 1,
    ...(item === undefined ? {} : { item }),
    ...(timesOut ? { timesOut } : {}),
  };
}

/** The child run that the step, or its item, has started before a retry of the run: it is retried too. */
function earlierChild(state: RunState, { id, kind }: Step, item: number | undefined): string | undefined {
  if (kind !== 'workflow' || state.attempt === 1) return undefined;
  for (const wait of state.waits?.values() ?? []) {
    if (wait.stepId === id && wait.kind === 'workflow' && wait.item === item) return wait.itemId;
  }
  return undefined;
}

/** The decision about a step whose layer has come. */
type Gate = 'run' | { readonly skip: SkipReason } | StepIssue;

/**
 * The gate of a step, by the ends of the steps that it depends on, and by its condition. `hasFailed`: the run has
 * failed.
 */
function gateOf(state: RunState, index: number, hasFailed: boolean, rules: StepRules): Gate {
  const step = itemAt(state.shape.definition.steps, index);
  const skip = skipReason(state, index, step, hasFailed);
  if (skip !== null) return { skip };
  if (step.when === undefined) return 'run';
  const holds = rules.holds(index);
  if (typeof holds === 'object') return holds;
  return holds ? 'run' : { skip: 'condition' };
}

/** The cause for which a step was skipped. */
export interface SkipCause {
  /** Its condition, or the rule for the steps that it depends on: `run_if: none_failed`. */
  readonly expression: string;
  /** False for a condition; else the statuses of the steps by which the rule has decided. */
  readonly value: false | Readonly<Record<string, StepStatus>>;
}

/** The cause for which a step of an ended run was skipped. */
export function skipCause(state: RunState, index: number): SkipCause {
  const step = itemAt(state.shape.definition.steps, index);
  const { runIf = 'none_failed', when } = step;
  const isReady = skipReason(state, index, step, false) === null;
  if (when !== undefined && isReady && state.skipped?.get(index) === 'condition') {
    return { expression: when, value: false };
  }
  const { results } = state;
  const before = state.shape.hasPolicies
    ? itemAt(state.shape.graph, index).map((at) => itemAt(results, at))
    : [];
  const unfinished = before.filter(({ status }) => status !== 'COMPLETED');
  // Another step of the run has failed it.
  const deciding = unfinished.length > 0 ? unfinished : results.filter(({ status }) => status === 'FAILED');
  const value = Object.fromEntries(deciding.map(({ stepId, status }) => [stepId, status]));
  return { expression: `run_if: ${runIf}`, value };
}

function skipReason(state: RunState, index: number, step: Step, hasFailed: boolean): SkipReason | null {
  const { runIf = 'none_failed', dependsOn } = step;
  if (runIf === 'always') return null;
  if (hasFailed) return 'failed_before';
  // Without policies all steps before have completed.
  if (!state.shape.hasPolicies) return null;
  const dependencies = itemAt(state.shape.graph, index);
  const statuses = dependencies.map((dependency) => itemAt(state.results, dependency).status);
  const completed = statuses.filter((status) => status === 'COMPLETED').length;
  const isReady =
    runIf === 'all_completed'
      ? completed === statuses.length
      : !statuses.includes('FAILED') && (completed > 0 || dependsOn.length === 0);
  if (isReady) return null;
  const failedBefore = dependencies.some(
    (dependency) =>
      itemAt(state.results, dependency).status === 'FAILED' ||
      state.skipped?.get(dependency) === 'failed_before',
  );
  return failedBefore ? 'failed_before' : 'condition';
}

/**
 * The number of runs that there can be at the depth of the children of a step, below the outermost run: the
 * product of the numbers of children, along the way from there. `items` is how many the step has, 1 without `foreach`.
 * Where no way exceeds a number, no depth has more runs than that number.
 */
export function fanOutBelow({ head, shape }: Pick<RunState, 'head' | 'shape'>, items: number): number {
  return head.breadth * shape.childSteps * items;
}

/** The error of a step whose children would be too many. */
function tooManyRunsText(fanOut: number, maxChildRuns: number): string {
  return `a run may have at most ${maxChildRuns} runs below it at each depth, and with this step there could be ${fanOut}`;
}
