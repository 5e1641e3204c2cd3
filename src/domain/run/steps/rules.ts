import type { JsonObject } from '../../../lib/json/json.ts';

/** Why a step, or a run, fails. */
export interface StepIssue {
  readonly error: string;
}

/** What the definition of a run says about its steps, with its expressions evaluated over the outputs so far. */
export interface StepRules {
  /** Whether the condition of a step holds. Called for steps that have one. */
  holds(index: number): boolean | StepIssue;
  /** How many items a step with `foreach` runs for. */
  total(index: number): number | StepIssue;
  /**
   * When a step of a kind that waits ends by itself, in milliseconds since the epoch; null for never. `item` is the
   * index of its item, undefined for a step without `foreach`. Checks that its input can be resolved.
   */
  wait(index: number, item: number | undefined): { readonly until: number | null } | StepIssue;
  /** Evaluates what `total` and `wait` tell of a step that waits, so that it is known when the step starts. */
  prepare(index: number): void;
  /**
   * Whether so much was evaluated that the rest is decided later. What was evaluated of `holds` and `prepare` is kept.
   */
  isOverdue(): boolean;
  /** The output of the run; null where the definition has none. */
  output(): JsonObject | null | StepIssue;
  /** The most bytes of JSON of the outputs of the items of a step together. */
  readonly maxOutputBytes: number;
  /** How many runs one run may have below it at each depth. */
  readonly maxChildRuns: number;
  /** Makes an id for what ends a wait. */
  newItemId(): string;
}

/** Whether a step has an issue. */
export function isIssue(value: object | null): value is StepIssue {
  return value !== null && 'error' in value && typeof value.error === 'string';
}
