import { z } from 'zod';
import { memoryStorage } from '../../src/adapters/memory-storage.ts';
import { createOrchestrator } from '../../src/application/orchestrator.ts';
import type { ScheduleDraft } from '../../src/application/schedules/schedules.ts';
import { toFeedEvents } from '../../src/domain/feed-event.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { SubjectEvent } from '../../src/domain/subject-event.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { ScheduleStore } from '../../src/ports/storage/schedule-store.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { createFakeClock, settle } from './fake-clock.ts';
import { countingIds } from './fakes.ts';
import { testPorts } from './ports.ts';
import { callTool } from './workflow/engine.ts';
import { createSharedLog } from './workflow/shared-log.ts';

export const HOUR = 3_600_000;
export const MINUTE = 60_000;

/** Options of {@link setUpSchedules}. */
export interface SchedulesOptions {
  /** The time at the start: ISO 8601. */
  readonly start?: string;
  readonly processes?: number;
  readonly limits?: Partial<Limits>;
  /** Puts something between a process and the store of schedules. */
  readonly storeOf?: (shared: ScheduleStore, process: number) => ScheduleStore;
}

/** A run that a schedule has started. */
interface StartedRun {
  readonly process: number;
  /** The time at which its step began: ISO 8601. */
  readonly at: string;
  readonly input: JsonObject;
  readonly end: () => void;
}

/**
 * Processes that share their stores and a clock. The workflow `workflowId` calls a tool, which ends at once unless runs
 * are held.
 */
export async function setUpSchedules(options: SchedulesOptions = {}) {
  const { start = '2026-01-01T00:00:00.000Z', processes = 1, limits, storeOf = (shared) => shared } = options;
  const clock = createFakeClock(Date.parse(start));
  const { open, shared: runs } = createSharedLog();
  const store = memoryStorage().schedules;
  const newId = countingIds();
  const { workflows } = testPorts().ports;
  const started: StartedRun[] = [];
  const events: SubjectEvent[] = [];
  let isHeld = false;

  function startProcess(index: number) {
    const { ports, logger } = testPorts({
      clock,
      newId,
      workflows,
      runs: open().log,
      schedules: storeOf(store, index),
      events(event) {
        events.push(...toFeedEvents(event).filter(({ subject }) => subject.kind === 'schedule'));
      },
    });
    const orchestrator = createOrchestrator(ports, { toolTimeoutMs: 1_000 * HOUR, ...limits });
    const work: Tool<JsonObject> = {
      name: 'work',
      description: 'work',
      input: z.record(z.string(), z.json()),
      effect: 'read',
      execute: async (input) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const at = new Date(clock.now()).toISOString();
        started.push({ process: index, at, input, end: resolve });
        if (isHeld) await promise;
        return {};
      },
    };
    orchestrator.tools.register(work);
    orchestrator.start();
    return { ...orchestrator, logger, ports };
  }

  const all = Array.from({ length: processes }, (_, index) => startProcess(index));
  const [first] = all;
  if (first === undefined) throw new Error('at least one process');
  const { id: workflowId } = await first.workflows.create({
    name: 'sample',
    description: '',
    steps: [callTool('a', 'work', { n: '$input.n' })],
  });

  return {
    clock,
    runs,
    store,
    workflows,
    workflowId,
    started,
    events,
    first,
    processes: all,
    startProcess,
    /** Creates a schedule in the first process; every hour, unless the changes say otherwise. */
    create: (changes: Partial<ScheduleDraft> = {}) =>
      first.schedules.create({ workflowId, cron: '0 * * * *', input: { n: 1 }, ...changes }),
    /** Lets the steps of runs wait until {@link endRuns}. */
    holdRuns: () => {
      isHeld = true;
    },
    endRuns: async () => {
      for (const { end } of started) end();
      await settle();
    },
    /** The times at which runs have begun. */
    times: () => started.map(({ at }) => at),
    /** The events of schedules, as type with the fire time and the reason. */
    told: () =>
      events.map(({ type, data }) =>
        [type, 'dueAt' in data ? data.dueAt : '', 'reason' in data ? data.reason : ''].join(' ').trim(),
      ),
    /** Closes all processes. */
    close: () => Promise.all(all.map((process) => process.close(0))),
  };
}
