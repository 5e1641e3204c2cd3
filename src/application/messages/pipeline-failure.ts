import { isInstance, safeErrorText } from '../../domain/error-text.ts';
import { OrchestrationError } from '../../domain/errors.ts';
import { GivenUpError } from '../../lib/async/legacy.ts';

/** What went wrong in the run of a message, by the part of the pipeline that it happened in. */
export class PipelineFailure extends Error {
  override readonly name = 'PipelineFailure';
  /** A stable word, such as `tool_error`. */
  readonly category: string;

  constructor(category: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.category = category;
  }
}

/** The failure of a message that was cut short by a shutdown. */
export function interruptedRun(): PipelineFailure {
  return new PipelineFailure('interrupted', 'the service was shut down');
}

/**
 * What was thrown as a failure of `category`; `text` says what broke where the error has no words that are safe to
 * show. What was judged already keeps its first judgement.
 */
export function failureOf(category: string, error: unknown, text: string): PipelineFailure {
  if (isInstance(error, PipelineFailure)) return error;
  if (isInstance(error, GivenUpError)) {
    return error.reason === 'interrupted'
      ? interruptedRun()
      : new PipelineFailure(category, `${text}: ${error.message}`, error);
  }
  if (isInstance(error, OrchestrationError)) return new PipelineFailure(category, error.message, error);
  return new PipelineFailure(category, safeErrorText(error, text), error);
}
