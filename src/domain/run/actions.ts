import { OrchestrationError } from '../errors.ts';
import { hasEnded, type RunStatus } from './run.ts';

/** What a caller can do with a run. */
export const runActions = ['cancel', 'retry', 'rerun', 'delete'] as const;

/** One of {@link runActions}. */
export type RunAction = (typeof runActions)[number];

/** The actions that a run accepts in a state, in the order of {@link runActions}. */
export function actionsOf(status: RunStatus): readonly RunAction[] {
  if (!hasEnded(status)) return ['cancel'];
  return status === 'COMPLETED' ? ['rerun', 'delete'] : ['retry', 'rerun', 'delete'];
}

/** Actions that a run can reject: a cancel of a run that has ended is no error. */
export type ConditionalAction = Exclude<RunAction, 'cancel'>;

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
