import { itemAt } from '../../../lib/array.ts';
import type { SkipReason } from '../../subject-event.ts';
import type { Step } from '../../workflow/definition.ts';
import type { StepStatus } from '../run.ts';
import type { RunState } from '../state.ts';
import type { StepIssue, StepRules } from './rules.ts';

/** What becomes of a step whose layer has come. */
export type Gate = 'run' | { readonly skip: SkipReason } | StepIssue;

/**
 * Whether a step runs, by how the steps ended that it depends on, and by its condition. `hasFailed`: the run has
 * failed.
 */
export function gateOf(state: RunState, index: number, hasFailed: boolean, rules: StepRules): Gate {
  const step = itemAt(state.shape.definition.steps, index);
  const skip = skipReason(state, index, step, hasFailed);
  if (skip !== null) return { skip };
  if (step.when === undefined) return 'run';
  const holds = rules.holds(index);
  if (typeof holds === 'object') return holds;
  return holds ? 'run' : { skip: 'condition' };
}

/** What a step was skipped for. */
export interface SkipCause {
  /** Its condition, or the rule for the steps that it depends on: `run_if: none_failed`. */
  readonly expression: string;
  /** False for a condition; else the statuses of the steps by which the rule has decided. */
  readonly value: false | Readonly<Record<string, StepStatus>>;
}

/** What a skipped step of an ended run was skipped for. */
export function skipCause(state: RunState, index: number): SkipCause {
  const step = itemAt(state.shape.definition.steps, index);
  const { runIf = 'none_failed', when } = step;
  const isReady = skipReason(state, index, step, false) === null;
  if (when !== undefined && isReady && state.skipped?.get(index) === 'condition') {
    return { expression: when, value: false };
  }
  const { results } = state;
  const before = state.shape.hasPolicies
    ? itemAt(state.shape.graph, index).map((at) => itemAt(results, at))
    : [];
  const unfinished = before.filter(({ status }) => status !== 'COMPLETED');
  // Another step of the run has failed it.
  const deciding = unfinished.length > 0 ? unfinished : results.filter(({ status }) => status === 'FAILED');
  const value = Object.fromEntries(deciding.map(({ stepId, status }) => [stepId, status]));
  return { expression: `run_if: ${runIf}`, value };
}

function skipReason(state: RunState, index: number, step: Step, hasFailed: boolean): SkipReason | null {
  const { runIf = 'none_failed', dependsOn } = step;
  if (runIf === 'always') return null;
  if (hasFailed) return 'failed_before';
  // Without policies all steps before have completed.
  if (!state.shape.hasPolicies) return null;
  const dependencies = itemAt(state.shape.graph, index);
  const statuses = dependencies.map((dependency) => itemAt(state.results, dependency).status);
  const completed = statuses.filter((status) => status === 'COMPLETED').length;
  const isReady =
    runIf === 'all_completed'
      ? completed === statuses.length
      : !statuses.includes('FAILED') && (completed > 0 || dependsOn.length === 0);
  if (isReady) return null;
  const failedBefore = dependencies.some(
    (dependency) =>
      itemAt(state.results, dependency).status === 'FAILED' ||
      state.skipped?.get(dependency) === 'failed_before',
  );
  return failedBefore ? 'failed_before' : 'condition';
}
