import {
  type Context,
  context,
  createContextKey,
  type Span as SdkSpan,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { isThenable } from '../../lib/async/legacy.ts';
import type { ServerSpan } from '../../ports/telemetry.ts';
import {
  answerShape,
  exceptionWord,
  failureAttributes,
  failureWord,
  inheritedFailure,
  type SpanShape,
  spanAttributes,
} from './conventions.ts';

/** What is known of a span while it is under way. */
interface Life {
  readonly span: SdkSpan;
  readonly parent: Life | undefined;
  /** It failed, by itself or by a part of it. */
  failed: boolean;
  /** A part of it failed, so that its own failure is marked there already. */
  partFailed: boolean;
}

/** Under which a context bears the life of the span under way; nobody else knows it. */
const lifeKey = createContextKey('life of the span under way');

/**
 * Runs `work` with `span` as the span under way, and ends the span when the work has ended. A failure marks the
 * innermost span that it happened in and no other: what that span is part of only says that it failed too.
 */
export function runInSpan<T>(
  span: SdkSpan,
  shape: SpanShape,
  around: Context,
  work: (span: ServerSpan) => T,
): T {
  const parent = around.getValue(lifeKey) as Life | undefined;
  const life: Life = { span, parent, failed: false, partFailed: false };
  const end = (): void => {
    span.end();
    const passesOn = life.failed || (shape.transparent && life.partFailed);
    if (passesOn && parent !== undefined) parent.partFailed = true;
  };
  const threw = (error: unknown): void => {
    markFailed(life, exceptionWord(error));
    end();
  };
  return context.with(trace.setSpan(around, span).setValue(lifeKey, life), () => {
    try {
      const result = work(handle(life, shape));
      if (isThenable(result)) result.then(end, threw);
      else end();
      return result;
    } catch (error) {
      threw(error);
      throw error;
    }
  });
}

function markFailed(life: Life, word: string): void {
  life.failed = true;
  if (life.partFailed) {
    life.span.setAttributes(inheritedFailure(word));
    return;
  }
  life.span.setAttributes(failureAttributes(word));
  life.span.setStatus({ code: SpanStatusCode.ERROR });
}

function handle(life: Life, shape: SpanShape): ServerSpan {
  const { span } = life;
  return {
    event: (name, attributes) => void span.addEvent(name, attributes && spanAttributes(attributes)),
    set: (attributes) => void span.setAttributes(spanAttributes(attributes)),
    fail: (reason) => markFailed(life, failureWord(reason)),
    answered(route, status) {
      const { name, attributes } = answerShape(shape, route, status);
      span.updateName(name);
      span.setAttributes(attributes);
      if (status < 500) return;
      // The conventions mark every such request, whatever it was within that failed.
      span.setAttributes(failureAttributes(String(status)));
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
  };
}
