import type { RunAppended } from '../../domain/events.ts';
import type { RunEvent, RunEventType } from '../../domain/run/events.ts';
import type { LogFields } from '../../ports/logger.ts';
import type { ServiceLogger } from './logger.ts';

/** The line of an event: its level, its message, and its fields beside the ids of the run. */
interface Line<T extends RunEventType> {
  readonly level: 'debug' | 'info';
  readonly message: string;
  fields(event: RunEvent<T>): LogFields;
}

/** The lines by the types of events; null for those whose line another event writes. None has an input or an output. */
const lines: { readonly [T in RunEventType]: Line<T> | null } = {
  'execution.created': {
    level: 'debug',
    message: 'workflow run created',
    fields: ({ version, background, origin, rerunOf, parentRunId }) => ({
      version,
      background,
      origin,
      parent_execution_id: parentRunId,
      rerun_of: rerunOf ?? undefined,
    }),
  },
  'execution.started': {
    level: 'debug',
    message: 'workflow run started',
    fields: ({ attempt }) => ({ attempt }),
  },
  'layer.started': {
    level: 'debug',
    message: 'layer started',
    fields: ({ layer, steps }) => ({ layer, steps: steps.length }),
  },
  'step.started': {
    level: 'debug',
    message: 'step started',
    fields: ({ stepId, kind, layer, attempt }) => ({ step_id: stepId, kind, layer, attempt }),
  },
  'step.retrying': {
    level: 'debug',
    message: 'step waits for another attempt',
    fields: ({ stepId, attempt, delayMs }) => ({ step_id: stepId, attempt, delay_ms: delayMs }),
  },
  'step.progress': {
    level: 'debug',
    message: 'items of a step ended',
    fields: ({ stepId, done, failed, total }) => ({ step_id: stepId, done, failed, total }),
  },
  'step.waiting': {
    level: 'info',
    message: 'step waits',
    fields: ({ stepId, for: kind, itemId, item, until }) => ({
      step_id: stepId,
      for: kind,
      item_id: itemId,
      index: item,
      until: until ?? undefined,
    }),
  },
  // `step.finished` has the lines of the ends of steps, and `run.finished` those of runs.
  'step.completed': null,
  'step.failed': null,
  'step.cancelled': null,
  'step.skipped': {
    level: 'debug',
    message: 'step skipped',
    fields: ({ stepId, why }) => ({ step_id: stepId, why }),
  },
  'execution.waiting': {
    level: 'info',
    message: 'workflow run waits',
    fields: ({ for: kinds }) => ({ for: kinds }),
  },
  'execution.resumed': {
    level: 'info',
    message: 'workflow run resumed',
    fields: ({ by, stepId, outcome, end, isExpired }) => ({
      by,
      step_id: stepId,
      outcome,
      index: end?.index,
      expired: isExpired,
    }),
  },
  'execution.cancel_requested': {
    level: 'info',
    message: 'workflow run cancel requested',
    fields: ({ by, reason }) => ({ by, reason }),
  },
  'execution.retried': {
    level: 'info',
    message: 'workflow run retried',
    fields: ({ by, attempt, steps }) => ({ by, attempt, steps: steps.length }),
  },
  'execution.recovered': {
    level: 'info',
    message: 'workflow run recovered',
    fields: ({ recoveries, recoveriesWithoutProgress, unknownSteps, steps }) => ({
      recoveries,
      recoveries_without_progress: recoveriesWithoutProgress,
      steps: steps.length,
      unknown_steps: unknownSteps.length,
    }),
  },
  'execution.completed': null,
  'execution.failed': null,
  'execution.cancelled': null,
};

/** Creates the function that logs the events which were added to the log of a run. */
export function logRunEvents(logger: ServiceLogger): (appended: RunAppended) => void {
  const debug = logger.isEnabled('debug');

  function log<T extends RunEventType>(run: RunAppended, type: T, event: RunEvent<T>): void {
    const line = lines[type];
    if (line === null || (line.level === 'debug' && !debug)) return;
    const ids = { execution_id: run.runId, workflow_id: run.workflowId };
    logger[line.level](line.message, { ...ids, ...line.fields(event) });
  }

  return (run) => {
    for (const event of run.events) log(run, event.type, event);
  };
}
