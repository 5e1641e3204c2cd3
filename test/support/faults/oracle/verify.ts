import type { EventResponse } from '../../../../src/entries/client.ts';
import { call } from '../calls.ts';
import type { Cluster } from '../durable/cluster.ts';
import type { EffectLines } from '../durable/effect-log.ts';
import type { AcknowledgedRun, RunResponse, Work } from '../durable/load.ts';
import type { Findings } from '../durable/rig.ts';
import { sleep } from '../fleet.ts';
import { type LossKind, type StoredRun, verifyRun } from './verify-run.ts';

/** The expected records, which {@link verifyAll} compares with the store. */
export interface Expected {
  readonly acknowledged: readonly AcknowledgedRun[];
  /** By token. */
  readonly works: ReadonlyMap<string, Work>;
  readonly readLines: () => Promise<EffectLines>;
  readonly losses: LossKind;
  readonly maxRecoveries?: number;
}

/**
 * Waits until every process is ready and every run has ended, and compares what was promised, what is stored, and what
 * the steps did.
 */
export async function verifyAll(
  cluster: Cluster,
  expected: Expected,
  findings: Findings,
): Promise<FinalState> {
  const { acknowledged, works, losses, maxRecoveries = 3 } = expected;
  await cluster.untilReady();
  const state = await readFinalState(cluster);
  const lines = await expected.readLines();
  findings.add('acknowledged runs', acknowledged.length);
  findings.add('runs without an answer', state.runs.size - acknowledged.length);
  findings.max('ms from the last loss to the last end', state.afterMs);
  for (const id of state.unended) findings.violate('a run did not end within a minute', state.runs.get(id));
  for (const run of acknowledged) verifyAcknowledged(run, state, findings);
  const tokens = new Set<string>();
  for (const stored of state.runs.values()) {
    const { token = '' } = stored.record.input;
    const work = works.get(token);
    if (work === undefined || tokens.has(token)) findings.violate('a run that nobody has started', stored);
    tokens.add(token);
    if (work !== undefined)
      verifyRun(stored, work, { lines, lives: cluster.lives, losses, maxRecoveries }, findings);
  }
  verifyKeys(lines, tokens, findings);
  for (const crash of cluster.crashes) findings.violate('a process ended by itself', crash);
  return state;
}

/** A run that was answered is there, with what was answered and read. */
function verifyAcknowledged(
  { id, ended, saved }: AcknowledgedRun,
  { runs }: FinalState,
  findings: Findings,
): void {
  const record = runs.get(id)?.record;
  if (record === undefined) {
    findings.violate('an acknowledged run is missing', id);
    return;
  }
  if (ended !== undefined && ended !== JSON.stringify(record))
    findings.violate('the record that was answered changed', { ended, record });
  for (const [stepId, before] of saved) {
    findings.add('results read while a run went on');
    const after = JSON.stringify(record.step_results[stepId]);
    if (after !== before) findings.violate('a result that was read changed', { id, before, after });
  }
}

/**
 * Steps of different runs, and different steps, have different idempotency keys; steps act only in runs that are
 * stored.
 */
function verifyKeys(lines: EffectLines, tokens: ReadonlySet<string>, findings: Findings): void {
  const owners = new Map<string, string>();
  for (const [owner, [line]] of lines) {
    if (line === undefined) continue;
    if (!tokens.has(line.token)) findings.violate('a step of a run that is not stored was run', line);
    if (line.key === '-') continue;
    const other = owners.get(line.key);
    if (other !== undefined) findings.violate('two steps have one idempotency key', { owner, other });
    owners.set(line.key, owner);
  }
}

/** The stored records when everything is quiet. */
interface FinalState {
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
async function readFinalState(cluster: Cluster): Promise<FinalState> {
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
