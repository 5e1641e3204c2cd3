import { lastFireUntil, type NextFire } from './fire-times.ts';
import {
  type Fire,
  type FireSkipReason,
  MAX_QUEUED_FIRES,
  MAX_RUNNING_FIRES,
  type ScheduleSettings,
  START_LEASE_MS,
  type StoredSchedule,
} from './schedule.ts';
import type { ScheduleEvent } from './schedule-events.ts';

/** The maximum lateness of a fire time that still starts a run, in milliseconds. Later ones were missed. */
const FIRE_GRACE_MS = 60_000;

/**
 * The time for which a fire time from before the start of a process is left to others that were running then, in
 * milliseconds. After that it was missed.
 */
const LEFT_TO_OTHERS_MS = 5_000;

/** The next state of a schedule, with what happened to it and which runs are to be started. */
export interface ScheduleChange {
  readonly stored: StoredSchedule;
  readonly events: readonly ScheduleEvent[];
  /** The fires whose runs this process has to create now. */
  readonly starts: readonly Fire[];
}

/** The facts that decide about the fires of a schedule at a time. */
export interface Situation {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Since when this process looks after schedules, in milliseconds since the epoch. */
  readonly watchedSince: number;
  /** The runs of the schedule that have ended. */
  readonly ended: ReadonlySet<string>;
  /** The id of the run that is started, if one is. */
  readonly newRunId: string;
  readonly nextFire: NextFire;
}

/**
 * Does what is due: handles the fire times that have passed, starts what is queued once nothing goes on, and takes over
 * the starts that another process has not ended in time. Undefined where nothing changes.
 */
export function advance(before: StoredSchedule, situation: Situation): ScheduleChange | undefined {
  const { now, ended } = situation;
  const change = edit(before, now);
  change.fires = before.fires.filter(({ status, runId }) => status !== 'started' || !ended.has(runId));
  takeOver(change, now);
  handleTimes(change, situation);
  startQueued(change, now);
  const isSame = change.fires.length === before.fires.length && change.starts.length === 0;
  return isSame && change.nextFireAt === before.nextFireAt ? undefined : done(change);
}

/** A run that a client asks for: it starts whatever goes on. Undefined where too many are being started. */
export function addTriggered(before: StoredSchedule, runId: string, now: number): ScheduleChange | undefined {
  const change = edit(before, now);
  if (change.fires.filter(({ status }) => status === 'starting').length >= MAX_RUNNING_FIRES)
    return undefined;
  start(change, { runId, dueAt: null, status: 'starting', since: now });
  return done(change);
}

/** The run of a fire was created. Undefined where that is known. */
export function markStarted(before: StoredSchedule, runId: string, now: number): ScheduleChange | undefined {
  const fire = before.fires.find((other) => other.runId === runId && other.status === 'starting');
  if (fire === undefined) return undefined;
  const change = edit(before, now);
  change.fires = before.fires.map((other) =>
    other === fire ? { ...fire, status: 'started', since: now } : other,
  );
  change.lastFiredAt = now;
  tell(change, (about) => ({ ...about, type: 'schedule.fired', dueAt: fire.dueAt, runId }));
  return done(change);
}

/** A fire starts no run after all; it is told where there is a reason. Undefined where it is gone. */
export function dropFire(
  before: StoredSchedule,
  { runId, reason, now }: { runId: string; reason: FireSkipReason | undefined; now: number },
): ScheduleChange | undefined {
  const fire = before.fires.find((other) => other.runId === runId && other.status !== 'started');
  if (fire === undefined) return undefined;
  const change = edit(before, now);
  change.fires = before.fires.filter((other) => other !== fire);
  if (reason !== undefined) skip(change, fire.dueAt, reason);
  return done(change);
}

/**
 * Replaces what a client says about a schedule; `nextFireAt` is the next fire time by it. A schedule that is disabled
 * drops the fires that wait.
 */
export function replaceSettings(
  before: StoredSchedule,
  settings: ScheduleSettings,
  { at, now, nextFireAt }: { readonly at: string; readonly now: number; readonly nextFireAt: number | null },
): ScheduleChange {
  const change = edit(before, now);
  change.nextFireAt = nextFireAt;
  if (!settings.enabled) {
    change.fires = before.fires.filter(({ status }) => status !== 'queued');
    for (const { status, dueAt } of before.fires) if (status === 'queued') skip(change, dueAt, 'disabled');
  }
  const replaced = done(change);
  const { scheduleId, createdAt, version } = before.schedule;
  const schedule = { scheduleId, createdAt, updatedAt: at, version: version + 1, ...settings };
  return { ...replaced, stored: { ...replaced.stored, schedule } };
}

/** By how much the clocks of two processes may differ, in milliseconds. */
const MAX_SKEW_MS = 3_600_000;

/**
 * The time after which the next fire time of a schedule comes: now, or the last one that a process with a clock ahead
 * has handled. A time further ahead was that of a clock that was wrong.
 */
export function unhandledAfter({ handledUntil }: StoredSchedule, now: number): number {
  return handledUntil !== null && handledUntil <= now + MAX_SKEW_MS ? Math.max(now, handledUntil) : now;
}

/** A change that is being made. */
interface Edit {
  readonly before: StoredSchedule;
  readonly now: number;
  nextFireAt: number | null;
  handledUntil: number | null;
  lastFiredAt: number | null;
  fires: readonly Fire[];
  readonly events: ScheduleEvent[];
  readonly starts: Fire[];
}

function edit(before: StoredSchedule, now: number): Edit {
  const { nextFireAt, handledUntil, lastFiredAt, fires } = before;
  return { before, now, nextFireAt, handledUntil, lastFiredAt, fires, events: [], starts: [] };
}

function done({ before, events, starts, ...edited }: Edit): ScheduleChange {
  const { nextFireAt, handledUntil, lastFiredAt, fires } = edited;
  const lastSeq = before.lastSeq + events.length;
  const revision = before.revision + 1;
  return {
    stored: { ...before, revision, nextFireAt, handledUntil, lastFiredAt, fires, lastSeq },
    events,
    starts,
  };
}

function takeOver(change: Edit, now: number): void {
  change.fires = change.fires.map((fire) => {
    if (fire.status !== 'starting' || fire.since + START_LEASE_MS > now) return fire;
    const taken: Fire = { ...fire, since: now };
    change.starts.push(taken);
    return taken;
  });
}

/** Of all fire times that have passed, the last one may start a run: the others were missed. */
function handleTimes(change: Edit, { now, watchedSince, newRunId, nextFire }: Situation): void {
  const { nextFireAt: first, before } = change;
  if (first === null || first > now) return;
  const { overlap, catchUp } = before.schedule;
  const dueAt = lastFireUntil(nextFire, first, now);
  const maxLateMs = dueAt < watchedSince ? LEFT_TO_OTHERS_MS : FIRE_GRACE_MS;
  const isLate = catchUp === 'none' && now - dueAt >= maxLateMs;
  if (catchUp === 'none' && dueAt < watchedSince && !isLate) return;
  change.handledUntil = dueAt;
  change.nextFireAt = nextFire(dueAt);
  if (isLate || first < dueAt) skip(change, first, 'missed');
  if (isLate) return;
  const fire: Fire = { runId: newRunId, dueAt, status: 'starting', since: now };
  const isBusy = change.fires.length > 0;
  const queued = change.fires.filter(({ status }) => status === 'queued').length;
  if (overlap === 'allow' || !isBusy) start(change, fire);
  else if (overlap === 'skip') skip(change, dueAt, 'overlap');
  else if (queued >= MAX_QUEUED_FIRES) skip(change, dueAt, 'queue_full');
  else change.fires = [...change.fires, { ...fire, status: 'queued' }];
}

function startQueued(change: Edit, now: number): void {
  const queued = change.fires.find(({ status }) => status === 'queued');
  const goesOn = change.fires.some(({ status }) => status !== 'queued');
  if (queued === undefined || goesOn) return;
  change.fires = change.fires.filter((fire) => fire !== queued);
  start(change, { ...queued, status: 'starting', since: now });
}

/** Adds a fire that is being started, and forgets the oldest run where too many are remembered. */
function start(change: Edit, fire: Fire): void {
  change.starts.push(fire);
  const going = change.fires.filter(({ status }) => status !== 'queued');
  const oldest = going.find(({ status }) => status === 'started');
  const kept =
    going.length < MAX_RUNNING_FIRES ? change.fires : change.fires.filter((other) => other !== oldest);
  change.fires = [...kept, fire];
}

function skip(change: Edit, dueAt: number | null, reason: FireSkipReason): void {
  tell(change, (about) => ({ ...about, type: 'schedule.skipped', dueAt, reason }));
}

function tell(
  change: Edit,
  make: (about: Pick<ScheduleEvent, 'scheduleId' | 'workflowId' | 'seq' | 'at'>) => ScheduleEvent,
): void {
  const { before, now, events } = change;
  const { scheduleId, workflowId } = before.schedule;
  events.push(make({ scheduleId, workflowId, seq: before.lastSeq + events.length + 1, at: now }));
}
