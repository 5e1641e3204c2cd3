import { conflict, invalid, isOrchestrationError, notFound, type RequestIssue } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import type { Run } from '../../domain/run/run.ts';
import { replaceSettings, unhandledAfter } from '../../domain/schedule/fires.ts';
import {
  type CatchUpMode,
  newSchedule,
  type OverlapMode,
  type ScheduleSettings,
  type StoredSchedule,
} from '../../domain/schedule/schedule.ts';
import { assertSeen, type SeenVersion } from '../../domain/seen-version.ts';
import { workflowReferenceIssue } from '../../domain/workflow/key.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Page, PageRequest } from '../../ports/storage/record-store.ts';
import { findWorkflow } from '../runs/find-workflow.ts';
import { copyInput, createInputCheck } from '../runs/run-input.ts';
import { createFiring, createScheduleWriter, type StartFireRun } from './firing.ts';
import { createWaker } from './waker.ts';

/** The settings of a new schedule, or of one that is replaced, as a client sends them. */
export interface ScheduleDraft {
  /**
   * The id of a workflow that exists, or `key:<key>`: then each run is of the workflow that has the key when it starts.
   */
  readonly workflowId: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** An IANA time zone; `UTC` when absent. */
  readonly timezone?: string | undefined;
  /** An input that the workflow accepts, unless the schedule is disabled; `{}` when absent. */
  readonly input?: JsonObject | undefined;
  /** `skip` when absent. */
  readonly overlap?: OverlapMode | undefined;
  /** `none` when absent. */
  readonly catchUp?: CatchUpMode | undefined;
  /** True when absent. */
  readonly enabled?: boolean | undefined;
}

/**
 * Schedules, which start runs of workflows at the times of a cron expression. Every member rejects with `unavailable`
 * when the store cannot be reached, and those that take an id with `not_found` for an unknown one.
 */
export interface Schedules {
  /** Rejects with `validation`, naming all issues, and with `conflict` when the store is full. */
  create(draft: ScheduleDraft): Promise<StoredSchedule>;
  get(scheduleId: string): Promise<StoredSchedule>;
  /** Schedules, newest first. */
  list(page: PageRequest): Promise<Page<StoredSchedule>>;
  /**
   * Replaces what a client has said. Fire times that were handled are not handled again, whatever the new expression
   * says; a fire that waits starts its run as the schedule is then, unless it is disabled. Rejects as `create`, and
   * with `precondition_failed` for another version than the caller has seen.
   */
  replace(scheduleId: string, draft: ScheduleDraft, seen?: SeenVersion): Promise<StoredSchedule>;
  /** Deletes a schedule. Its runs stay. */
  delete(scheduleId: string): Promise<void>;
  /**
   * Starts a run now, whether others go on or the schedule is disabled, and resolves to its PENDING record. Later fires
   * count it as one that goes on. Rejects with `conflict` for an unknown workflow, with `validation` for an input that
   * it does not accept, and with `unavailable` where too many runs wait.
   */
  trigger(scheduleId: string): Promise<Run>;
  /**
   * The next fire times in milliseconds since the epoch, at most `count`; those of a disabled one as if it was enabled.
   */
  preview(scheduleId: string, count: number): Promise<readonly number[]>;
}

/** The use cases around schedules, and what lets them fire. */
export interface ScheduleService {
  readonly schedules: Schedules;
  /** Lets schedules fire from now on. */
  start(): void;
  /**
   * Stops; resolves when nothing is being started any more. What is left is done by another process, or after a
   * restart.
   */
  close(): Promise<void>;
}

/** Creates a {@link ScheduleService}. */
export function createSchedules(
  ports: Pick<
    Ports,
    | 'clock'
    | 'newId'
    | 'logger'
    | 'events'
    | 'runs'
    | 'workflows'
    | 'schedules'
    | 'fireQueue'
    | 'calendar'
    | 'schemas'
  >,
  startRun: StartFireRun,
  { maxOutputBytes }: Pick<Limits, 'maxOutputBytes'>,
): ScheduleService {
  const { clock, newId, workflows, schedules, calendar } = ports;
  const checkInput = createInputCheck(ports.schemas);
  let isClosing = false;
  let startedAt: number | undefined;
  const writer = createScheduleWriter(ports);
  const watchedSince = () => startedAt ?? clock.now();
  const firing = createFiring(ports, { writer, startRun, watchedSince, isClosing: () => isClosing });
  const waker = createWaker(ports, firing);

  /** The settings of a draft, with the defaults. Rejects with `validation`. */
  async function check(draft: ScheduleDraft): Promise<ScheduleSettings> {
    const { workflowId, cron, timezone = 'UTC', overlap = 'skip', catchUp = 'none', enabled = true } = draft;
    const input = copyInput(draft.input ?? {}, maxOutputBytes);
    await yieldIfDue();
    const problems = calendar.check(cron, timezone);
    const issues: RequestIssue[] = problems.map(({ member, problem }) => `${member}: ${problem}`);
    const wrongKey = workflowReferenceIssue(workflowId);
    const workflow = wrongKey === undefined ? await findWorkflow(workflows, workflowId) : undefined;
    if (workflow === undefined) {
      issues.push(`workflow_id: ${wrongKey ?? `there is no workflow ${quote(workflowId)}`}`);
    }
    // One whose workflow has changed can still be disabled.
    else if (enabled) issues.push(...checkInput(workflow, input));
    if (issues.length > 0) throw invalid(issues);
    return { workflowId, cron, timezone, input, overlap, catchUp, enabled };
  }

  function nextFireAt({ cron, timezone, enabled }: ScheduleSettings, after: number): number | null {
    return enabled ? calendar.nextFire(cron, timezone, after) : null;
  }

  return {
    schedules: {
      async create(draft) {
        const settings = await check(draft);
        const now = clock.now();
        const stored = newSchedule(newId(), settings, {
          at: isoTime(now),
          nextFireAt: nextFireAt(settings, now),
        });
        await schedules.create(stored);
        await waker.arm(stored);
        return stored;
      },
      get: writer.get,
      list: (page) => schedules.list(page),
      async replace(scheduleId, draft, seen) {
        const { schedule } = await writer.get(scheduleId);
        assertSeen('schedule', schedule.version, seen);
        const settings = await check(draft);
        // Fires that are due by the expression that is replaced.
        await firing.settle(scheduleId);
        const { stored } = await writer.change(scheduleId, (before, now) => {
          assertSeen('schedule', before.schedule.version, seen);
          const isSame = hasSameTimes(before.schedule, settings);
          return replaceSettings(before, settings, {
            at: isoTime(now),
            now,
            nextFireAt: isSame ? before.nextFireAt : nextFireAt(settings, unhandledAfter(before, now)),
          });
        });
        await waker.arm(stored);
        return stored;
      },
      async delete(scheduleId) {
        if (!(await schedules.delete(scheduleId))) throw notFound('schedule', scheduleId);
      },
      async trigger(scheduleId) {
        const { schedule } = await writer.get(scheduleId);
        try {
          return await firing.trigger(scheduleId);
        } catch (error) {
          if (!isOrchestrationError(error, 'not_found')) throw error;
          await writer.get(scheduleId);
          throw conflict(
            `the workflow ${quote(schedule.workflowId)} of the schedule does not exist any more`,
          );
        }
      },
      async preview(scheduleId, count) {
        const stored = await writer.get(scheduleId);
        const { cron, timezone } = stored.schedule;
        const times: number[] = [];
        let next = calendar.nextFire(cron, timezone, unhandledAfter(stored, clock.now()));
        while (next !== null && times.length < count) {
          times.push(next);
          await yieldIfDue();
          next = calendar.nextFire(cron, timezone, next);
        }
        return times;
      },
    },
    start() {
      startedAt ??= clock.now();
      waker.start();
    },
    async close() {
      isClosing = true;
      await waker.close();
    },
  };
}

function hasSameTimes(before: ScheduleSettings, after: ScheduleSettings): boolean {
  const { cron, timezone, enabled } = after;
  return before.cron === cron && before.timezone === timezone && before.enabled === enabled;
}
