export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span that is under way. */
export interface Span {
  /** Adds a happening to the span, such as a retry. */
  event(name: string, attributes?: SpanAttributes): void;
  /** Adds attributes that were not known at the beginning. */
  set(attributes: SpanAttributes): void;
  /** Marks this span, and no other, as failed; `reason` is a safe word. */
  fail(reason: string): void;
}

/** Spans: they need a beginning, an end and a parent, which events have not. A no-op unless configured. */
export interface Telemetry {
  /**
   * Runs `work` inside a span, a child of the span that is under way. The span ends when `work` returns or its
   * promise settles; what `work` throws marks the span as failed and is thrown on.
   */
  span<T>(name: string, attributes: SpanAttributes, work: (span: Span) => T): T;
  /** The id of the trace that the span under way belongs to, 32 hex digits; null where there is none. */
  traceId(): string | null;
}
