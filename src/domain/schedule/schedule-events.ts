import { isoTime } from '../../lib/text/time.ts';
import type { Subject, SubjectEvent } from '../subject-event.ts';
import type { FireSkipReason } from './schedule.ts';

/** The common members of the events of schedules. */
export interface AboutFire {
  readonly scheduleId: string;
  readonly workflowId: string;
  /** 1, 2, 3 … without gaps within the schedule. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  /** The fire time in milliseconds since the epoch; null for a run that a client triggered. */
  readonly dueAt: number | null;
}

/** The run of a fire was started. */
export interface ScheduleFired extends AboutFire {
  readonly type: 'schedule.fired';
  readonly runId: string;
}

/** A fire started no run. Fire times that were missed one after the other are told once, by the first of them. */
export interface ScheduleSkipped extends AboutFire {
  readonly type: 'schedule.skipped';
  readonly reason: FireSkipReason;
}

/** An event of a schedule. */
export type ScheduleEvent = ScheduleFired | ScheduleSkipped;

/** An event of a schedule as clients see it. */
export function toScheduleEvent(event: ScheduleEvent): SubjectEvent {
  const { seq, at, scheduleId, workflowId } = event;
  const subject: Subject = { kind: 'schedule', id: scheduleId };
  const dueAt = event.dueAt === null ? null : isoTime(event.dueAt);
  if (event.type === 'schedule.fired') {
    const { type, runId } = event;
    return { seq, type, at, subject, data: { workflowId, executionId: runId, dueAt } };
  }
  const { type, reason } = event;
  return { seq, type, at, subject, data: { workflowId, dueAt, reason } };
}
