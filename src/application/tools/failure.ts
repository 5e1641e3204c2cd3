import { safeErrorText } from '../../domain/error-text.ts';
import { AbortError, isAbort, isCancelled, TimeoutError } from '../../lib/async/timeout.ts';
import { JsonError } from '../../lib/json/copy.ts';
import type { InputIssue } from '../../ports/tool.ts';

/** Maximum length of the issues of an invalid input in an error, in characters. */
const MAX_ISSUES_LENGTH = 500;

/** A tool call's input does not match the tool's schema; the message names every issue. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';

  constructor(issues: readonly InputIssue[]) {
    const texts = issues.map(
      ({ path, message }) => `${path.length === 0 ? 'input' : path.join('.')}: ${message}`,
    );
    super(`invalid input: ${texts.join('; ')}`.slice(0, MAX_ISSUES_LENGTH));
  }
}

/** The meaning of a failed attempt for the call. */
export interface ToolFailure {
  /** Safe to show. */
  readonly text: string;
  /** The tool was never called, because its input is invalid. */
  readonly invalidInput: boolean;
  /** Another attempt would fail too. */
  readonly permanent: boolean;
  /** The attempt had no effect, so that even a `write` may be retried. */
  readonly safeToRetry: boolean;
  /** The tool answered that there is no such thing. */
  readonly notFound: boolean;
  /** The attempt ended because a user has cancelled the call. */
  readonly cancelled: boolean;
}

/**
 * Classifies the error of a failed attempt. Reads `permanent`, `safeToRetry` and `notFound` of any error that has them.
 * `signal` is that of the call: once it is cancelled, an abort that the tool reports is the end of a cancelled call.
 */
export function toolFailure(error: unknown, signal?: AbortSignal): ToolFailure {
  const fallback = 'the tool failed unexpectedly';
  if (error instanceof InvalidInputError) return { ...final(error.message), invalidInput: true };
  if (isAbort(error) && isCancelled(signal)) {
    return { ...final('cancelled'), cancelled: true };
  }
  if (error instanceof AbortError) return final(error.message);
  if (error instanceof TimeoutError) return { ...final(error.message), permanent: false };
  if (error instanceof JsonError) return final(`the tool's output ${error.message}`);
  if (typeof error !== 'object' || error === null) return { ...final(fallback), permanent: false };
  const notFound = 'notFound' in error && error.notFound === true;
  return {
    text: safeErrorText(error, fallback),
    invalidInput: false,
    permanent: notFound || ('permanent' in error && error.permanent === true) || isAbort(error),
    safeToRetry: 'safeToRetry' in error && error.safeToRetry === true,
    notFound,
    cancelled: false,
  };
}

function final(text: string): ToolFailure {
  return {
    text,
    invalidInput: false,
    permanent: true,
    safeToRetry: false,
    notFound: false,
    cancelled: false,
  };
}
