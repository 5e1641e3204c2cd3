import type { JsonObject } from '../../lib/json/json.ts';

/**
 * The handling of a fire while a run of the schedule goes on: it is skipped, it waits until the runs before it have
 * ended, or its run starts beside them.
 */
export const overlapModes = ['skip', 'queue', 'allow'] as const;

/** One of {@link overlapModes}. */
export type OverlapMode = (typeof overlapModes)[number];

/** Which of the fire times that passed while no process ran are made up for: none, or the last of them. */
export const catchUpModes = ['none', 'last'] as const;

/** One of {@link catchUpModes}. */
export type CatchUpMode = (typeof catchUpModes)[number];

/** The part of a schedule that clients set. */
export interface ScheduleSettings {
  readonly workflowId: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** An IANA time zone, in which the fields are read. */
  readonly timezone: string;
  /** The input of each run. */
  readonly input: JsonObject;
  readonly overlap: OverlapMode;
  readonly catchUp: CatchUpMode;
  /** False: no fire time starts a run. */
  readonly enabled: boolean;
}

/** A schedule that starts runs of a workflow at its fire times. */
export interface Schedule extends ScheduleSettings {
  readonly scheduleId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** When it was created or replaced last: ISO 8601. */
  readonly updatedAt: string;
  /** 1, and one more for each replacement. */
  readonly version: number;
}

/**
 * The states of a fire. `queued`: it waits until the runs before it have ended. `starting`: a process has claimed it
 * and creates its run. `started`: its run is stored, and may go on.
 */
export const fireStatuses = ['queued', 'starting', 'started'] as const;

/** One of {@link fireStatuses}. */
export type FireStatus = (typeof fireStatuses)[number];

/**
 * The reasons for which a fire starts no run. `overlap`: a run of the schedule goes on. `queue_full`: too many fires
 * wait already. `missed`: no process looked after it at the time. `disabled`: it waited when the schedule was disabled.
 * `workflow_not_found`: its workflow is gone. `invalid_input`: the workflow does not accept the input. `unavailable`:
 * too many background runs wait.
 */
export const fireSkipReasons = [
  'overlap',
  'queue_full',
  'missed',
  'disabled',
  'workflow_not_found',
  'invalid_input',
  'unavailable',
  'failed',
] as const;

/** One of {@link fireSkipReasons}; `failed` is an error that nobody expects, which is logged. */
export type FireSkipReason = (typeof fireSkipReasons)[number];

/** A fire of a schedule. */
export interface Fire {
  /** The id of its run, chosen before the run is created: a fire starts no other one. */
  readonly runId: string;
  /** The fire time in milliseconds since the epoch; null for one that a client triggered. */
  readonly dueAt: number | null;
  readonly status: FireStatus;
  /** When it came into this status, in milliseconds since the epoch. */
  readonly since: number;
}

/** A schedule with what its fires have done, as it is stored. */
export interface StoredSchedule {
  readonly schedule: Schedule;
  /** 1, and one more for each change, those of the fires included. */
  readonly revision: number;
  /** The next fire time, which nobody has handled, in milliseconds since the epoch; null where there is none. */
  readonly nextFireAt: number | null;
  /** The last fire time that was handled: no fire time up to it is handled again, whatever the clocks say. */
  readonly handledUntil: number | null;
  /** When a run was started last, in milliseconds since the epoch; null before the first one. */
  readonly lastFiredAt: number | null;
  /** The fires that wait, and those whose runs have not been seen to end, oldest first; at most {@link MAX_FIRES}. */
  readonly fires: readonly Fire[];
  /** The number of its last event; 0 before the first one. */
  readonly lastSeq: number;
}

/** The most fires of one schedule that wait for the runs before them. */
export const MAX_QUEUED_FIRES = 100;

/** The most runs of one schedule that are remembered because they may go on; the oldest are forgotten. */
export const MAX_RUNNING_FIRES = 100;

/** The most fires of a stored schedule. */
export const MAX_FIRES = MAX_QUEUED_FIRES + MAX_RUNNING_FIRES;

/** The time for which a process may take to create the run of a fire, in milliseconds. Then another one does it. */
export const START_LEASE_MS = 30_000;

/**
 * When a process should look after a schedule, in milliseconds since the epoch: at its next fire time, when it was
 * given up by the process that starts a fire, and at once while a fire is queued. Null for never.
 */
export function wakeAtOf({ nextFireAt, fires }: StoredSchedule): number | null {
  const times = nextFireAt === null ? [] : [nextFireAt];
  for (const { status, since } of fires) {
    if (status === 'queued') times.push(since);
    if (status === 'starting') times.push(since + START_LEASE_MS);
  }
  return times.length === 0 ? null : Math.min(...times);
}

/** A schedule that is created at a time (ISO 8601), before its first fire. */
export function newSchedule(
  scheduleId: string,
  settings: ScheduleSettings,
  { at, nextFireAt }: { readonly at: string; readonly nextFireAt: number | null },
): StoredSchedule {
  return {
    schedule: { scheduleId, ...settings, createdAt: at, updatedAt: at, version: 1 },
    revision: 1,
    nextFireAt,
    handledUntil: null,
    lastFiredAt: null,
    fires: [],
    lastSeq: 0,
  };
}
