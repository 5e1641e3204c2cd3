import { retryLimits } from '../../retry.ts';
import { MAX_WAIT_MS } from '../definition.ts';

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

/** Whether a number may have a fraction. */
export function takesFractions(name: BoundedName): boolean {
  return name === 'factor';
}

/** What a number must be: `must be an integer from 1 to 20`. */
export function boundsText(name: BoundedName): string {
  const [min, max] = definitionBounds[name];
  return `must be ${takesFractions(name) ? 'a number' : 'an integer'} from ${min} to ${max}`;
}

/** Whether a value is within its bounds. */
export function isWithinBounds(name: BoundedName, value: unknown): boolean {
  const [min, max] = definitionBounds[name];
  const isNumber = takesFractions(name) ? Number.isFinite(value) : Number.isInteger(value);
  return isNumber && typeof value === 'number' && value >= min && value <= max;
}

/** The longest title of an approval as it is written, in characters. */
export const MAX_TITLE_LENGTH = 500;

/** What the id of a step looks like. The keys of its calls are made of it, so it has no `:`. */
export const stepIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** What the id of a step must be. */
export const STEP_ID_TEXT = 'must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or digit';
