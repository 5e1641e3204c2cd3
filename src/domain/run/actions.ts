import { OrchestrationError } from '../errors.ts';
import { hasEnded, type RunStatus, type RunSummary, type Wait } from './run.ts';

/** The actions of a caller on a run. */
export const runActions = ['cancel', 'retry', 'rerun', 'delete', 'resolve'] as const;

/** One of {@link runActions}. */
export type RunAction = (typeof runActions)[number];

/** The actions that a run accepts as it is, in the order of {@link runActions}. */
export function actionsOf({
  status,
  waitingFor,
}: Pick<RunSummary, 'status' | 'waitingFor'>): readonly RunAction[] {
  if (!hasEnded(status)) return waitingFor.some(isDecidable) ? ['cancel', 'resolve'] : ['cancel'];
  return status === 'COMPLETED' ? ['rerun', 'delete'] : ['retry', 'rerun', 'delete'];
}

/** True where a caller can decide about the step that waits. */
function isDecidable({ kind }: Wait): boolean {
  return kind === 'recovery';
}

/**
 * Actions that a run rejects in a state: a cancel of a run that has ended is no error, and a decision is about a step.
 */
export type ConditionalAction = Exclude<RunAction, 'cancel' | 'resolve'>;

const conditions = {
  retry: 'only a FAILED or CANCELLED execution can be retried',
  rerun: 'only an execution that has ended can be rerun',
  delete: 'only an execution that has ended can be deleted; cancel it first',
} as const satisfies Record<ConditionalAction, string>;

/** The error for an action that a run does not accept in its state. Its message names the state. */
export function actionConflict(
  runId: string,
  status: RunStatus,
  action: ConditionalAction,
): OrchestrationError {
  return new OrchestrationError(
    'conflict',
    `execution ${JSON.stringify(runId)} is ${status}: ${conditions[action]}`,
  );
}
