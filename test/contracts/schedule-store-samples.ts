import type { Fire, StoredSchedule } from '../../src/domain/schedule/schedule.ts';
import { at, hostileObject, hostileText, START } from './inbox-store-samples.ts';

/** A fire of a schedule, whose run goes on. */
export function sampleFire(runId: string, changes: Partial<Fire> = {}): Fire {
  return { runId, dueAt: START, status: 'started', since: START, ...changes };
}

/** A schedule of revision 1 that fires at 2030-01-01 next. */
export function sampleSchedule(scheduleId: string, changes: Partial<StoredSchedule> = {}): StoredSchedule {
  return {
    schedule: {
      scheduleId,
      workflowId: `workflow of ${scheduleId}`,
      cron: '0 9 * * 1-5',
      timezone: 'Europe/Berlin',
      input: {},
      overlap: 'skip',
      catchUp: 'none',
      enabled: true,
      createdAt: at(0),
      updatedAt: at(0),
      version: 1,
    },
    revision: 1,
    nextFireAt: Date.UTC(2030, 0, 1),
    handledUntil: null,
    lastFiredAt: null,
    fires: [],
    lastSeq: 0,
    ...changes,
  };
}

/** A schedule whose every member is hard to store. */
export function hostileSchedule(scheduleId: string): StoredSchedule {
  const { schedule } = sampleSchedule(scheduleId);
  return sampleSchedule(scheduleId, {
    schedule: {
      ...schedule,
      workflowId: hostileText,
      cron: hostileText,
      timezone: hostileText,
      input: hostileObject,
    },
    handledUntil: START,
    lastFiredAt: START + 1,
    fires: [sampleFire(hostileText), sampleFire('b', { dueAt: null, status: 'starting' })],
    lastSeq: 1_000_000,
  });
}

/** The next revision of a schedule. */
export function changed(before: StoredSchedule, changes: Partial<StoredSchedule>): StoredSchedule {
  return { ...before, ...changes, revision: before.revision + 1 };
}
