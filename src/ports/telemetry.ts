import type { Awaitable } from '../lib/async/awaitable.ts';

/** Particulars of a span or of a happening in it. No message text and no payload may be among them. */
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
   * Runs `work` inside a span, a child of the active span. The span ends when the promise of `work` settles; an error
   * marks the span as failed and is thrown on.
   */
  span<T>(name: string, attributes: SpanAttributes, work: (span: Span) => Awaitable<T>): Promise<T>;
  /** The id of the trace that the span under way belongs to, 32 hex digits; null where there is none. */
  traceId(): string | null;
}

/** What is known of a request when it comes in. */
export interface IncomingRequest {
  readonly method: string;
  /** The path as it was asked for, without its query. */
  readonly path: string;
  /** A header's value, by its name in lower case. */
  header(name: string): string | undefined;
}

/** The span of a request that came from outside. */
export interface ServerSpan extends Span {
  /** Says by which route's template the request was answered (`unmatched` for none), and with which status. */
  answered(route: string, status: number): void;
}

/** Telemetry at the edge of a process, where traces come in, go on and leave. */
export interface ServiceTelemetry extends Telemetry {
  /**
   * Runs `work` inside the span of a request. The trace that the caller's `traceparent` names goes on; without one, a
   * new trace begins. Otherwise as `span`.
   */
  serverSpan<T>(request: IncomingRequest, work: (span: ServerSpan) => Awaitable<T>): Promise<T>;
  /** Headers for an outgoing request, by which its receiver goes on with the trace under way; none where there is none. */
  inject(): Readonly<Record<string, string>>;
  /** Hands over what is held back, within two seconds, and ends. Never rejects. */
  shutdown(): Promise<void>;
}
