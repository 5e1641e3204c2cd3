import { retryLimits } from '../../retry.ts';
import {
  type ApprovalStep,
  expiryOutcomes,
  MAX_WAIT_MS,
  rejectionOutcomes,
  type Step,
  type WaitStep,
  type WorkflowStep,
} from '../definition.ts';
import type { DefinitionIssues } from '../issues.ts';
import { workflowReferenceIssue } from '../key.ts';
import { type ForeachPolicy, itemErrorPolicies, runConditions } from '../policies.ts';

/** The lowest and the highest value of the numbers in a definition, by their names in a request. */
export const definitionBounds = {
  timeout_ms: [1, MAX_WAIT_MS],
  duration_ms: [0, MAX_WAIT_MS],
  expires_in_ms: [1, MAX_WAIT_MS],
  concurrency: [1, 1_000],
  max_concurrent_steps: [1, 10_000],
  max_attempts: retryLimits.maxAttempts,
  backoff_ms: retryLimits.backoffMs,
  factor: retryLimits.factor,
  max_backoff_ms: retryLimits.maxBackoffMs,
} as const satisfies Record<string, readonly [min: number, max: number]>;

/** A number with bounds. */
export type BoundedName = keyof typeof definitionBounds;

/** True for a number that may have a fraction. */
export function takesFractions(name: BoundedName): boolean {
  return name === 'factor';
}

/** The rule for a number: `must be an integer from 1 to 20`. */
export function boundsText(name: BoundedName): string {
  const [min, max] = definitionBounds[name];
  return `must be ${takesFractions(name) ? 'a number' : 'an integer'} from ${min} to ${max}`;
}

/** True for a value within its bounds. */
function isWithinBounds(name: BoundedName, value: unknown): boolean {
  const [min, max] = definitionBounds[name];
  const isNumber = takesFractions(name) ? Number.isFinite(value) : Number.isInteger(value);
  return isNumber && typeof value === 'number' && value >= min && value <= max;
}

/** The longest title of an approval as it is written, in characters. */
export const MAX_TITLE_LENGTH = 500;

/** The form of the id of a step. The keys of its calls are made of it, so it has no `:`. */
export const stepIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The rule for the id of a step. */
export const STEP_ID_TEXT = 'must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or digit';

/** Adds an issue of one step; the path begins with one of its members. */
export type AddStepIssue = (path: readonly (string | number)[], detail: string) => void;

/** Adds issues to those of a definition. */
export function stepIssues(issues: DefinitionIssues, index: number): AddStepIssue {
  return (path, detail) => issues.add(['steps', index, ...path], () => detail);
}

/** Adds an issue for a number that is given and not within its bounds. */
export function checkBounds(
  add: AddStepIssue,
  path: readonly string[],
  name: BoundedName,
  value: unknown,
): void {
  if (value !== undefined && !isWithinBounds(name, value)) add([...path, name], boundsText(name));
}

function checkChoice(add: AddStepIssue, path: string[], choices: readonly string[], value: unknown): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  add(path, `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`);
}

/** Finds the issues of the policies of a step: numbers out of bounds, and what cannot be combined. */
export function checkPolicies(step: Step, maxForeachItems: number, add: AddStepIssue): void {
  const { kind, runIf, retry, timeoutMs, onError, foreach } = step;
  checkChoice(add, ['run_if'], runConditions, runIf);
  checkBounds(add, [], 'timeout_ms', timeoutMs);
  if (typeof onError !== 'object')
    checkChoice(add, ['on_error'], ['fail', 'continue', '{"output": {…}}'], onError);
  if (retry !== undefined) {
    if (kind !== 'tool' && kind !== 'agent') add(['retry'], `cannot be used with a step of kind ${kind}`);
    const { maxAttempts, backoffMs, factor, maxBackoffMs } = retry;
    if (maxAttempts === undefined) add(['retry', 'max_attempts'], 'is required');
    checkBounds(add, ['retry'], 'max_attempts', maxAttempts);
    checkBounds(add, ['retry'], 'backoff_ms', backoffMs);
    checkBounds(add, ['retry'], 'factor', factor);
    checkBounds(add, ['retry'], 'max_backoff_ms', maxBackoffMs);
  }
  if (foreach !== undefined) checkForeach(foreach, maxForeachItems, add);
  if (kind === 'workflow') checkTarget(step, add);
  if (kind === 'wait') checkWait(step, add);
  if (kind === 'approval') checkApproval(step, add);
}

function checkForeach(
  { items, concurrency, onItemError }: ForeachPolicy,
  maxItems: number,
  add: AddStepIssue,
): void {
  checkBounds(add, ['foreach'], 'concurrency', concurrency);
  checkChoice(add, ['foreach', 'on_item_error'], itemErrorPolicies, onItemError);
  if (typeof items === 'string' || items.length <= maxItems) return;
  add(['foreach', 'items'], `must have at most ${maxItems} items, but it has ${items.length}`);
}

function checkTarget({ workflowId, definition }: WorkflowStep, add: AddStepIssue): void {
  const issue = workflowId === undefined ? undefined : workflowReferenceIssue(workflowId);
  if (issue !== undefined) add(['workflow_id'], issue);
  if (workflowId !== undefined && definition !== undefined) {
    add(['definition'], 'cannot be used together with workflow_id');
  }
  if (workflowId === undefined && definition === undefined) {
    add(['workflow_id'], 'is required for a step of kind workflow');
  }
}

function checkWait({ durationMs, until }: WaitStep, add: AddStepIssue): void {
  checkBounds(add, [], 'duration_ms', durationMs);
  if (durationMs !== undefined && until !== undefined)
    add(['until'], 'cannot be used together with duration_ms');
  if (durationMs === undefined && until === undefined) {
    add(['duration_ms'], 'is required for a step of kind wait, unless it has until');
  }
}

function checkApproval({ title, expiresInMs, onExpire, onReject }: ApprovalStep, add: AddStepIssue): void {
  if (title.length === 0) add(['title'], 'must not be empty');
  if (title.length > MAX_TITLE_LENGTH) add(['title'], `must be at most ${MAX_TITLE_LENGTH} characters`);
  checkBounds(add, [], 'expires_in_ms', expiresInMs);
  checkChoice(add, ['on_expire'], expiryOutcomes, onExpire);
  checkChoice(add, ['on_reject'], rejectionOutcomes, onReject);
}
