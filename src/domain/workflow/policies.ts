import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import type { RetryPolicy } from '../retry.ts';

/**
 * When a step runs, by how the steps ended that it depends on. `none_failed`: none has failed, and at least one has
 * completed or there are none. `all_completed`: all have completed. `always`: however they ended, also after the run
 * has failed.
 */
export const runConditions = ['none_failed', 'all_completed', 'always'] as const;

/** One of {@link runConditions}. */
export type RunCondition = (typeof runConditions)[number];

/** The effect of a failed step on the run: it fails, it goes on, or the step counts as completed with the output. */
export type ErrorPolicy = 'fail' | 'continue' | { readonly output: JsonObject };

/** The effect of a failed item on a step with `foreach`. */
export const itemErrorPolicies = ['fail', 'continue'] as const;

/** Runs a step once for each item of a list. */
export interface ForeachPolicy {
  /** The list, which may contain templates, or an expression that evaluates to one. */
  readonly items: readonly JsonValue[] | string;
  /** The number of items that run at the same time; {@link DEFAULT_FOREACH_CONCURRENCY} when absent. */
  readonly concurrency?: number | undefined;
  /** `fail` when absent: after the first failed item no further one is started. */
  readonly onItemError?: (typeof itemErrorPolicies)[number] | undefined;
}

/** The default of {@link ForeachPolicy}. */
export const DEFAULT_FOREACH_CONCURRENCY = 8;

/** The policies of a step. Absent members mean none. */
export interface StepPolicies {
  /** An expression that must evaluate to a boolean; the step is skipped where it is false. */
  readonly when?: string | undefined;
  /** `none_failed` when absent. */
  readonly runIf?: RunCondition | undefined;
  /** The attempts at the tool or agent, in place of its own. */
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds that the step may take in all: attempts, waits and items. */
  readonly timeoutMs?: number | undefined;
  /** `fail` when absent. */
  readonly onError?: ErrorPolicy | undefined;
  readonly foreach?: ForeachPolicy | undefined;
}
