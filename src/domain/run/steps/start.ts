import { itemAt } from '../../../lib/array.ts';
import { isoTime } from '../../../lib/text/time.ts';
import type { Step } from '../../workflow/definition.ts';
import { MAX_RUN_DEPTH } from '../../workflow/definition.ts';
import type { Circumstances, NextLayer } from '../decide.ts';
import type { RunEvent } from '../events.ts';
import type { RunState } from '../state.ts';
import { breadthBelow, tooBroadText } from './breadth.ts';
import { endBase, endOfStep, runTimeoutText } from './ends.ts';
import { type Gate, gateOf } from './gate.ts';
import { isIssue, type StepIssue, type StepRules } from './rules.ts';
import { isTimedOut } from './time.ts';

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
  circumstances: Circumstances,
): LayerStart {
  // Without policies every step is a call, and runs unless the run has failed.
  if (!state.shape.hasPolicies && !hasFailed) return beginCalls(state, next, circumstances);
  return beginGated(state, next, hasFailed, circumstances);
}

/** Starts a layer all of whose steps call a tool or an agent. */
function beginCalls(
  state: RunState,
  { layer, steps }: NextLayer,
  { now: at, maxStarts }: Circumstances,
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
  { now: at, rules: createRules, maxStarts }: Circumstances,
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
 * What becomes of the steps; undefined where evaluating that has taken long, so that it goes on with the next decision.
 */
function gatesOf(
  state: RunState,
  steps: readonly number[],
  hasFailed: boolean,
  rules: StepRules,
): readonly Gate[] | undefined {
  const gates: Gate[] = [];
  for (const index of steps) {
    if (rules.isOverdue()) return undefined;
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
  const breadth = step.kind === 'workflow' ? breadthBelow(state, total) : 0;
  if (breadth > rules.maxChildRuns) return fail({ error: tooBroadText(breadth, rules.maxChildRuns) });
  if (step.foreach === undefined) {
    const wait = waitEvent(state, index, { rules, now, seq, item: undefined, startedAt: now });
    return isIssue(wait) ? fail(wait) : [wait];
  }
  const kept = state.foreach?.get(index);
  const ends = kept?.total === total ? kept.ends.size : 0;
  const progress = { done: ends, failed: 0, total, ends: [], mark: 0 };
  return [{ seq, type: 'step.progress', at: now, stepId: step.id, ...progress }];
}

/** What {@link waitEvent} begins. */
export interface WaitBeginning extends Beginning {
  readonly item: number | undefined;
  /** When the step has started, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The event by which a step, or one item of it, begins to wait. */
export function waitEvent(
  state: RunState,
  index: number,
  { rules, now, seq, item, startedAt }: WaitBeginning,
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
