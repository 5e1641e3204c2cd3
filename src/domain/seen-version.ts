import { conflict, OrchestrationError } from './errors.ts';

/** The version that a caller has seen. */
export interface SeenVersion {
  readonly version: number;
  /** True where another version fails with `precondition_failed` instead of `conflict`. */
  readonly isPrecondition: boolean;
}

/**
 * Throws `conflict` or `precondition_failed` where a record has another version than the caller has seen, if any.
 * `record` says what it is.
 */
export function assertSeen(record: string, version: number, seen: SeenVersion | undefined): void {
  if (seen === undefined || seen.version === version) return;
  const text = `the ${record} has changed: its version is ${version}, not ${seen.version}`;
  throw seen.isPrecondition ? new OrchestrationError('precondition_failed', text) : conflict(text);
}
