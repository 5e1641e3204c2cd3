import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../../src/adapters/evaluation/random.ts';
import type { EventResponse } from '../../../src/entries/client.ts';
import { type Call, call, diedInOutage, isUndisturbed, metOutage } from './calls.ts';
import { type FaultCounts, type Fleet, planFaults, type StoreWindow, sleep, startFleet } from './fleet.ts';
import { type AcknowledgedRun, type Load, type RunResponse, type StepResult, startLoad } from './load.ts';

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

/** A log of executed steps outside of the service, and the extension whose tool writes it. */
export interface StepLog {
  /** The path of the extension. */
  readonly extension: string;
  /** The number of executions by step, `<run id>:<step id>`. */
  readExecutedSteps(): Promise<ReadonlyMap<string, number>>;
  remove(): Promise<void>;
}

/** An extension with a tool that appends a line to a file, which survives a kill of the process. */
const source = (file: string): string => `
import { appendFileSync } from 'node:fs';

const anything = {
  safeParse: (data) => ({ success: true, data }),
  toJSONSchema: () => ({ type: 'object' }),
};

export default ({ tools }) => {
  tools.register({
    name: 'log_step',
    description: 'Appends a line to a file, waits, and returns its process id.',
    effect: 'write',
    input: anything,
    async execute({ ms }, { idempotencyKey, attempt }) {
      appendFileSync(${JSON.stringify(file)}, idempotencyKey + ' ' + attempt + ' ' + process.pid + '\\n');
      await new Promise((resolve) => setTimeout(resolve, ms));
      return { pid: process.pid, at: Date.now() };
    },
  });
};
`;

export async function createStepLog(): Promise<StepLog> {
  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  const file = join(folder, 'lines.txt');
  const extension = join(folder, 'log-step.mjs');
  await writeFile(file, '');
  await writeFile(extension, source(file));
  return {
    extension,
    async readExecutedSteps() {
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      const times = new Map<string, number>();
      for (const line of lines) {
        const [step = ''] = line.split(' ', 1);
        times.set(step, (times.get(step) ?? 0) + 1);
      }
      return times;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The records in the store and the executed steps after a fault run. */
interface FinalState {
  readonly runs: ReadonlyMap<string, RunResponse>;
  /** The events of each run: the log that its record is made of. */
  readonly events: ReadonlyMap<string, readonly EventResponse[]>;
  /** The successful messages that have a trace. */
  readonly traces: ReadonlySet<string>;
  /** Runs that are listed as active, even if their start was not acknowledged. */
  readonly unended: readonly unknown[];
  readonly executed: ReadonlyMap<string, number>;
  /** Milliseconds from the end of the load until the last run had ended. */
  readonly afterMs: number;
}

/** A run whose replica is gone must end within this time. */
const MAX_RECOVERY_MS = 60_000;
const CONCURRENCY = 16;
const PAGE = 200;

/** Waits until every run has ended, for at most a minute, and reads the final state. */
async function readFinalState(load: Load, fleet: Fleet, steps: StepLog): Promise<FinalState> {
  const since = performance.now();
  let unended = await listUnended(load, fleet);
  while (unended.length > 0 && performance.now() - since < MAX_RECOVERY_MS) {
    await sleep(500);
    unended = await listUnended(load, fleet);
  }
  const afterMs = performance.now() - since;
  const runs = new Map<string, RunResponse>();
  await forEach([...load.runs], async ([id, { path }]) => {
    const { status, body } = await callAny(fleet, path);
    if (status === 200) runs.set(id, body as RunResponse);
  });
  const events = new Map<string, readonly EventResponse[]>();
  await forEach([...runs.keys()], async (id) => {
    const { body } = await callAny(fleet, `${load.runs.get(id)?.path}/events?limit=${PAGE}`);
    events.set(id, (body as { events: readonly EventResponse[] }).events);
  });
  const traces = new Set<string>();
  await forEach([...load.messages.keys()], async (id) => {
    if ((await callAny(fleet, `/trace/${id}`)).status === 200) traces.add(id);
  });
  return { runs, events, traces, unended, executed: await steps.readExecutedSteps(), afterMs };
}

async function listUnended(load: Load, fleet: Fleet): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  await forEach(load.workflowIds, async (id) => {
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const { body } = await callAny(fleet, `/workflows/${id}/runs?limit=${PAGE}&offset=${offset}`);
      const page = body as { total: number; executions: readonly RunResponse[] };
      total = page.total;
      for (const run of page.executions) {
        if (run.status !== 'COMPLETED' && run.status !== 'FAILED') found.push(run);
      }
    }
  });
  return found;
}

/** Calls replicas round-robin, up to five times while the store is unavailable. */
async function callAny(fleet: Fleet, path: string): Promise<Call> {
  for (let attempt = 1; ; attempt++) {
    const serving = fleet.serving();
    const replica = serving[nextReplica++ % serving.length];
    if (replica === undefined) throw new Error('no replica is running');
    const result = await call(replica, path);
    if (result.outcome === 'succeeded' || result.status === 404) return result;
    if (attempt === 5) throw new Error(`${result.request}: ${result.status} ${JSON.stringify(result.body)}`);
    await sleep(200);
  }
}

let nextReplica = 0;

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  async function worker(): Promise<void> {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
