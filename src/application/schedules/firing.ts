import { isOrchestrationError, notFound, OrchestrationError, unavailable } from '../../domain/errors.ts';
import type { ScheduleOrigin } from '../../domain/run/events.ts';
import { hasEnded, type Run } from '../../domain/run/run.ts';
import {
  addTriggered,
  advance,
  dropFire,
  markStarted,
  type ScheduleChange,
} from '../../domain/schedule/fires.ts';
import {
  type Fire,
  type FireSkipReason,
  type Schedule,
  START_LEASE_MS,
  type StoredSchedule,
  wakeAtOf,
} from '../../domain/schedule/schedule.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

/** The run of a fire. */
export interface FireRunRequest {
  readonly workflowId: string;
  readonly input: JsonObject;
  readonly runId: string;
  readonly schedule: ScheduleOrigin;
}

/**
 * Starts a run of the newest version of a workflow in the background. Rejects with `not_found` for an unknown workflow,
 * with `validation` for an input that it does not accept, and with `unavailable` where too many runs wait and when the
 * store cannot be reached. A run that is stored already is not stored again.
 */
export type StartFireRun = (request: FireRunRequest) => Promise<Run>;

/** Starts the runs of schedules: each fire starts at most one, over all processes. */
export interface Firing {
  /**
   * Does what is due for a schedule, and resolves to its state then; undefined for an unknown one. Errors of the runs
   * are events. Rejects with `unavailable` when the store cannot be reached.
   */
  settle(scheduleId: string): Promise<StoredSchedule | undefined>;
  /** Starts a run at once. Rejects with `not_found` for an unknown schedule, and as {@link StartFireRun}. */
  trigger(scheduleId: string): Promise<Run>;
}

/** Of the time that a process has to create a run, the part after which it does not begin to: another one may do so. */
const LATEST_START_MS = START_LEASE_MS / 2;

/** Creates {@link Firing}. */
export function createFiring(
  { clock, newId, logger, runs, calendar }: Pick<Ports, 'clock' | 'newId' | 'logger' | 'runs' | 'calendar'>,
  {
    writer,
    startRun,
    watchedSince,
    isClosing,
  }: {
    readonly writer: ScheduleWriter;
    readonly startRun: StartFireRun;
    /** Since when this process settles schedules, in milliseconds since the epoch. */
    readonly watchedSince: () => number;
    /** True while this process shuts down: fires that it does not start then are left to another one. */
    readonly isClosing: () => boolean;
  },
): Firing {
  async function change(
    scheduleId: string,
    make: (stored: StoredSchedule, now: number) => ScheduleChange | undefined,
  ): Promise<void> {
    await writer.change(scheduleId, make).catch(ignoreDeleted);
  }

  async function endedRuns({ schedule, fires }: StoredSchedule): Promise<ReadonlySet<string>> {
    const ended = new Set<string>();
    // Where fires may overlap, this is not needed: the oldest runs are forgotten.
    if (schedule.overlap === 'allow' && !fires.some(({ status }) => status === 'queued')) return ended;
    await Promise.all(
      fires.map(async ({ runId, status }) => {
        if (status !== 'started') return;
        const summary = await runs.summary(runId);
        if (summary === undefined || hasEnded(summary.status)) ended.add(runId);
      }),
    );
    return ended;
  }

  /**
   * Creates the run of a fire that this process has claimed. Never rejects: what fails here is done later, or skipped.
   */
  async function start(schedule: Schedule, fire: Fire, claimedAt: number): Promise<void> {
    const { scheduleId, workflowId } = schedule;
    const { runId } = fire;
    const fields = { schedule_id: scheduleId, workflow_id: workflowId, execution_id: runId };
    try {
      if ((await runs.summary(runId)) === undefined) {
        if (isClosing() || clock.monotonic() - claimedAt > LATEST_START_MS) return;
        await startRun(requestOf(schedule, fire));
      }
      await change(scheduleId, (stored, now) => markStarted(stored, runId, now));
    } catch (error) {
      // At a shutdown the fire stays claimed: another process starts it, or this one after its restart.
      if (isClosing()) return;
      const reason = skipReasonOf(error);
      if (reason === 'failed')
        logger.error('a scheduled run could not be started', { ...fields, err: error });
      await drop(scheduleId, runId, reason).catch((err: unknown) => {
        logger.warn('a fire of a schedule will be tried again', { ...fields, err });
      });
    }
  }

  /** Ends a fire whose run could not be started, unless the run was stored all the same. */
  async function drop(scheduleId: string, runId: string, reason: FireSkipReason | undefined): Promise<void> {
    const isStored = (await runs.summary(runId)) !== undefined;
    await change(scheduleId, (stored, now) =>
      isStored ? markStarted(stored, runId, now) : dropFire(stored, { runId, reason, now }),
    );
  }

  return {
    async settle(scheduleId) {
      const claimedAt = clock.monotonic();
      const settled = await writer
        .change(scheduleId, async (stored, now) => {
          const wakeAt = wakeAtOf(stored);
          if (wakeAt === null || wakeAt > now) return undefined;
          const { cron, timezone } = stored.schedule;
          const ended = await endedRuns(stored);
          // Many schedules may be due at the same time.
          await yieldIfDue();
          return advance(stored, {
            now,
            watchedSince: watchedSince(),
            ended,
            newRunId: newId(),
            nextFire: (after) => calendar.nextFire(cron, timezone, after),
          });
        })
        .catch(ignoreDeleted);
      if (settled === undefined) return undefined;
      const { stored, change: made } = settled;
      await Promise.all((made?.starts ?? []).map((fire) => start(stored.schedule, fire, claimedAt)));
      return stored;
    },
    async trigger(scheduleId) {
      const runId = newId();
      const { stored } = await writer.change(scheduleId, (before, now) => {
        const made = addTriggered(before, runId, now);
        if (made === undefined) throw unavailable('too many runs of the schedule are being started');
        return made;
      });
      try {
        const run = await startRun(requestOf(stored.schedule, { runId, dueAt: null }));
        await change(scheduleId, (before, now) => markStarted(before, runId, now)).catch((err: unknown) => {
          logger.warn('a triggered run could not be noted yet', { schedule_id: scheduleId, err });
        });
        return run;
      } catch (error) {
        await drop(scheduleId, runId, undefined).catch(() => undefined);
        throw error;
      }
    },
  };
}

function requestOf(
  { scheduleId: id, workflowId, input, timezone }: Schedule,
  { runId, dueAt }: Pick<Fire, 'runId' | 'dueAt'>,
): FireRunRequest {
  const fireAt = dueAt === null ? null : isoTime(dueAt);
  return { workflowId, input, runId, schedule: { id, fireAt, timezone } };
}

function skipReasonOf(error: unknown): FireSkipReason {
  if (!(error instanceof OrchestrationError)) return 'failed';
  if (error.code === 'not_found') return 'workflow_not_found';
  if (error.code === 'validation') return 'invalid_input';
  return error.code === 'unavailable' ? 'unavailable' : 'failed';
}

function ignoreDeleted(error: unknown): undefined {
  if (!isOrchestrationError(error, 'not_found')) throw error;
  return undefined;
}

/**
 * Changes schedules and emits their events. Every member rejects with `unavailable` when the store cannot be reached.
 */
export interface ScheduleWriter {
  /** A schedule. Rejects with `not_found`. */
  get(scheduleId: string): Promise<StoredSchedule>;
  /**
   * Changes a schedule as it is then: what another process changes meanwhile is never lost. Resolves to the state after
   * the change, with the change itself; undefined from `make` leaves the schedule as it is. Rejects with `not_found`,
   * and with the errors of `make`.
   */
  change(
    scheduleId: string,
    make: (stored: StoredSchedule, now: number) => Awaitable<ScheduleChange | undefined>,
  ): Promise<{ readonly stored: StoredSchedule; readonly change: ScheduleChange | undefined }>;
}

/** Creates a {@link ScheduleWriter}. */
export function createScheduleWriter({
  clock,
  events,
  schedules,
}: Pick<Ports, 'clock' | 'events' | 'schedules'>): ScheduleWriter {
  async function get(scheduleId: string): Promise<StoredSchedule> {
    const stored = await schedules.get(scheduleId);
    if (stored === undefined) throw notFound('schedule', scheduleId);
    return stored;
  }

  return {
    get,
    change: (scheduleId, make) =>
      retryOnConflict('schedule', async () => {
        const stored = await get(scheduleId);
        const change = await make(stored, clock.now());
        if (change === undefined) return { stored, change };
        if (!(await schedules.update(change.stored))) return undefined;
        for (const event of change.events) events(event);
        return { stored: change.stored, change };
      }),
  };
}
