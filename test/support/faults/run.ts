import { createRandom } from '../../../src/adapters/evaluation/random.ts';
import type { EventResponse } from '../../../src/entries/client.ts';
import { type Call, diedInOutage, isUndisturbed, metOutage } from './calls.ts';
import { type FinalState, readFinalState } from './final-state.ts';
import { type Fleet, type StoreWindow, startFleet } from './fleet.ts';
import { type AcknowledgedRun, type Load, type RunResponse, type StepResult, startLoad } from './load.ts';
import { type FaultCounts, planFaults } from './plan.ts';
import { createStepLog } from './step-log.ts';

export interface FaultRunOptions {
  readonly seed: number;
  /** The number of replicas. */
  readonly replicas: number;
  readonly faults: FaultCounts;
  /** Called after each fault, with the number of faults so far. */
  readonly onFault?: (count: number) => void;
}

export interface FaultRun extends FaultReport {
  /** Milliseconds from the last fault until every run had ended. */
  readonly endedAfterMs: number;
}

/** Injects faults into real replicas on a real Redis under load, and verifies their promises afterwards. */
export async function runFaults({ seed, replicas, faults, onFault }: FaultRunOptions): Promise<FaultRun> {
  const random = createRandom(seed);
  const plan = planFaults(faults, replicas, random);
  const steps = await createStepLog();
  let load: Load | undefined;
  try {
    const fleet = await startFleet(replicas, steps.extension, (killed) => load?.readRunsOf(killed));
    try {
      load = await startLoad(fleet, random);
      for (const [index, fault] of plan.entries()) {
        await fleet.inject(fault);
        onFault?.(index + 1);
      }
      await load.stop();
      await fleet.untilReady();
      const finalState = await readFinalState(load, fleet, steps);
      return { ...verifyPromises(load, fleet, finalState), endedAfterMs: finalState.afterMs };
    } finally {
      await load?.stop();
      await fleet.close();
    }
  } finally {
    await steps.remove();
  }
}

/** The seed in FAULT_SEED, or a random one. */
export function faultSeed(): number {
  const seed = Number(process.env['FAULT_SEED'] ?? Number.NaN);
  return Number.isSafeInteger(seed) ? seed : Math.floor(Math.random() * 1_000_000_000);
}

/** The figures of a fault run. Most are counts. */
interface Figures {
  calls: number;
  acknowledgedRuns: number;
  completed: number;
  interrupted: number;
  stepsExecuted: number;
  stepsReadBack: number;
  /** Events in the logs of the acknowledged runs. */
  events: number;
  messages: number;
  /** Messages that were answered while the store did not serve: their traces were buffered. */
  messagesInOutages: number;
  /** Traces that were buffered in a replica which was killed before the store was back. */
  tracesLostWithTheirProcess: number;
  /** Steps that ran and are recorded as skipped: their replica was killed before it could write their end. */
  ranButSkipped: number;
  /** Those of them with an available store. */
  ranButSkippedWithStore: number;
  successShare: number;
  longestCallMs: number;
}

interface FaultReport {
  readonly figures: Figures;
  /** Broken promises by kind, with an example of each. */
  readonly violations: ReadonlyMap<string, { count: number; readonly example: string }>;
}

/** Share of the undisturbed calls that must succeed, so that a run in which everything fails cannot pass. */
const MIN_SUCCESS_SHARE = 0.9;

/** The maximum time that any call may take beyond an undisturbed one, in milliseconds. */
const MAX_EXTRA_MS = 2_000;

/** The same for a run, whose events wait up to ten seconds for the store. */
const MAX_EXTRA_RUN_MS = 12_000;

/** The errors of a run whose replica was killed, or whose store was unavailable for too long. */
const documentedErrors = ['interrupted', 'the results could not be saved'];

/** Compares the responses with the final state of the store and the executed steps. */
function verifyPromises(load: Load, fleet: Fleet, finalState: FinalState): FaultReport {
  const violations = new Map<string, { count: number; example: string }>();
  const { windows } = fleet;
  const undisturbed = load.calls.filter((call) => isUndisturbed(call, windows));
  const successes = undisturbed.filter(({ outcome }) => outcome === 'succeeded').length;
  const figures: Figures = {
    calls: load.calls.length,
    acknowledgedRuns: load.runs.size,
    completed: 0,
    interrupted: 0,
    stepsExecuted: finalState.executed.size,
    stepsReadBack: 0,
    events: 0,
    messages: load.messages.size,
    messagesInOutages: [...load.messages.values()].filter((call) => metOutage(call, windows)).length,
    tracesLostWithTheirProcess: 0,
    ranButSkipped: 0,
    ranButSkippedWithStore: 0,
    successShare: successes / Math.max(undisturbed.length, 1),
    longestCallMs: Math.max(...load.calls.map(durationMs)),
  };

  function addViolation(kind: string, example: unknown): void {
    const known = violations.get(kind);
    if (known === undefined)
      violations.set(kind, { count: 1, example: JSON.stringify(example).slice(0, 600) });
    else known.count++;
  }

  function mayBeLost(call: Call): boolean {
    return metOutage(call, windows) && diedInOutage(call.replica, windows);
  }

  function verifyStep(id: string, result: StepResult, { call, saved: savedSteps }: AcknowledgedRun): void {
    const saved = savedSteps.get(result.step_id);
    const step = `${id}:${result.step_id}`;
    const ran = finalState.executed.has(step);
    if (saved !== undefined) {
      figures.stepsReadBack++;
      if (saved !== JSON.stringify(result)) addViolation('a saved step changed', { step, saved, result });
    }
    if (result.status === 'COMPLETED' && !ran) addViolation('a completed step never ran', step);
    if (result.status === 'SKIPPED' && ran) {
      figures.ranButSkipped++;
      if (!diedInOutage(call.replica, windows)) figures.ranButSkippedWithStore++;
    }
    if (result.status === 'PENDING' || result.status === 'RUNNING')
      addViolation('a step never ended', result);
  }

  /** A log has no gap, and one end, which is its last event and that of the record. */
  function verifyLog(last: RunResponse, events: readonly EventResponse[]): void {
    figures.events += events.length;
    const example = { last, events };
    if (events.some(({ seq }, index) => seq !== index + 1)) addViolation('a log has a gap', example);
    const ends = events.filter(({ type }) => /^execution\.(completed|failed|cancelled)$/.test(type));
    if (ends.length !== 1 || events.at(-1) !== ends[0]) addViolation('a log has not one end', example);
    if (ends[0]?.type !== `execution.${last.status.toLowerCase()}`)
      addViolation('a log has another end', example);
  }

  function verifyRun(id: string, acknowledged: AcknowledgedRun): void {
    const { call, response } = acknowledged;
    const last: RunResponse | undefined = finalState.runs.get(id);
    if (last === undefined) {
      addViolation('an acknowledged run is missing', response);
      return;
    }
    const { status, error } = last;
    if (status === 'COMPLETED') figures.completed++;
    else if (status === 'FAILED') figures.interrupted++;
    else addViolation('a run never ended', last);
    if (status === 'FAILED' && !documentedErrors.includes(error ?? '')) addViolation('another error', last);
    const ended = response.status === 'COMPLETED' || response.status === 'FAILED';
    if (ended && response.status !== status && !mayBeLost(call)) {
      addViolation('an acknowledged end changed', { response, last });
    }
    verifyLog(last, finalState.events.get(id) ?? []);
    for (const result of Object.values(last.step_results)) {
      verifyStep(id, result, acknowledged);
      if (status === 'COMPLETED' && result.status !== 'COMPLETED')
        addViolation('completed without a step', last);
    }
  }

  verifyCalls(load.calls, undisturbed, windows, addViolation);
  for (const [id, acknowledged] of load.runs) verifyRun(id, acknowledged);
  for (const [step, times] of finalState.executed)
    if (times > 1) addViolation('a step was executed twice', { step, times });
  for (const [id, call] of load.messages) {
    if (finalState.traces.has(id)) continue;
    if (mayBeLost(call)) figures.tracesLostWithTheirProcess++;
    else
      addViolation('a trace is missing', {
        id,
        from: call.from,
        to: call.to,
        killedAt: call.replica.killedAt,
      });
  }
  for (const summary of finalState.unended) addViolation('a listed run never ended', summary);
  for (const crash of fleet.crashes) addViolation('a process crashed', crash);
  if (figures.successShare < MIN_SUCCESS_SHARE) addViolation('too few calls succeeded', figures.successShare);
  return { figures, violations };
}

function verifyCalls(
  calls: readonly Call[],
  undisturbed: readonly Call[],
  windows: readonly StoreWindow[],
  addViolation: (kind: string, example: unknown) => void,
): void {
  const times = undisturbed.map(durationMs).sort((one, other) => one - other);
  const normal = times[Math.floor(times.length * 0.99)] ?? 0;
  for (const call of calls) {
    const { request, outcome, status, body, replica, from, to } = call;
    const example = { request, status, body, from, to, killedAt: replica.killedAt };
    if (outcome === 'unexpected')
      addViolation(status === 500 ? 'a 500' : `an unexpected status ${status}`, example);
    const isRunning = replica.killedAt === undefined || replica.killedAt > to;
    if (outcome === 'broken' && isRunning) addViolation('a connection to a running replica broke', example);
    const extraMs = request.endsWith('/run') ? MAX_EXTRA_RUN_MS : MAX_EXTRA_MS;
    if (durationMs(call) > normal + extraMs)
      addViolation('a call hung', { ...example, windows: windows.length });
    if (request === 'POST /messages' && outcome === 'succeeded') {
      if ((body as { status: string }).status !== 'COMPLETED') addViolation('a message failed', example);
    }
  }
}

const durationMs = ({ from, to }: Call): number => to - from;
