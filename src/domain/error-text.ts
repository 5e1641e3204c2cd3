import { truncate } from '../lib/text/truncate.ts';

/** The most characters of a foreign error's own text that a record shows. */
const MAX_SHOWN = 500;

/** The most characters of a foreign error that a log line keeps. */
const MAX_LOGGED = 8_000;

/**
 * What a record may say of a failure: the message of an error that has `expose === true` (`ToolError` and its
 * like), cut at 500 characters; `fallback` for everything else, because foreign texts may hold secrets. Never
 * throws, whatever was thrown: strings, null, proxies, objects whose getters throw.
 */
export function safeErrorText(error: unknown, fallback: string): string {
  try {
    if (typeof error !== 'object' || error === null) return fallback;
    if (!('expose' in error) || error.expose !== true || !('message' in error)) return fallback;
    const message: unknown = error.message;
    return typeof message === 'string' && message !== '' ? truncate(message, MAX_SHOWN) : fallback;
  } catch {
    return fallback;
  }
}

/**
 * Everything that a failure says of itself, for logs only: its stack where it has one, with that of its cause.
 * Never throws and never returns more than 8,000 characters.
 */
export function rawErrorText(error: unknown): string {
  try {
    const text = ownWords(error);
    const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
    return truncate(cause === undefined ? text : `${text}\ncaused by: ${ownWords(cause)}`, MAX_LOGGED);
  } catch {
    return 'a failure that cannot be described';
  }
}

function ownWords(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('stack' in error && typeof error.stack === 'string' && error.stack !== '') return error.stack;
  if ('message' in error && typeof error.message === 'string') return error.message;
  return Object.prototype.toString.call(error);
}

/** `instanceof` for whatever was thrown: false where the very question makes a proxy throw. */
export function isInstance<T>(error: unknown, kind: abstract new (...args: never[]) => T): error is T {
  try {
    return error instanceof kind;
  } catch {
    return false;
  }
}
