import type { EventResponse } from '../../../../src/entries/client.ts';
import type { Life } from '../durable/cluster.ts';
import type { EffectLine, EffectLines } from '../durable/effect-log.ts';
import type { RunResponse, Work, WorkStep } from '../durable/load.ts';
import type { Findings } from '../durable/rig.ts';

/** The ends of processes: by SIGKILL and the like, by SIGTERM alone, or both. */
export type LossKind = 'crash' | 'hand-over' | 'both';

/** A run in the store, with all its events. */
export interface StoredRun {
  readonly record: RunResponse;
  readonly events: readonly EventResponse[];
}

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

/** A run with everything that is known of it. */
interface Evidence {
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
function verifyEffects(evidence: Evidence, step: WorkStep, findings: Findings): void {
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
function lossOf(lives: readonly Life[], pid: number, at: number): number | undefined {
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

/** A step as the events tell it. Times are in milliseconds since the epoch. */
interface FoldedStep {
  status: 'PENDING' | 'RUNNING' | 'LOST' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
  attempts: number;
  error: string | null;
  /** When its calls were announced: at its starts and before each further attempt. */
  readonly calls: number[];
  /** The number of calls whose process was lost. */
  lost: number;
  endedAt: number | undefined;
}

/** A continuation after the loss of a process. */
interface Recovered {
  readonly before: number;
  readonly after: number;
  readonly unknownSteps: readonly string[];
  readonly underWay: readonly string[];
  readonly at: number;
}

/** A run as its events tell it. */
interface Folded {
  status: string;
  attempt: number;
  recoveries: number;
  recoveriesWithoutProgress: number;
  error: string | null;
  endedAt: number;
  readonly steps: ReadonlyMap<string, FoldedStep>;
  readonly recovered: readonly Recovered[];
  /** Events that cannot follow from those before them. */
  readonly illegal: readonly string[];
}

/** Folds the events of a run with those steps. It shares no code with the service. */
function fold(stepIds: readonly string[], events: readonly EventResponse[]): Folded {
  const newStep = (): FoldedStep => ({
    status: 'PENDING',
    attempts: 0,
    error: null,
    calls: [],
    lost: 0,
    endedAt: undefined,
  });
  const steps = new Map(stepIds.map((id) => [id, newStep()]));
  const recovered: Recovered[] = [];
  const illegal: string[] = [];
  const counts = { attempt: 1, recoveries: 0, recoveriesWithoutProgress: 0 };
  const run = { status: '', ...counts, error: null as string | null, endedAt: 0 };
  const expect = (holds: boolean, { seq, type }: EventResponse): void => {
    if (!holds) illegal.push(`${seq} ${type}`);
  };
  const has = (step: FoldedStep, ...statuses: readonly FoldedStep['status'][]): boolean =>
    statuses.includes(step.status);

  for (const event of events) {
    const at = Date.parse(event.at);
    expect(event.seq === 1 ? event.type === 'execution.created' : run.status !== '', event);
    const isOpen = !['COMPLETED', 'FAILED', 'CANCELLED'].includes(run.status);
    expect(isOpen || event.type === 'execution.retried', event);
    const stepId = 'step_id' in event.data ? event.data.step_id : undefined;
    const step = steps.get(stepId ?? '') ?? newStep();
    if (stepId !== undefined) expect(steps.has(stepId), event);
    switch (event.type) {
      case 'execution.created':
        run.status = 'PENDING';
        break;
      case 'execution.started':
        expect(run.status === 'PENDING' && event.data.attempt === run.attempt, event);
        run.status = 'RUNNING';
        break;
      case 'layer.started':
      case 'execution.cancel_requested':
        break;
      case 'step.started':
        expect(has(step, 'PENDING', 'LOST') && event.data.attempt === step.attempts + 1, event);
        step.status = 'RUNNING';
        step.calls.push(at);
        break;
      case 'step.retrying':
        expect(has(step, 'RUNNING'), event);
        step.attempts = event.data.attempt;
        step.calls.push(at);
        break;
      case 'step.completed':
        expect(has(step, 'RUNNING') && event.data.attempts === step.attempts + 1, event);
        Object.assign(step, { status: 'COMPLETED', attempts: event.data.attempts, endedAt: at });
        run.recoveriesWithoutProgress = 0;
        break;
      case 'step.failed':
        if (has(step, 'RUNNING') && event.data.duration_ms === null) step.lost++;
        expect(has(step, 'RUNNING', 'LOST'), event);
        Object.assign(step, { status: 'FAILED', attempts: event.data.attempts, endedAt: at });
        step.error = event.data.error;
        break;
      case 'step.cancelled':
        if (has(step, 'RUNNING') && event.data.duration_ms === null) step.lost++;
        expect(has(step, 'RUNNING', 'LOST'), event);
        Object.assign(step, { status: 'CANCELLED', attempts: event.data.attempts, endedAt: at });
        break;
      case 'step.skipped':
        // A step may be skipped between its start and its call, though not one that a lost process had called.
        expect(has(step, 'PENDING') || (has(step, 'RUNNING') && step.lost === 0), event);
        step.status = 'SKIPPED';
        break;
      case 'execution.recovered': {
        const lost = [...steps].filter(([, { status }]) => status === 'RUNNING');
        for (const [, each] of lost) Object.assign(each, { status: 'LOST', attempts: each.attempts + 1 });
        for (const [, each] of lost) each.lost++;
        const { recoveries_without_progress: after, unknown_steps: unknownSteps } = event.data;
        const underWay = lost.map(([id]) => id);
        const before = run.recoveriesWithoutProgress;
        recovered.push({ before, after, unknownSteps, underWay, at });
        expect(event.data.recoveries - run.recoveries === after - before, event);
        run.recoveries = event.data.recoveries;
        run.recoveriesWithoutProgress = after;
        break;
      }
      case 'execution.retried':
        expect(!isOpen && event.data.attempt === run.attempt + 1, event);
        Object.assign(run, { status: 'PENDING', attempt: event.data.attempt, error: null });
        run.recoveriesWithoutProgress = 0;
        for (const id of event.data.steps) Object.assign(steps.get(id) ?? {}, { status: 'PENDING' });
        break;
      case 'execution.completed':
      case 'execution.failed':
      case 'execution.cancelled':
        expect(
          [...steps.values()].every((each) => !has(each, 'PENDING', 'RUNNING', 'LOST')),
          event,
        );
        run.status = event.type.slice('execution.'.length).toUpperCase();
        run.error = event.data.error;
        run.endedAt = at;
        break;
      default:
        illegal.push(`${event.seq} ${event.type}`);
    }
  }
  return { ...run, steps, recovered, illegal };
}
