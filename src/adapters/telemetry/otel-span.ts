import {
  type Context,
  context,
  createContextKey,
  type Span as OtelSpan,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { ServerSpan } from '../../ports/telemetry.ts';
import {
  childErrorAttributes,
  errorAttributes,
  errorTypeOfException,
  errorTypeOfReason,
  type SpanDescriptor,
  toOtelAttributes,
} from './conventions.ts';
import { describeResponse } from './http-conventions.ts';

/** The state of a span that has not ended. */
interface SpanState {
  readonly span: OtelSpan;
  /** True once the span was marked as failed, for a reason of its own or of a child. */
  failed: boolean;
  /** True once a child has failed: the error is set on the child. */
  childFailed: boolean;
}

/** The key of the {@link SpanState} of the active span in a context; only this module uses it. */
const stateKey = createContextKey('state of the active span');

/**
 * Runs `work` with `span` as the active span, and ends the span when the promise of `work` settles. An error sets the
 * status of the innermost span in which it happened; the parents of that span only get an attribute.
 */
export async function runInSpan<T>(
  span: OtelSpan,
  descriptor: SpanDescriptor,
  parentContext: Context,
  work: (span: ServerSpan) => Promise<T>,
): Promise<T> {
  const parent = parentContext.getValue(stateKey) as SpanState | undefined;
  const state: SpanState = { span, failed: false, childFailed: false };
  const ownContext = trace.setSpan(parentContext, span).setValue(stateKey, state);
  try {
    return await context.with(ownContext, () => work(toServerSpan(state, descriptor)));
  } catch (error) {
    markFailed(state, errorTypeOfException(error));
    throw error;
  } finally {
    span.end();
    const isFailure = state.failed || (descriptor.isGroup && state.childFailed);
    if (isFailure && parent !== undefined) parent.childFailed = true;
  }
}

function markFailed(state: SpanState, errorType: string): void {
  state.failed = true;
  if (state.childFailed) state.span.setAttributes(childErrorAttributes(errorType));
  else setError(state.span, errorType);
}

function setError(span: OtelSpan, errorType: string): void {
  span.setAttributes(errorAttributes(errorType));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function toServerSpan(state: SpanState, descriptor: SpanDescriptor): ServerSpan {
  const { span } = state;
  return {
    event: (name, attributes) => void span.addEvent(name, attributes && toOtelAttributes(attributes)),
    set: (attributes) => void span.setAttributes(toOtelAttributes(attributes)),
    fail: (reason) => markFailed(state, errorTypeOfReason(reason)),
    answered(route, status) {
      const { name, attributes } = describeResponse(descriptor, route, status);
      span.updateName(name);
      span.setAttributes(attributes);
      // The conventions mark every request with a 5xx, whether a child failed or not.
      if (status >= 500) setError(span, String(status));
    },
  };
}
