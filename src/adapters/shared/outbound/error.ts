/** Why a request has no answer. */
export const outboundFailures = [
  /** The request itself is not valid: its URL, a header, its method. */
  'invalid',
  /** The target is not allowed. */
  'refused',
  /** No connection was made: the name is unknown, nobody listens, the certificate is not valid. */
  'unreachable',
  /** The connection ended before the answer was complete. */
  'broken',
  'timeout',
  /** The answer is a redirect. */
  'redirect',
  /** The answer is larger than allowed. */
  'too_large',
  /** The answer has a Content-Encoding. */
  'encoded',
  /** The caller's signal was aborted, or the client was closed. */
  'aborted',
] as const;

/** One of {@link outboundFailures}. */
export type OutboundFailure = (typeof outboundFailures)[number];

const permanentFailures: ReadonlySet<OutboundFailure> = new Set([
  'invalid',
  'refused',
  'redirect',
  'too_large',
  'encoded',
]);

/**
 * A request without an answer. The message names the host, and is safe to show: it contains no path, query, header or
 * body. `permanent` and `safeToRetry` mean the same as those of a `ToolError`.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly expose = true;
  readonly failure: OutboundFailure;
  /** The same request would fail again. */
  readonly permanent: boolean;
  /** No byte of the request was sent. */
  readonly safeToRetry: boolean;

  constructor(failure: OutboundFailure, message: string, options: { sent: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.failure = failure;
    this.permanent = permanentFailures.has(failure);
    this.safeToRetry = !options.sent;
  }
}
