import type { Random } from '../../../src/adapters/evaluation/random.ts';
import { type Call, call } from './calls.ts';
import { type Fleet, type Replica, randomSteps, sleep } from './fleet.ts';

export interface StepResult {
  readonly step_id: string;
  readonly status: string;
}

export interface RunResponse {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly step_results: Readonly<Record<string, StepResult>>;
}

/** A run whose start was acknowledged by a response. */
export interface AcknowledgedRun {
  readonly path: string;
  readonly call: Call;
  readonly response: RunResponse;
  /** Ended steps as JSON, read through another replica than their own: these were in the store. */
  readonly saved: Map<string, string>;
}

/** Concurrent callers of runs and messages, and the responses that they received. */
export interface Load {
  readonly calls: readonly Call[];
  readonly runs: ReadonlyMap<string, AcknowledgedRun>;
  /** Successful messages by their trace id. */
  readonly messages: ReadonlyMap<string, Call>;
  readonly workflowIds: readonly string[];
  /** Reads the latest runs of a killed replica through another one. */
  readRunsOf(killed: Replica): void;
  /** Stops the callers; resolves when the last call has ended. */
  stop(): Promise<void>;
}

const terminal = ['COMPLETED', 'FAILED', 'SKIPPED'];
const texts = ['I want a refund for my broken blender.', 'Where is my order A-1234?', 'My parcel is late.'];
const WORKFLOWS = 12;
const CALLERS = 10;
const RUNS_READ = 30;

/** Starts the load on a fleet whose replicas are ready. */
export async function startLoad(fleet: Fleet, random: Random): Promise<Load> {
  const calls: Call[] = [];
  const runs = new Map<string, AcknowledgedRun>();
  const messages = new Map<string, Call>();
  const recent: AcknowledgedRun[] = [];
  const reading = new Set<Promise<void>>();
  let stopped = false;

  async function callReplica(replica: Replica, path: string, body?: unknown): Promise<Call> {
    const result = await call(replica, path, body);
    calls.push(result);
    return result;
  }

  async function run(replica: Replica, background: boolean): Promise<void> {
    const workflowId = random.pick(workflowIds);
    const result = await callReplica(replica, `/workflows/${workflowId}/run`, { background });
    if (result.outcome !== 'succeeded') return;
    const response = result.body as RunResponse;
    const path = `/workflows/${workflowId}/runs/${response.execution_id}`;
    const acknowledged = { path, call: result, response, saved: new Map<string, string>() };
    runs.set(response.execution_id, acknowledged);
    recent.push(acknowledged);
    if (recent.length > 100) recent.shift();
  }

  async function send(replica: Replica): Promise<void> {
    const result = await callReplica(replica, '/messages', {
      customer_id: 'c-1',
      message: random.pick(texts),
    });
    if (result.outcome === 'succeeded') messages.set((result.body as { trace_id: string }).trace_id, result);
  }

  /**
   * Reads a run. The replica that runs it may have unsaved results, so only reads by others prove that a step is
   * stored.
   */
  async function read(replica: Replica, { path, call: start, saved }: AcknowledgedRun): Promise<void> {
    const { outcome, body } = await callReplica(replica, path);
    if (outcome !== 'succeeded' || replica === start.replica) return;
    for (const result of Object.values((body as RunResponse).step_results)) {
      if (terminal.includes(result.status)) saved.set(result.step_id, JSON.stringify(result));
    }
  }

  async function callOnce(): Promise<void> {
    const serving = fleet.serving();
    if (serving.length === 0) return;
    const replica = random.pick(serving);
    const choice = random.next();
    if (choice < 0.45) await run(replica, true);
    else if (choice < 0.55) await run(replica, false);
    else if (choice < 0.85 || recent.length === 0) await send(replica);
    else await read(replica, random.pick(recent));
  }

  async function caller(): Promise<void> {
    while (!stopped) {
      await callOnce();
      await sleep(40 + random.next() * 100);
    }
  }

  const workflowIds = await createWorkflows(fleet, random);
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  return {
    calls,
    runs,
    messages,
    workflowIds,
    readRunsOf(killed) {
      const latest = recent.filter(({ call: start }) => start.replica === killed).slice(-RUNS_READ);
      const [other] = fleet.serving();
      if (other === undefined || stopped) return;
      for (const acknowledged of latest) {
        const pending = read(other, acknowledged).finally(() => reading.delete(pending));
        reading.add(pending);
      }
    },
    async stop() {
      stopped = true;
      await callers;
      await Promise.all(reading);
    },
  };
}

async function createWorkflows(fleet: Fleet, random: Random): Promise<readonly string[]> {
  const [replica] = fleet.serving();
  if (replica === undefined) throw new Error('no replica serves');
  const ids: string[] = [];
  while (ids.length < WORKFLOWS) {
    const { outcome, body } = await call(replica, '/workflows', { name: 'w', steps: randomSteps(random) });
    if (outcome !== 'succeeded') throw new Error(`a workflow was rejected: ${JSON.stringify(body)}`);
    ids.push((body as { id: string }).id);
  }
  return ids;
}
