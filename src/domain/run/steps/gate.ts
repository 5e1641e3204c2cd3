import { itemAt } from '../../../lib/array.ts';
import type { SkipReason } from '../../subject-event.ts';
import type { Step } from '../../workflow/definition.ts';
import type { RunState } from '../state.ts';
import type { StepIssue, StepRules } from './rules.ts';

/** What becomes of a step whose layer has come. */
export type Gate = 'run' | { readonly skip: SkipReason } | StepIssue;

/** Whether a step runs, by how the steps ended that it depends on, and by its condition. `hasFailed`: the run has failed. */
export function gateOf(state: RunState, index: number, hasFailed: boolean, rules: StepRules): Gate {
  const step = itemAt(state.shape.definition.steps, index);
  const skip = skipReason(state, index, step, hasFailed);
  if (skip !== null) return { skip };
  if (step.when === undefined) return 'run';
  const holds = rules.holds(index);
  if (typeof holds === 'object') return holds;
  return holds ? 'run' : { skip: 'condition' };
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
