/** Attributes of a span or a span event. They must not contain message texts or payloads. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** An active span. */
export interface Span {
  /** Adds an event to the span, such as a retry. */
  event(name: string, attributes?: SpanAttributes): void;
  /** Adds attributes that were not known at the start. */
  set(attributes: SpanAttributes): void;
  /** Marks this span as failed; `reason` must be safe to show. */
  fail(reason: string): void;
}

/** Spans, which have a start, an end and a parent, unlike events. A no-op unless configured. */
export interface Telemetry {
  /**
   * Runs `work` inside a span, a child of the active span. The span ends when the promise of `work` settles; a
   * rejection marks the span as failed and is passed on.
   */
  span<T>(name: string, attributes: SpanAttributes, work: (span: Span) => Promise<T>): Promise<T>;
  /** The trace id of the active span, 32 hex digits; null where there is none. */
  traceId(): string | null;
}

/** An incoming request before it is routed. */
export interface IncomingRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path as requested, without its query. */
  readonly path: string;
  /** A header's value, by its name in lower case. */
  header(name: string): string | undefined;
}

/** The span of an incoming request. */
export interface ServerSpan extends Span {
  /** Records the template of the route that answered (`unmatched` for none) and the status. */
  answered(route: string, status: number): void;
}

/** Telemetry at the edge of a process: incoming and outgoing trace context. */
export interface ServiceTelemetry extends Telemetry {
  /**
   * Runs `work` inside the span of a request. Continues the trace of the caller's `traceparent`; without one it
   * starts a new trace. Otherwise it behaves like `span`.
   */
  serverSpan<T>(request: IncomingRequest, work: (span: ServerSpan) => Promise<T>): Promise<T>;
  /** Headers that propagate the active trace context with an outgoing request; none when no span is active. */
  inject(): Readonly<Record<string, string>>;
  /** Exports pending spans, within two seconds, and stops. Never rejects. */
  shutdown(): Promise<void>;
}
