import { type DefinitionIssue, issueText } from './workflow/issues.ts';

/** The reasons for which the service rejects a request. The HTTP adapter maps each code to a status. */
export const errorCodes = [
  'validation',
  'not_found',
  'conflict',
  'precondition_failed',
  'unavailable',
  'invalid_transition',
  'registration',
] as const;

/** One of {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/** One issue of a request: as `field: problem`, or with its path, whose keys may be any text. */
export type RequestIssue = string | DefinitionIssue;

/**
 * An error that is reported to the caller. `message` is safe to show: it contains no secret, no stack and no text of
 * another exception. Those go into `cause`, which is only logged.
 */
export class OrchestrationError extends Error {
  override readonly name = 'OrchestrationError';
  readonly code: ErrorCode;
  /** Seconds after which the caller may retry, an integer; used with `unavailable` only. */
  readonly retryAfterSeconds: number;
  /** All issues of one request, each as `field: problem`; used with `validation` only. */
  readonly issues: readonly string[] | undefined;
  /** The same issues, with their paths where these are known. */
  readonly placedIssues: readonly RequestIssue[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; issues?: readonly RequestIssue[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
    this.issues = options.issues?.map(textOf);
    this.placedIssues = options.issues;
  }
}

function textOf(issue: RequestIssue): string {
  return typeof issue === 'string' ? issue : issueText(issue);
}

/** True for an {@link OrchestrationError} with that code. */
export function isOrchestrationError(error: unknown, code: ErrorCode): error is OrchestrationError {
  return error instanceof OrchestrationError && error.code === code;
}

/** The error for a resource that does not exist, with the requested id (decisions, section 1). */
export function notFound(resource: string, id: string): OrchestrationError {
  return new OrchestrationError('not_found', `${resource} ${JSON.stringify(id.slice(0, 128))} not found`);
}

/** The error for all issues of one request. */
export function invalid(issues: readonly RequestIssue[]): OrchestrationError {
  return new OrchestrationError('validation', issues.map(textOf).join('; '), { issues });
}

/** The error for a full queue and for an unreachable store. */
export function unavailable(message: string, retryAfterSeconds = 1, cause?: unknown): OrchestrationError {
  return new OrchestrationError('unavailable', message, { retryAfterSeconds, cause });
}

/** The error for a request that the state of its resource does not allow. */
export function conflict(message: string): OrchestrationError {
  return new OrchestrationError('conflict', message);
}
