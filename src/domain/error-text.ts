import { truncate } from '../lib/text/truncate.ts';

/** Maximum length of an error's own text in a record, in characters. */
const MAX_SHOWN_LENGTH = 500;

/** Maximum length of an error in a log line, in characters. */
const MAX_LOGGED_LENGTH = 8_000;

/**
 * The text of an error for records and replies: the message of an error with `expose === true`, such as `ToolError`,
 * truncated to 500 characters; `fallback` for all others, because their texts may contain secrets.
 */
export function safeErrorText(error: unknown, fallback: string): string {
  if (typeof error !== 'object' || error === null) return fallback;
  if (!('expose' in error) || error.expose !== true || !('message' in error)) return fallback;
  const { message } = error;
  return typeof message === 'string' && message !== '' ? truncate(message, MAX_SHOWN_LENGTH) : fallback;
}

/** The full text of an error, for logs only: its stack and that of its cause, at most 8,000 characters. */
export function rawErrorText(error: unknown): string {
  const text = stackOf(error);
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return truncate(cause === undefined ? text : `${text}\ncaused by: ${stackOf(cause)}`, MAX_LOGGED_LENGTH);
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('stack' in error && typeof error.stack === 'string' && error.stack !== '') return error.stack;
  if ('message' in error && typeof error.message === 'string') return error.message;
  return Object.prototype.toString.call(error);
}
