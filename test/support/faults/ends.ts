import { type Call, call } from './calls.ts';
import { type Fleet, pause } from './fleet.ts';
import type { Execution, Load } from './load.ts';
import type { FaultScene } from './scene.ts';

/** What the store and the tools say when all is over. */
export interface Ends {
  readonly executions: ReadonlyMap<string, Execution>;
  /** Which of the answered messages have a trace. */
  readonly traces: ReadonlySet<string>;
  /** Executions that are listed as under way, those that no caller was told of among them. */
  readonly unended: readonly unknown[];
  readonly executed: ReadonlyMap<string, number>;
  /** Milliseconds from the end of the load until the last execution had ended. */
  readonly afterMs: number;
}

/** A run whose process is gone is to be ended within a minute. */
const WITHIN_MS = 60_000;
const TOGETHER = 16;
const PAGE = 200;

/** Waits until every execution has ended, or a minute has passed, and gathers how everything ended. */
export async function gatherEnds(load: Load, fleet: Fleet, scene: FaultScene): Promise<Ends> {
  const since = performance.now();
  let unended = await listUnended(load, fleet);
  while (unended.length > 0 && performance.now() - since < WITHIN_MS) {
    await pause(500);
    unended = await listUnended(load, fleet);
  }
  const afterMs = performance.now() - since;
  const executions = new Map<string, Execution>();
  await forEach([...load.executions], async ([id, { path }]) => {
    const { status, body } = await askAny(fleet, path);
    if (status === 200) executions.set(id, body as Execution);
  });
  const traces = new Set<string>();
  await forEach([...load.messages.keys()], async (id) => {
    if ((await askAny(fleet, `/trace/${id}`)).status === 200) traces.add(id);
  });
  return { executions, traces, unended, executed: await scene.executed(), afterMs };
}

async function listUnended(load: Load, fleet: Fleet): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  await forEach(load.workflowIds, async (id) => {
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const { body } = await askAny(fleet, `/workflows/${id}/runs?limit=${PAGE}&offset=${offset}`);
      const page = body as { total: number; executions: readonly Execution[] };
      total = page.total;
      for (const execution of page.executions) {
        if (execution.status !== 'COMPLETED' && execution.status !== 'FAILED') found.push(execution);
      }
    }
  });
  return found;
}

/** Asks replicas in turn; what the store cannot answer right now is asked for once more. */
async function askAny(fleet: Fleet, path: string): Promise<Call> {
  for (let attempt = 1; ; attempt++) {
    const serving = fleet.serving();
    const replica = serving[asked++ % serving.length];
    if (replica === undefined) throw new Error('no replica serves');
    const made = await call(replica, path);
    if (made.outcome === 'answered' || made.status === 404) return made;
    if (attempt === 5) throw new Error(`${made.what}: ${made.status} ${JSON.stringify(made.body)}`);
    await pause(200);
  }
}

let asked = 0;

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  async function worker(): Promise<void> {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  }
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}
