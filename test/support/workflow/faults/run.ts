import { createRandom } from '../../../../src/adapters/evaluation/random.ts';
import type { UnknownOutcomePolicy } from '../../../../src/domain/run/recover.ts';
import { call } from '../../faults/calls.ts';
import type { Cluster, StoreKind } from '../../faults/durable/cluster.ts';
import type { EffectLine, EffectLines } from '../../faults/durable/effect-log.ts';
import { type Findings, withRig } from '../../faults/durable/rig.ts';
import { killOne, killReplicas } from '../../faults/durable/run.ts';
import { sleep } from '../../faults/fleet.ts';
import { CHILDREN, ITEMS, type LanguageLoad, startLanguageLoad } from './load.ts';

/** Options of {@link runLanguageFaults}. */
export interface LanguageFaultOptions {
  readonly store: StoreKind;
  readonly seed: number;
  readonly kills: number;
  readonly unknownOutcome: UnknownOutcomePolicy;
}

/**
 * Kills processes at random times while they run workflows with steps of each kind, and compares what is stored, what
 * the tools did, and what people were asked and have answered.
 */
export async function runLanguageFaults({
  store,
  seed,
  kills,
  unknownOutcome,
}: LanguageFaultOptions): Promise<Findings> {
  const settings = {
    RUN_UNKNOWN_OUTCOME: unknownOutcome,
    RUN_MAX_RECOVERIES: '100',
    MAX_BACKGROUND_RUNS: '6',
  };
  const rig = {
    store,
    seed,
    settings,
    isQuick: store === 'redis',
    slots: store === 'sqlite' ? 1 : 3,
    restartDelay: () => (store === 'sqlite' ? 0 : Math.random() * 1_000),
  };
  return withRig(rig, async ({ cluster, log, findings, random }) => {
    const load = await startLanguageLoad(cluster, findings, { random: createRandom(seed + 1), callers: 5 });
    const plan = {
      kills,
      random,
      freezes: 0,
      onKill: () => undefined,
      quietMs: [2_000, 4_000] as const,
      freezeMs: [0, 0] as const,
      acknowledged: () => load.acknowledged.length,
    };
    await (store === 'sqlite' ? killOne : killReplicas)(cluster, findings, plan);
    await load.stopRuns();
    await verifyLanguage({
      cluster,
      load,
      findings,
      unknownOutcome,
      readLines: log.read,
    });
    findings.atLeast('kills', kills);
    findings.atLeast('acknowledged runs', Math.min(kills, 10));
    findings.atLeast('answers that were accepted', 10);
  });
}

/** The subject and the tools of a verification. */
interface Verification {
  readonly cluster: Cluster;
  readonly load: LanguageLoad;
  readonly findings: Findings;
  readonly readLines: () => Promise<EffectLines>;
  /** The policy for steps of unknown outcome. */
  readonly unknownOutcome: UnknownOutcomePolicy;
}

interface StepBody {
  readonly status: string;
  readonly error: string | null;
  readonly attempts: number;
  readonly output: Readonly<Record<string, unknown>> | null;
}

interface RunBody {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly parent_execution_id: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly recoveries: number;
  readonly input: { readonly token: string };
  readonly output: { readonly by?: string } | null;
  readonly waiting_for: readonly unknown[];
  readonly step_results: Readonly<Record<string, StepBody>>;
}

interface EventBody {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface ItemBody {
  readonly item_id: string;
  readonly kind: string;
  readonly status: string;
  readonly subject: { readonly id: string; readonly step_id: string };
  readonly resolution: { readonly by: string; readonly outcome: string } | null;
}

/** Every run must have ended this long after the last process was killed, in milliseconds. */
const ENDED_WITHIN_MS = 60_000;

/** The time before a kill until which the acts of the process are certainly in the log, in milliseconds. */
const SAVED_WITHIN_MS = 2_000;

/** Waits for the ends of all runs, and compares what is stored with what has happened. */
async function verifyLanguage(given: Verification): Promise<void> {
  const { cluster, load, findings, readLines } = given;
  await cluster.untilReady();
  const since = Date.now();
  let runs = await allRuns(cluster);
  while (runs.some(({ status }) => !isEnd(status)) && Date.now() < since + ENDED_WITHIN_MS) {
    await sleep(500);
    runs = await allRuns(cluster);
  }
  findings.max('longest wait for the last end, ms', Date.now() - since);
  await load.stop();
  for (const run of runs.filter(({ status }) => !isEnd(status))) {
    findings.violate('a run has not ended', await get(cluster, `/runs/${run.execution_id}`));
  }
  const lines = await readLines();
  const items = await allItems(cluster);
  const byId = new Map(runs.map((run) => [run.execution_id, run]));
  for (const { id, token } of load.acknowledged) {
    const run = byId.get(id);
    if (run === undefined) findings.violate('an acknowledged run is gone', { id });
    else if (isEnd(run.status)) await verifyRun(given, run, { runs, lines, token });
  }
  verifyItems(given, items, byId);
  for (const [key, all] of lines) verifyLines(given, key, all);
  findings.add('acknowledged runs', load.acknowledged.length);
  findings.add('answers that were accepted', load.accepted.length);
}

async function get<T>(cluster: Cluster, path: string): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const [life] = cluster.serving();
    const reply = life && (await call(life, path));
    if (reply?.outcome === 'succeeded') return reply.body as T;
    if (attempt > 200) throw new Error(`${path}: ${JSON.stringify(reply?.body)}`);
    await sleep(100);
  }
}

async function pages<T>(cluster: Cluster, path: string, member: string): Promise<readonly T[]> {
  const found: T[] = [];
  for (let cursor = ''; ; ) {
    const body = await get<Record<string, unknown>>(cluster, `${path}limit=200${cursor}`);
    found.push(...(body[member] as T[]));
    if (body['next_cursor'] == null) return found;
    cursor = `&cursor=${encodeURIComponent(String(body['next_cursor']))}`;
  }
}

const allRuns = (cluster: Cluster) => pages<RunBody>(cluster, '/runs?', 'executions');

const allItems = (cluster: Cluster) =>
  pages<ItemBody>(cluster, '/inbox?status=open,claimed,resolved,withdrawn,expired&', 'items');

const isEnd = (status: string): boolean => ['COMPLETED', 'FAILED', 'CANCELLED'].includes(status);

/** A run, its children and its events. */
async function verifyRun(
  { cluster, findings, unknownOutcome }: Verification,
  { execution_id: id, workflow_id, ...summary }: RunBody,
  {
    runs,
    lines,
    token,
  }: { readonly runs: readonly RunBody[]; readonly lines: EffectLines; readonly token: string },
): Promise<void> {
  const run = await get<RunBody>(cluster, `/runs/${id}`);
  findings.add(`runs that ended ${run.status}`);
  findings.add('recoveries', run.recoveries);
  if (run.status !== 'COMPLETED') findings.violate('a run did not complete', run);
  if (summary.status !== run.status || run.waiting_for.length > 0)
    findings.violate('listing and record differ', run);
  const children = runs.filter(({ parent_execution_id }) => parent_execution_id === id);
  if (children.length !== 1 + CHILDREN) findings.violate('a child is missing or was started twice', children);
  for (const child of children) {
    if (child.status !== 'COMPLETED') findings.violate('a child did not complete', child);
  }
  const { reads, writes, subs } = run.step_results;
  const asks = unknownOutcome === 'ask';
  for (const step of [reads, writes, subs]) {
    // Somebody has said what became of it.
    if (step === writes && asks && step?.output?.['results'] === undefined) continue;
    const results = step?.output?.['results'] as readonly unknown[] | undefined;
    const errors = Object.keys((step?.output?.['errors'] as object | undefined) ?? {}).length;
    const missing = results?.filter((result) => result === null).length;
    if (results?.length !== (step === subs ? CHILDREN : ITEMS) || missing !== errors)
      findings.violate('items are missing', step);
    if (step === writes) findings.add('items of unknown outcome', errors);
  }
  const events = await eventsOf(cluster, workflow_id, id);
  if (events.some(({ seq }, index) => seq !== index + 1)) findings.violate('the log has gaps', { id });
  for (const { type, at, data } of events) {
    if (type !== 'step.completed') continue;
    const step = String(data['step_id']);
    const isItem = (key: string): boolean =>
      key === `${token}:${step}` || key.startsWith(`${token}:${step}-`);
    for (const [key, all] of lines) {
      if (isItem(key) && all.some((line) => line.what === 'begin' && line.at > Date.parse(at) + 1))
        findings.violate('a completed step ran again', { id, step, at, all });
    }
  }
}

async function eventsOf(cluster: Cluster, workflowId: string, id: string): Promise<readonly EventBody[]> {
  const events: EventBody[] = [];
  for (;;) {
    const path = `/workflows/${workflowId}/runs/${id}/events?limit=200&after=${events.length}`;
    const page = await get<{ events: readonly EventBody[]; ended: boolean }>(cluster, path);
    events.push(...page.events);
    if (page.ended || page.events.length === 0) return events;
  }
}

/** The lines of a step, or of an item of one. */
function verifyLines(
  { cluster, findings, unknownOutcome }: Verification,
  key: string,
  all: readonly EffectLine[],
) {
  const begins = all.filter(({ what }) => what === 'begin');
  findings.add('calls of tools', begins.length);
  if (begins.length > 1) findings.add('of these, repeated', begins.length - 1);
  if (new Set(begins.map((line) => line.key)).size > 1)
    findings.violate('the key of a call has changed', all);
  if (begins.length > 1 && begins[0]?.effect === 'write' && unknownOutcome !== 'retry')
    findings.violate('a write ran twice', { key, all });
  for (const end of all.filter(({ what }) => what === 'end')) {
    const life = cluster.lives.find(({ pid }) => pid === end.pid);
    const isSaved = (life?.killedAt ?? Number.POSITIVE_INFINITY) > end.at + SAVED_WITHIN_MS;
    if (isSaved && begins.some(({ at }) => at > end.at))
      findings.violate('an ended call was made again', { key, all });
  }
}

/** The items that people were asked, and their answers. */
function verifyItems(
  { load, findings }: Verification,
  items: readonly ItemBody[],
  runs: ReadonlyMap<string, RunBody>,
) {
  const asked = new Map<string, number>();
  for (const item of items) {
    const { id, step_id: step } = item.subject;
    if (['open', 'claimed'].includes(item.status)) findings.violate('an item is left open', item);
    if (item.kind !== 'approval') continue;
    asked.set(`${id}:${step}`, (asked.get(`${id}:${step}`) ?? 0) + 1);
    if (!runs.has(id)) findings.violate('an item has no run', item);
  }
  for (const [key, count] of asked)
    if (count > 1) findings.violate('an approval was asked twice', { key, count });
  const answered = new Set<string>();
  for (const { itemId, by, outcome } of load.accepted) {
    if (answered.has(itemId)) findings.violate('two answers were accepted', { itemId });
    answered.add(itemId);
    const item = items.find(({ item_id }) => item_id === itemId);
    if (item?.resolution?.by !== by || item.resolution.outcome !== outcome)
      findings.violate('an accepted answer does not count', { by, outcome, item });
    const run = item && runs.get(item.subject.id);
    if (item?.subject.step_id === 'ask' && run?.output?.by !== by)
      findings.violate('the output does not agree with the answer', { by, run });
  }
}
