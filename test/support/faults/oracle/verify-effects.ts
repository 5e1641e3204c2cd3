import type { EffectLine } from '../durable/effect-log.ts';
import type { Findings } from '../durable/findings.ts';
import type { RunResponse } from '../durable/load.ts';
import type { Life } from '../durable/process.ts';
import type { Work, WorkStep } from '../durable/workflows.ts';
import type { Folded, FoldedStep } from './fold.ts';

/** A run with everything that is known of it. */
export interface Evidence {
  readonly record: RunResponse;
  readonly folded: Folded;
  readonly work: Work;
  /** The lines of a step in the log of side effects, in order. */
  readonly lines: (stepId: string) => readonly EffectLine[];
  readonly lives: readonly Life[];
}

/** A call whose end is in the log of side effects this long before its process is lost must not be repeated. */
const RECORDED_WITHIN_MS = 1_000;

/** A suspended process may make a call that was announced before, for this long after it goes on. */
const THAWED_MS = 10_000;

/** Compares the calls of one step with its events. */
export function verifyEffects(evidence: Evidence, step: WorkStep, findings: Findings): void {
  const { record, folded, lines, lives } = evidence;
  const result = record.step_results[step.id];
  const told = folded.steps.get(step.id);
  if (result === undefined || told === undefined) {
    findings.violate('a step is missing in a record', record);
    return;
  }
  const all = lines(step.id);
  const example = { run: record.execution_id, step, result, told, all };
  const begins = all.filter(({ what }) => what === 'begin');
  const inTime = begins.filter((line) => !isLate(lives, line, told, folded));
  findings.add('calls of tools and agents', begins.length);
  findings.add(
    'calls by a process that was suspended, after the step had ended',
    begins.length - inTime.length,
  );
  if (step.effect === 'write' && begins.length > 1) findings.violate('a write step was begun twice', example);
  if (step.effect !== 'write' && begins.length > 1) findings.add('repeated read and idempotent steps');
  if (inTime.length > told.calls.length)
    findings.violate('a step began without its start in the log', example);
  for (const [index, { at }] of inTime.entries()) {
    const announced = told.calls[index];
    if (announced !== undefined && announced > at)
      findings.violate('a step began before its start was in the log', example);
    if (told.endedAt !== undefined && at > told.endedAt)
      findings.violate('a step ran again after its end', example);
    if (folded.endedAt > 0 && at > folded.endedAt)
      findings.violate('a step began after the end of its run', example);
  }
  if (result.status === 'SKIPPED' && begins.length > 0) findings.violate('a skipped step was run', example);
  if (result.attempts < inTime.length || result.attempts > inTime.length + told.lost)
    findings.violate('attempts are not the calls', example);
  if (new Set(all.map(({ key }) => key)).size > 1) findings.violate('the idempotency key changed', example);
  verifyEnds(evidence, step, findings);
  verifyOrder(evidence, step, inTime, findings);
}

/** A call that has ended was recorded soon, unless its process was lost, and its output is that of the step. */
function verifyEnds({ record, folded, lines, lives }: Evidence, step: WorkStep, findings: Findings): void {
  const result = record.step_results[step.id];
  const told = folded.steps.get(step.id);
  const all = lines(step.id);
  const example = { run: record.execution_id, step, result, told, all };
  const mark = result?.output?.mark;
  const ends = all.filter(({ what }) => what === 'end');
  if (result?.status === 'COMPLETED' && !ends.some((line) => line.mark === mark))
    findings.violate('a completed step has no call with its output', example);
  for (const { at, pid, mark: ended } of ends) {
    if (ended === mark) continue;
    const begin = all.find((line) => line.what === 'begin' && line.mark === ended);
    const lostAt = lossOf(lives, pid, begin?.at ?? at);
    if (folded.status === 'CANCELLED') continue;
    if (told !== undefined && begin !== undefined && isLate(lives, begin, told, folded)) continue;
    if (lostAt === undefined)
      findings.violate('a call that ended in a process that goes on is not recorded', example);
    else {
      findings.max('longest time from the end of a call that is not recorded to the loss, ms', lostAt - at);
      if (lostAt - at > RECORDED_WITHIN_MS)
        findings.violate('the end of a call was not recorded in time', { ...example, lostAt });
    }
  }
}

/** A call comes after the steps that it depends on, and gets their recorded output. */
function verifyOrder(
  { record, folded }: Evidence,
  step: WorkStep,
  begins: readonly EffectLine[],
  findings: Findings,
): void {
  for (const [index, before] of step.dependsOn.entries()) {
    const dependency = record.step_results[before];
    const completedAt = folded.steps.get(before)?.endedAt;
    for (const { at, seen } of begins) {
      const example = { run: record.execution_id, step, before, completedAt, at, seen };
      if (dependency?.status !== 'COMPLETED' || completedAt === undefined || completedAt > at)
        findings.violate('a step began before one that it depends on was completed', example);
      else if (index === 0 && seen !== dependency.output?.mark)
        findings.violate('a step was called with another output than the recorded one', example);
    }
  }
}

/** When the process of a call was lost or suspended after `at`; undefined where it was not. */
export function lossOf(lives: readonly Life[], pid: number, at: number): number | undefined {
  const life = lives.find((each) => each.pid === pid);
  const times = [life?.killedAt ?? life?.exitedAt, ...(life?.frozen ?? []).map(({ from }) => from)];
  const later = times.filter((time) => time !== undefined && time >= at - 1);
  return later.length === 0 ? undefined : Math.min(...later.map((time) => time ?? 0));
}

function wasThawed(lives: readonly Life[], { pid, at }: EffectLine): boolean {
  const life = lives.find((each) => each.pid === pid);
  return life?.frozen.some(({ to }) => to <= at && at <= to + THAWED_MS) ?? false;
}

/** True where a process that was suspended made a call which was announced before, after the step was taken over. */
function isLate(lives: readonly Life[], line: EffectLine, told: FoldedStep, folded: Folded): boolean {
  return wasThawed(lives, line) && line.at > lastCallEnd(told, folded);
}

/** When another process took the step over from its last lost call, or ended it. */
function lastCallEnd({ endedAt }: FoldedStep, { recovered }: Folded): number {
  return Math.min(endedAt ?? Number.POSITIVE_INFINITY, recovered[0]?.at ?? Number.POSITIVE_INFINITY);
}
