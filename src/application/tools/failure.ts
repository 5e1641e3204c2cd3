import { isInstance, safeErrorText } from '../../domain/error-text.ts';
import { GivenUpError } from '../../lib/async/legacy.ts';
import { JsonError } from '../../lib/json/copy.ts';

/** What the registry makes of whatever an attempt threw. */
export interface ToolFailure {
  /** Words that are safe to show. */
  readonly text: string;
  /** Another attempt is useless. */
  readonly permanent: boolean;
  /** The attempt did nothing yet, so that even a `write` may be tried again. */
  readonly safeToRetry: boolean;
}

/** Judges a failed attempt. Never throws, whatever was thrown: foreign errors are read as data. */
export function toolFailure(error: unknown): ToolFailure {
  if (isInstance(error, GivenUpError)) {
    return { text: error.message, permanent: error.reason === 'interrupted', safeToRetry: false };
  }
  if (isInstance(error, JsonError)) {
    return { text: `the tool's output ${error.message}`, permanent: true, safeToRetry: false };
  }
  return {
    text: safeErrorText(error, 'the tool failed unexpectedly'),
    permanent: read(error, 'permanent') === true || read(error, 'name') === 'AbortError',
    safeToRetry: read(error, 'safeToRetry') === true,
  };
}

function read(error: unknown, key: string): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  try {
    return Reflect.get(error, key);
  } catch {
    return undefined;
  }
}
