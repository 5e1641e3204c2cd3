import type { EffectLines } from '../durable/effect-log.ts';
import type { Findings } from '../durable/findings.ts';
import type { Life } from '../durable/process.ts';
import type { Work, WorkStep } from '../durable/workflows.ts';
import type { StoredRun } from './final-state.ts';
import { fold } from './fold.ts';
import { type Evidence, lossOf, verifyEffects } from './verify-effects.ts';

/** The ends of processes: by SIGKILL and the like, by SIGTERM alone, or both. */
export type LossKind = 'crash' | 'hand-over' | 'both';

/** The facts about all runs. */
export interface Known {
  readonly lines: EffectLines;
  readonly lives: readonly Life[];
  readonly losses: LossKind;
  /** RUN_MAX_RECOVERIES. */
  readonly maxRecoveries: number;
}

const ends = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Milliseconds between the clock readings of two processes for what happens at the same time. */
const SLACK_MS = 5;

/** Compares the record of a run, its events, and what its steps did. */
export function verifyRun({ record, events }: StoredRun, work: Work, known: Known, findings: Findings): void {
  const folded = fold(
    work.steps.map(({ id }) => id),
    events,
  );
  const token = record.input.token ?? '';
  const lines: Evidence['lines'] = (stepId) => known.lines.get(`${token}:${stepId}`) ?? [];
  const evidence = { record, folded, work, lines, lives: known.lives };
  const example = {
    record: { ...record, step_results: undefined },
    illegal: folded.illegal,
    recovered: folded.recovered,
  };
  findings.add('events', events.length);
  if (events.some(({ seq }, index) => seq !== index + 1)) findings.violate('the events have a gap', example);
  if (folded.illegal.length > 0) findings.violate('the events cannot follow each other', example);
  const endEvents = events.filter(({ type }) => /^execution\.(completed|failed|cancelled)$/.test(type));
  if (endEvents.length !== folded.attempt || events.at(-1) !== endEvents.at(-1))
    findings.violate('not one end per attempt, as the last event', example);
  if (!ends.includes(record.status)) findings.violate('a run never ended', example);
  if (
    record.status !== folded.status ||
    record.error !== folded.error ||
    record.attempt !== folded.attempt ||
    record.recoveries !== folded.recoveries ||
    record.recoveries_without_progress !== folded.recoveriesWithoutProgress
  )
    findings.violate('the record is not the sum of the events', { ...example, folded });
  const isAsked = events.some(({ type }) => type === 'execution.cancel_requested');
  if (record.status === 'CANCELLED' && !isAsked)
    findings.violate('a run was cancelled that nobody asked to', example);
  verifySteps(evidence, findings);
  verifyRecoveries(evidence, known, findings);
  verifyEnd(evidence, known, findings);
  for (const step of work.steps) verifyEffects(evidence, step, findings);
}

function verifySteps({ record, folded, work }: Evidence, findings: Findings): void {
  if (Object.keys(record.step_results).length !== work.steps.length)
    findings.violate('a record has other steps', record);
  for (const { id } of work.steps) {
    const result = record.step_results[id];
    const told = folded.steps.get(id);
    const example = { run: record.execution_id, result, told };
    if (result?.status !== told?.status || result?.attempts !== told?.attempts)
      findings.violate('a step of the record is not the sum of its events', example);
    if (told?.status === 'FAILED' && result?.error !== told.error)
      findings.violate('a step of the record is not the sum of its events', example);
    if (record.status === 'COMPLETED' && result?.status !== 'COMPLETED')
      findings.violate('a completed run has a step that is not', example);
    findings.add('steps');
  }
}

/** Crashes count where a step was under way, hand-overs never; the unknown steps are the write steps under way. */
function verifyRecoveries({ record, folded, work }: Evidence, known: Known, findings: Findings): void {
  const isWrite = (id: string): boolean => work.steps.find((step) => step.id === id)?.effect === 'write';
  if (folded.recovered.length > 0) findings.add('recovered runs');
  findings.add('recoveries', folded.recovered.length);
  for (const recovered of folded.recovered) {
    const { before, after, underWay, unknownSteps } = recovered;
    const example = { run: record.execution_id, recovered, error: record.error };
    const isCrash = known.losses === 'crash' && underWay.length > 0;
    const isParked = before === known.maxRecoveries && after === before && isParkedRun(folded.error);
    if (isCrash && after !== before + 1 && !isParked) findings.violate('a crash was not counted', example);
    if (known.losses === 'hand-over' && after !== before)
      findings.violate('a hand-over was counted as a crash', example);
    if (underWay.length === 0 && after !== before)
      findings.violate('a crash without a step under way was counted', example);
    if (after !== before && after !== before + 1) findings.violate('a crash was counted twice', example);
    if (after > known.maxRecoveries) findings.violate('a run was continued too often', example);
    const unknown = underWay.filter(isWrite);
    if ([...unknown].sort().join() !== [...unknownSteps].sort().join())
      findings.violate('the unknown steps are not the write steps under way', example);
  }
}

const isParkedRun = (error: string | null): boolean => /^parked after \d+ recoveries$/.test(error ?? '');

/** A run fails only because a write step was under way when its process was lost, or because it was parked. */
function verifyEnd(evidence: Evidence, known: Known, findings: Findings): void {
  const { record, folded, work } = evidence;
  const example = { record, recovered: folded.recovered };
  findings.add(`runs that ended ${record.status}`);
  if (record.status !== 'FAILED') return;
  const isParked = isParkedRun(record.error);
  if (isParked) {
    findings.add('parked runs');
    const { before, underWay } = folded.recovered.at(-1) ?? { before: -1, underWay: [] };
    if (before !== known.maxRecoveries || underWay.length === 0)
      findings.violate('a run was parked too early', example);
    return;
  }
  const failed = work.steps.filter(({ id }) => record.step_results[id]?.status === 'FAILED');
  if (failed.length === 0) findings.violate('a run failed without a failed step', example);
  for (const step of failed) verifyFailure(evidence, step, findings);
}

function verifyFailure({ record, folded, lines, lives }: Evidence, step: WorkStep, findings: Findings): void {
  const told = folded.steps.get(step.id);
  const all = lines(step.id);
  const example = { run: record.execution_id, step, told, all };
  findings.add('write steps of unknown outcome');
  if (
    step.effect !== 'write' ||
    !folded.recovered.some(({ unknownSteps }) => unknownSteps.includes(step.id))
  ) {
    findings.violate('a step failed that is no write step of unknown outcome', example);
    return;
  }
  const begun = all.find(({ what }) => what === 'begin');
  const [from = 0, to = 0] = [told?.calls[0], told?.endedAt];
  const wasLost =
    begun !== undefined
      ? lossOf(lives, begun.pid, begun.at) !== undefined
      : lives.some(({ killedAt, exitedAt, frozen }) =>
          [killedAt, exitedAt, ...frozen.map((span) => span.from)].some(
            (time) => time !== undefined && from - SLACK_MS <= time && time <= to,
          ),
        );
  if (!wasLost) findings.violate('a step has an unknown outcome although its process goes on', example);
}
