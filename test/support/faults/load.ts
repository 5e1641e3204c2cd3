import type { Random } from '../../../src/adapters/evaluation/random.ts';
import { type Call, call } from './calls.ts';
import { type Fleet, pause, type Replica } from './fleet.ts';
import { randomSteps } from './plan.ts';

export interface StepResult {
  readonly step_id: string;
  readonly status: string;
}

export interface Execution {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly step_results: Readonly<Record<string, StepResult>>;
}

/** An execution that a caller was told of. */
export interface Acknowledged {
  readonly path: string;
  readonly call: Call;
  readonly told: Execution;
  /** Ended steps as a process read them from the store that did not execute them, as JSON. */
  readonly saved: Map<string, string>;
}

/** Callers that ask for runs and messages all the time, and what they were told. */
export interface Load {
  readonly calls: readonly Call[];
  readonly executions: ReadonlyMap<string, Acknowledged>;
  /** Answered messages by their trace. */
  readonly messages: ReadonlyMap<string, Call>;
  readonly workflowIds: readonly string[];
  /** Reads what a killed replica left behind, as the others find it. */
  lookBehind(killed: Replica): void;
  /** Ends the load; resolves when the last caller was answered. */
  stop(): Promise<void>;
}

const terminal = ['COMPLETED', 'FAILED', 'SKIPPED'];
const texts = ['I want a refund for my broken blender.', 'Where is my order A-1234?', 'My parcel is late.'];
const WORKFLOWS = 12;
const CALLERS = 10;
const LOOKED_BEHIND = 30;

/** Begins the load on a fleet whose replicas are ready. */
export async function startLoad(fleet: Fleet, chance: Random): Promise<Load> {
  const calls: Call[] = [];
  const executions = new Map<string, Acknowledged>();
  const messages = new Map<string, Call>();
  const recent: Acknowledged[] = [];
  const looking = new Set<Promise<void>>();
  let stopped = false;

  async function ask(replica: Replica, path: string, body?: unknown): Promise<Call> {
    const made = await call(replica, path, body);
    calls.push(made);
    return made;
  }

  async function run(replica: Replica, background: boolean): Promise<void> {
    const workflowId = chance.pick(workflowIds);
    const made = await ask(replica, `/workflows/${workflowId}/run`, { background });
    if (made.outcome !== 'answered') return;
    const told = made.body as Execution;
    const path = `/workflows/${workflowId}/runs/${told.execution_id}`;
    const acknowledged = { path, call: made, told, saved: new Map<string, string>() };
    executions.set(told.execution_id, acknowledged);
    recent.push(acknowledged);
    if (recent.length > 100) recent.shift();
  }

  async function send(replica: Replica): Promise<void> {
    const made = await ask(replica, '/messages', { customer_id: 'c-1', message: chance.pick(texts) });
    if (made.outcome === 'answered') messages.set((made.body as { trace_id: string }).trace_id, made);
  }

  /** The process that executes a run knows more of it than the store: only what others read is certainly saved. */
  async function read(replica: Replica, { path, call: made, saved }: Acknowledged): Promise<void> {
    const { outcome, body } = await ask(replica, path);
    if (outcome !== 'answered' || replica === made.replica) return;
    for (const result of Object.values((body as Execution).step_results)) {
      if (terminal.includes(result.status)) saved.set(result.step_id, JSON.stringify(result));
    }
  }

  async function callOnce(): Promise<void> {
    const serving = fleet.serving();
    if (serving.length === 0) return;
    const replica = chance.pick(serving);
    const choice = chance.next();
    if (choice < 0.45) await run(replica, true);
    else if (choice < 0.55) await run(replica, false);
    else if (choice < 0.85 || recent.length === 0) await send(replica);
    else await read(replica, chance.pick(recent));
  }

  async function caller(): Promise<void> {
    while (!stopped) {
      await callOnce();
      await pause(40 + chance.next() * 100);
    }
  }

  const workflowIds = await createWorkflows(fleet, chance);
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  return {
    calls,
    executions,
    messages,
    workflowIds,
    lookBehind(killed) {
      const left = recent.filter(({ call: made }) => made.replica === killed).slice(-LOOKED_BEHIND);
      const [other] = fleet.serving();
      if (other === undefined || stopped) return;
      for (const acknowledged of left) {
        const look = read(other, acknowledged).finally(() => looking.delete(look));
        looking.add(look);
      }
    },
    async stop() {
      stopped = true;
      await callers;
      await Promise.all(looking);
    },
  };
}

async function createWorkflows(fleet: Fleet, chance: Random): Promise<readonly string[]> {
  const [replica] = fleet.serving();
  if (replica === undefined) throw new Error('no replica serves');
  const ids: string[] = [];
  while (ids.length < WORKFLOWS) {
    const { outcome, body } = await call(replica, '/workflows', { name: 'w', steps: randomSteps(chance) });
    if (outcome !== 'answered') throw new Error(`a workflow was refused: ${JSON.stringify(body)}`);
    ids.push((body as { id: string }).id);
  }
  return ids;
}
