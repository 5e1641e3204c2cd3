import { expect } from 'vitest';
import { cancelRequested, copiedSteps, endAbandoned, retried } from '../../../src/domain/run/control.ts';
import { decide } from '../../../src/domain/run/decide.ts';
import { type RunEvent, type StepDecision, stepDecisions } from '../../../src/domain/run/events.ts';
import { evolve, type RunHistory, replay } from '../../../src/domain/run/evolve.ts';
import type { StepRules } from '../../../src/domain/run/layer.ts';
import { startStep } from '../../../src/domain/run/layer.ts';
import { recover } from '../../../src/domain/run/recover.ts';
import { hasEnded, INTERRUPTED, type RunFailure } from '../../../src/domain/run/run.ts';
import { initialState, openWaits, type RunHead, type RunState } from '../../../src/domain/run/state.ts';
import { decisionEvents } from '../../../src/domain/run/waits.ts';
import type { Step, WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import { shapeOf } from '../../../src/domain/workflow/shape.ts';
import { itemAt } from '../../../src/lib/array.ts';
import { oracle } from './graphs.ts';

/** Chooses a number from 0 to `count - 1`. */
export type Choose = (count: number) => number;

/** Choices from a list of numbers, which begins again at its end. */
export function chooseFrom(numbers: readonly number[]): Choose {
  let position = 0;
  return (count) => itemAt(numbers, position++ % numbers.length) % count;
}

/** Lets nothing happen but the completion of the steps under way. */
export const noChance: Choose = (count) => Math.min(1, count - 1);

/** The definition of valid steps. */
export function definitionOf(steps: readonly Step[]): WorkflowDefinition {
  const { depth } = oracle(steps);
  const layers: string[][] = [];
  for (const step of steps) {
    const layer = depth(step);
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(step.id);
  }
  const createdAt = '2026-01-01T00:00:00.000Z';
  return {
    id: 'workflow',
    version: 1,
    name: 'sample',
    description: '',
    steps,
    layers,
    warnings: [],
    createdAt,
  };
}

/** The rules of a definition without policies: none of them is asked. */
export const noRules: StepRules = {
  holds: () => expect.fail(),
  total: () => expect.fail(),
  wait: () => expect.fail(),
  output: () => null,
  maxOutputBytes: 1_024,
  maxChildRuns: 1,
  newItemId: () => expect.fail(),
  prepare: () => undefined,
  shouldYield: () => false,
};

const START = Date.UTC(2026, 0, 1);

/** A run that only the pure functions drive: its steps end as `choose` says. */
export interface SimulatedRun {
  readonly state: RunState;
  readonly history: RunHistory & { readonly events: RunEvent[] };
  /** The indexes of the steps that each call of `decide` has started. */
  readonly started: number[][];
  /** The indexes of the steps that were called and have not ended. */
  readonly underWay: number[];
  /** True while the process is shutting down. */
  interrupted: boolean;
  /** The reason for which the run must end, after its last recovery; else null. */
  failure: RunFailure | null;
  /** The number of steps that start with their layer. */
  maxStarts: number;
  now: number;
}

/** A new run; one that copies outputs of `original` where that is given. */
export function simulatedRun(
  definition: WorkflowDefinition,
  original?: { readonly state: RunState; readonly fromStep: string },
): SimulatedRun {
  const head: RunHead = {
    runId: 'run',
    workflowId: definition.id,
    workflowName: definition.name,
    version: 1,
    background: true,
    origin: original === undefined ? 'api' : 'rerun',
    input: { n: 1 },
    rerunOf: original?.state.head.runId ?? null,
    parentRunId: null,
    customerId: null,
    depth: 1,
    breadth: 1,
  };
  const state = initialState(head, shapeOf(definition));
  const { runId, workflowId } = head;
  const run: SimulatedRun = {
    state,
    history: { runId, workflowId, definition, events: [] },
    started: [],
    underWay: [],
    interrupted: false,
    now: START,
    failure: null,
    maxStarts: Number.POSITIVE_INFINITY,
  };
  const { workflowName, version, background, origin, input, rerunOf } = head;
  const created = { workflowName, version, background, origin, input, rerunOf };
  record(run, { seq: 1, type: 'execution.created', at: run.now, ...created });
  for (const index of original === undefined ? [] : copiedSteps(original.state, original.fromStep)) {
    const { stepId, output } = itemAt(original?.state.results ?? [], index);
    const end = { attempts: 0, durationMs: 0, copied: true, startedAt: run.now } as const;
    const seq = state.seq + 1;
    record(run, { seq, type: 'step.completed', at: run.now, stepId, ...end, output: output ?? {} });
  }
  return run;
}

function record(run: SimulatedRun, event: RunEvent): void {
  expect(event.seq).toBe(run.state.seq + 1);
  evolve(run.state, event);
  run.history.events.push(event);
}

/** Asks for the end of the run. */
export function requestCancel(run: SimulatedRun, reason: string | null): void {
  record(run, cancelRequested(run.state, { type: 'cancel', by: 'ann', reason }, run.now));
}

/** Runs an ended run again. */
export function retry(run: SimulatedRun): void {
  run.interrupted = false;
  record(run, retried(run.state, { by: 'ann' }, run.now));
}

/** Ends the run as another process does that finds its log, and returns the state of that process. */
export function abandon(run: SimulatedRun, isCancelled: boolean): { state: RunState; events: RunEvent[] } {
  const state = replay(run.history);
  const signal = { type: 'cancel', by: 'bob', reason: null } as const;
  return { state, events: endAbandoned(state, isCancelled ? signal : undefined, run.now) };
}

/** Lets another process continue the run: nothing that was under way ends. */
export function takeOver(
  run: SimulatedRun,
  context: Omit<Parameters<typeof recover>[1], 'now' | 'newItemId'>,
): readonly RunEvent[] {
  let items = run.state.seq * 100;
  const newItemId = (): string => `item-${items++}`;
  const { events, failure } = recover(run.state, { ...context, now: run.now, newItemId });
  run.history.events.push(...events);
  run.underWay.length = 0;
  run.failure = failure;
  return events;
}

/** Decides about the first step that waits. Returns false where none does. */
export function decideFirst(run: SimulatedRun, outcome: StepDecision, itemId?: string): boolean {
  const [wait] = openWaits(run.state);
  const signal = { itemId: itemId ?? wait?.itemId ?? 'none', outcome, by: 'ann', note: null } as const;
  const output = outcome === 'completed' ? { said: 'ann' } : null;
  const events = decisionEvents(run.state, { ...signal, output }, run.now);
  for (const event of events) record(run, event);
  return events.length > 0;
}

/** One thing that happens to a run which has not ended. */
export function step(run: SimulatedRun, choose: Choose): void {
  run.now += choose(100);
  const { state, underWay } = run;
  if (choose(40) === 0) requestCancel(run, choose(2) === 0 ? null : 'wrong customer');
  else if (choose(60) === 0) run.interrupted = true;
  else if (choose(4) === 0 && decideFirst(run, itemAt(stepDecisions, choose(3)))) return;
  else if (underWay.length > 0) endOne(run, choose);
  else {
    const { now, interrupted } = run;
    const failure = interrupted ? { error: INTERRUPTED } : run.failure;
    const { maxStarts } = run;
    const decision = decide(state, { now, elapsedMs: now - START, failure, maxStarts, rules: () => noRules });
    for (const event of decision.events) record(run, event);
    if (decision.end !== null || decision.waits) expect(decision.steps).toEqual([]);
    else run.started.push([...decision.steps]);
    underWay.push(...decision.steps);
  }
  expect(hasEnded(state.status) && underWay.length > 0).toBe(false);
}

/** Ends one step under way. Where the run is to stop, steps that were not called are no longer called. */
function endOne(run: SimulatedRun, choose: Choose): void {
  const { state, underWay, now } = run;
  const [index = expect.fail()] = underWay.splice(choose(underWay.length), 1);
  if ((state.cancel !== null || run.interrupted) && choose(3) === 0) return;
  if (itemAt(state.results, index).status === 'PENDING') record(run, startStep(state, index, now));
  const { stepId, attempts: earlier } = itemAt(state.results, index);
  let tried = 1;
  for (; choose(4) === 0 && tried < 3; tried++) {
    const attempt = earlier + tried;
    const retrying = { stepId, attempt, error: 'no connection', delayMs: 10 };
    record(run, { seq: state.seq + 1, type: 'step.retrying', at: now, ...retrying });
  }
  const base = { seq: state.seq + 1, at: now, stepId, attempts: earlier + tried, durationMs: 1 };
  const startedAt = now - 1;
  if (state.cancel !== null && choose(2) === 0) {
    record(run, { ...base, type: 'step.cancelled', why: 'cancelled', startedAt });
  } else if (choose(12) === 0) {
    record(run, { ...base, type: 'step.failed', error: `${stepId} fails`, startedAt });
  } else {
    record(run, { ...base, type: 'step.completed', output: { made: state.seq }, startedAt });
  }
}

/** Lets things happen until the run has ended. */
export function runToEnd(run: SimulatedRun, choose: Choose): void {
  const most = 100 + run.state.results.length * 20;
  let steps = 0;
  while (!hasEnded(run.state.status)) {
    if (++steps > most) expect.fail('the run does not end');
    step(run, choose);
  }
}
