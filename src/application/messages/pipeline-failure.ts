import { safeErrorText } from '../../domain/error-text.ts';
import { OrchestrationError } from '../../domain/errors.ts';
import { AbortError, CancelledError, isCancelled, TimeoutError } from '../../lib/async/timeout.ts';

/** The failure of a message, by the part of the pipeline in which it happened. Its message is safe to show. */
export class PipelineFailure extends Error {
  override readonly name = 'PipelineFailure';
  /** A stable word, such as `tool_error`. */
  readonly category: string;

  constructor(category: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.category = category;
  }
}

/** The failure of a message that a shutdown has interrupted, or the cancel of the run that it serves. */
export function interruptedFailure(signal?: AbortSignal): PipelineFailure {
  const text = isCancelled(signal) ? 'the execution was cancelled' : 'the service was shut down';
  return new PipelineFailure('interrupted', text);
}

/**
 * Converts an error to a failure of `category`; `text` is its message when the error has none that is safe to show. A
 * {@link PipelineFailure} is returned unchanged.
 */
export function toPipelineFailure(category: string, error: unknown, text: string): PipelineFailure {
  if (error instanceof PipelineFailure) return error;
  if (error instanceof AbortError) return interruptedFailure();
  if (error instanceof CancelledError)
    return new PipelineFailure('interrupted', 'the execution was cancelled');
  if (error instanceof TimeoutError) {
    return new PipelineFailure(category, `${text}: ${error.message}`, error);
  }
  if (error instanceof OrchestrationError) return new PipelineFailure(category, error.message, error);
  return new PipelineFailure(category, safeErrorText(error, text), error);
}
