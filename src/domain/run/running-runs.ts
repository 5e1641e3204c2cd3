import type { OrchestrationEvent } from '../events.ts';
import type { RunEventType } from './events.ts';

/** Which runs a process runs, by what it has saved to their logs. */
export interface RunningRuns {
  readonly size: number;
  /** Takes every event of the process into account. */
  follow(event: OrchestrationEvent): void;
}

/** True where the process that saved an event runs the run from then on; null where the event says nothing of it. */
const runsAfter = {
  'execution.created': null,
  'execution.started': true,
  'layer.started': null,
  'step.started': null,
  'step.retrying': null,
  'step.progress': null,
  'step.waiting': null,
  'step.completed': null,
  'step.failed': null,
  'step.skipped': null,
  'step.cancelled': null,
  'execution.waiting': false,
  'execution.resumed': true,
  'execution.cancel_requested': null,
  'execution.retried': null,
  'execution.recovered': true,
  'execution.completed': false,
  'execution.failed': false,
  'execution.cancelled': false,
} as const satisfies Record<RunEventType, boolean | null>;

/** Creates {@link RunningRuns} of a process that runs none. */
export function createRunningRuns(): RunningRuns {
  const running = new Set<string>();
  const change = (runId: string, isRunning: boolean): void => {
    if (isRunning) running.add(runId);
    else running.delete(runId);
  };
  return {
    get size() {
      return running.size;
    },
    follow(event) {
      // The end of a lost run is saved by another process.
      if (event.type === 'run.finished' || event.type === 'run.released') change(event.runId, false);
      if (event.type !== 'run.appended') return;
      for (const { type } of event.events) {
        const isRunning = runsAfter[type];
        if (isRunning !== null) change(event.runId, isRunning);
      }
    },
  };
}
