import { type Call, diedInOutage, isUndisturbed, metOutage } from './calls.ts';
import type { Ends } from './ends.ts';
import type { Fleet, StoreWindow } from './fleet.ts';
import type { Acknowledged, Execution, Load, StepResult } from './load.ts';

/** What a run of faults came to; of the first group each is a count, of the second each must be 0. */
export interface Figures {
  calls: number;
  acknowledgedExecutions: number;
  completed: number;
  interrupted: number;
  stepsExecuted: number;
  stepsReadBack: number;
  messages: number;
  /** Of these, answered while the store did not serve: their traces had to wait. */
  messagesInOutages: number;
  /** Traces that waited for the store in a process which was killed before it was back. */
  tracesLostWithTheirProcess: number;
  /** Steps that had acted and are told as skipped: their process was killed before it had told the store. */
  actedButSkipped: number;
  /** Of these, with a store that served. */
  actedButSkippedWithStore: number;
  successShare: number;
  longestCallMs: number;
}

export interface Verdict {
  readonly figures: Figures;
  /** What must never be, by kind, with an example of each. */
  readonly violations: ReadonlyMap<string, { count: number; readonly example: string }>;
}

/** Share of the undisturbed calls that must have succeeded, so that a run cannot pass by failing throughout. */
const LEAST_SUCCESS = 0.9;

/** How much longer than an undisturbed call any call may take, in milliseconds. */
const LONGER_BY_MS = 2_000;

/** What is told as the error of a run whose process was killed, or whose store was away for too long. */
const documentedErrors = ['interrupted', 'the results could not be saved'];

/** Holds what callers were told against what the store and the tools say in the end. */
export function judge(load: Load, fleet: Fleet, ends: Ends): Verdict {
  const violations = new Map<string, { count: number; example: string }>();
  const { windows } = fleet;
  const undisturbed = load.calls.filter((made) => isUndisturbed(made, windows));
  const successes = undisturbed.filter(({ outcome }) => outcome === 'answered').length;
  const figures: Figures = {
    calls: load.calls.length,
    acknowledgedExecutions: load.executions.size,
    completed: 0,
    interrupted: 0,
    stepsExecuted: ends.executed.size,
    stepsReadBack: 0,
    messages: load.messages.size,
    messagesInOutages: [...load.messages.values()].filter((made) => metOutage(made, windows)).length,
    tracesLostWithTheirProcess: 0,
    actedButSkipped: 0,
    actedButSkippedWithStore: 0,
    successShare: successes / Math.max(undisturbed.length, 1),
    longestCallMs: Math.max(...load.calls.map(tookMs)),
  };

  function violate(kind: string, example: unknown): void {
    const known = violations.get(kind);
    if (known === undefined)
      violations.set(kind, { count: 1, example: JSON.stringify(example).slice(0, 600) });
    else known.count++;
  }

  function mayBeLost(made: Call): boolean {
    return metOutage(made, windows) && diedInOutage(made.replica, windows);
  }

  function judgeStep(id: string, result: StepResult, { call: made, saved: read }: Acknowledged): void {
    const saved = read.get(result.step_id);
    const step = `${id}:${result.step_id}`;
    const acted = ends.executed.has(step);
    if (saved !== undefined) {
      figures.stepsReadBack++;
      if (saved !== JSON.stringify(result)) violate('a saved step changed', { step, saved, result });
    }
    if (result.status === 'COMPLETED' && !acted) violate('a completed step never acted', step);
    if (result.status === 'SKIPPED' && acted) {
      figures.actedButSkipped++;
      if (!diedInOutage(made.replica, windows)) figures.actedButSkippedWithStore++;
    }
    if (result.status === 'PENDING' || result.status === 'RUNNING') violate('a step never ended', result);
  }

  function judgeExecution(id: string, acknowledged: Acknowledged): void {
    const { call: made, told } = acknowledged;
    const last: Execution | undefined = ends.executions.get(id);
    if (last === undefined) {
      violate('an acknowledged execution is missing', told);
      return;
    }
    const { status, error } = last;
    if (status === 'COMPLETED') figures.completed++;
    else if (status === 'FAILED') figures.interrupted++;
    else violate('an execution never ended', last);
    if (status === 'FAILED' && !documentedErrors.includes(error ?? '')) violate('another error', last);
    const ended = told.status === 'COMPLETED' || told.status === 'FAILED';
    if (ended && told.status !== status && !mayBeLost(made)) {
      violate('a told end changed', { told, last });
    }
    for (const result of Object.values(last.step_results)) {
      judgeStep(id, result, acknowledged);
      if (status === 'COMPLETED' && result.status !== 'COMPLETED') violate('completed without a step', last);
    }
  }

  judgeCalls(load.calls, undisturbed, windows, violate);
  for (const [id, acknowledged] of load.executions) judgeExecution(id, acknowledged);
  for (const [step, times] of ends.executed)
    if (times > 1) violate('a step was executed twice', { step, times });
  for (const [id, made] of load.messages) {
    if (ends.traces.has(id)) continue;
    if (mayBeLost(made)) figures.tracesLostWithTheirProcess++;
    else violate('a trace is missing', { id, from: made.from, to: made.to, killedAt: made.replica.killedAt });
  }
  for (const summary of ends.unended) violate('a listed execution never ended', summary);
  for (const crash of fleet.crashes) violate('a process ended by itself', crash);
  if (figures.successShare < LEAST_SUCCESS) violate('too few calls succeeded', figures.successShare);
  return { figures, violations };
}

function judgeCalls(
  calls: readonly Call[],
  undisturbed: readonly Call[],
  windows: readonly StoreWindow[],
  violate: (kind: string, example: unknown) => void,
): void {
  const times = undisturbed.map(tookMs).sort((one, other) => one - other);
  const normal = times[Math.floor(times.length * 0.99)] ?? 0;
  for (const made of calls) {
    const { what, outcome, status, body, replica, from, to } = made;
    const example = { what, status, body, from, to, killedAt: replica.killedAt };
    if (outcome === 'wrong') violate(status === 500 ? 'a 500' : `an answer with ${status}`, example);
    const alive = replica.killedAt === undefined || replica.killedAt > to;
    if (outcome === 'cut' && alive) violate('a connection to a living process broke', example);
    if (tookMs(made) > normal + LONGER_BY_MS) violate('a call hung', { ...example, windows: windows.length });
    if (what === 'POST /messages' && outcome === 'answered') {
      if ((body as { status: string }).status !== 'COMPLETED') violate('a message failed', example);
    }
  }
}

const tookMs = ({ from, to }: Call): number => to - from;
