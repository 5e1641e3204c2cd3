import type { Cluster } from '../durable/cluster.ts';
import type { EffectLines } from '../durable/effect-log.ts';
import type { Findings } from '../durable/findings.ts';
import type { AcknowledgedRun } from '../durable/load.ts';
import type { Work } from '../durable/workflows.ts';
import { type FinalState, readFinalState } from './final-state.ts';
import { type LossKind, verifyRun } from './verify-run.ts';

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
