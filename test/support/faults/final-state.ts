import type { EventResponse } from '../../../src/entries/client.ts';
import { type Call, call } from './calls.ts';
import { type Fleet, sleep } from './fleet.ts';
import type { Load, RunResponse } from './load.ts';
import type { StepLog } from './step-log.ts';

/** The records in the store and the executed steps after a fault run. */
export interface FinalState {
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
export async function readFinalState(load: Load, fleet: Fleet, steps: StepLog): Promise<FinalState> {
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
