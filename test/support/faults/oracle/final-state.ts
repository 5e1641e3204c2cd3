import type { EventResponse } from '../../../../src/entries/client.ts';
import { call } from '../calls.ts';
import type { Cluster } from '../durable/cluster.ts';
import type { RunResponse } from '../durable/load.ts';
import { sleep } from '../fleet.ts';

/** A run in the store, with all its events. */
export interface StoredRun {
  readonly record: RunResponse;
  readonly events: readonly EventResponse[];
}

/** The stored records when everything is quiet. */
export interface FinalState {
  /** All runs, acknowledged or not, by their id. */
  readonly runs: ReadonlyMap<string, StoredRun>;
  /** The ids of those that had not ended in time. */
  readonly unended: readonly string[];
  /** Milliseconds until the last run had ended. */
  readonly afterMs: number;
}

/** Every run must end within this time once all processes live. */
const MAX_RECOVERY_MS = 60_000;
const CONCURRENCY = 12;
const PAGE = 200;

/** Waits until every run has ended, for at most a minute, and reads all of them. All processes must be ready. */
export async function readFinalState(cluster: Cluster): Promise<FinalState> {
  const since = Date.now();
  let unended = await listRuns(cluster, 'PENDING,RUNNING');
  while (unended.length > 0 && Date.now() - since < MAX_RECOVERY_MS) {
    await sleep(200);
    unended = await listRuns(cluster, 'PENDING,RUNNING');
  }
  const afterMs = Date.now() - since;
  // Writes of a process after the end of a run come within this time.
  await sleep(1_000);
  const ids = await listRuns(cluster);
  const runs = new Map<string, StoredRun>();
  const waiting = ids.values();
  async function work(): Promise<void> {
    for (const id of waiting) runs.set(id, await readRun(cluster, id));
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return { runs, unended, afterMs };
}

/** The ids of all runs with one of the statuses, or of all. */
async function listRuns(cluster: Cluster, statuses?: string): Promise<readonly string[]> {
  const ids: string[] = [];
  const filter = statuses === undefined ? '' : `&status=${statuses}`;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await read(cluster, `/runs?limit=${PAGE}${filter}${at}`)) as {
      readonly executions: readonly RunResponse[];
      readonly next_cursor: string | null;
    };
    ids.push(...page.executions.map(({ execution_id }) => execution_id));
    cursor = page.next_cursor;
  }
  return ids;
}

/** A run with all its events. */
export async function readRun(cluster: Cluster, id: string): Promise<StoredRun> {
  const record = (await read(cluster, `/runs/${id}`)) as RunResponse;
  const events: EventResponse[] = [];
  for (;;) {
    const path = `/workflows/${record.workflow_id}/runs/${id}/events`;
    const page = (await read(cluster, `${path}?limit=${PAGE}&after=${events.length}`)) as {
      readonly events: readonly EventResponse[];
      readonly last_seq: number;
    };
    events.push(...page.events);
    if (page.events.length === 0 || events.length >= page.last_seq) return { record, events };
  }
}

/** Reads from any process, with a few repeats while none answers. */
async function read(cluster: Cluster, path: string): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const serving = cluster.serving();
    const life = serving[attempt % serving.length];
    const reply = life === undefined ? undefined : await call(life, path);
    if (reply?.outcome === 'succeeded') return reply.body;
    if (attempt === 20) throw new Error(`GET ${path}: ${reply?.status} ${JSON.stringify(reply?.body)}`);
    await sleep(250);
  }
}
