import type { Subject, SubjectEvent, SubjectEventData } from '../subject-event.ts';
import type { RunEvent, RunEventType } from './events.ts';

/** The data of each type of event that clients see: no inputs, no outputs, and no members for replays alone. */
const dataOf: { readonly [T in RunEventType]: (event: RunEvent<T>) => SubjectEventData[T] } = {
  'execution.created': ({ workflowName, version, background, origin }) => ({
    workflowName,
    version,
    background,
    origin,
  }),
  'execution.started': ({ attempt }) => ({ attempt }),
  'layer.started': ({ layer, steps }) => ({ layer, steps }),
  'step.started': ({ stepId, kind, layer, attempt }) => ({ stepId, kind, layer, attempt }),
  'step.retrying': ({ stepId, attempt, error, delayMs }) => ({ stepId, attempt, error, delayMs }),
  'step.progress': ({ stepId, done, failed, total }) => ({ stepId, done, failed, total }),
  'step.completed': ({ stepId, attempts, durationMs, copied, error }) => ({
    stepId,
    attempts,
    durationMs,
    ...(copied === undefined ? {} : { copied }),
    ...(error === undefined ? {} : { error }),
  }),
  'step.waiting': ({ stepId, for: kind, until }) => ({ stepId, for: kind, until }),
  'step.failed': ({ stepId, attempts, durationMs, error }) => ({ stepId, attempts, durationMs, error }),
  'step.skipped': ({ stepId, why }) => ({ stepId, why }),
  'step.cancelled': ({ stepId, attempts, durationMs, why }) => ({ stepId, attempts, durationMs, why }),
  'execution.waiting': ({ for: kinds }) => ({ for: kinds }),
  'execution.resumed': ({ by }) => ({ by }),
  'execution.cancel_requested': ({ by, reason }) => ({ by, reason }),
  'execution.retried': ({ by, attempt, steps }) => ({ by, attempt, steps }),
  'execution.recovered': ({ recoveries, recoveriesWithoutProgress, unknownSteps }) => ({
    recoveries,
    recoveriesWithoutProgress,
    unknownSteps,
  }),
  'execution.completed': ({ error, durationMs }) => ({ error, durationMs }),
  'execution.failed': ({ error, durationMs }) => ({ error, durationMs }),
  'execution.cancelled': ({ error, durationMs }) => ({ error, durationMs }),
};

/** An event of a run as clients see it. */
export function toSubjectEvent(subject: Subject, event: RunEvent): SubjectEvent {
  return convert(subject, event.type, event);
}

function convert<T extends RunEventType>(subject: Subject, type: T, event: RunEvent<T>): SubjectEvent<T> {
  const { seq, at } = event;
  return { seq, type, at, subject, data: dataOf[type](event) };
}
