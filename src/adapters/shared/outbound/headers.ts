import type { IncomingHttpHeaders } from 'node:http';
import { quote } from '../../../lib/text/quote.ts';

/** Headers that belong to the connection and to the framing of a message, which the client itself sets. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const valuePattern = /^[\t\x20-\x7e]*$/;

/** Why a header's name may not be sent, as a predicate; undefined where it may. */
export function headerNameProblem(name: string): string | undefined {
  if (!namePattern.test(name)) return 'is not a valid name of a header';
  const lower = name.toLowerCase();
  return ownHeaders.has(lower) || lower.startsWith('proxy-') ? 'is set by the client itself' : undefined;
}

/** Whether a header's value may be sent: visible ASCII, blanks and tabs. */
export function isHeaderValue(value: string): boolean {
  return valuePattern.test(value);
}

/** Why headers may not be sent; undefined where they may. Names a header, and never a value. */
export function headersProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerNameProblem(name);
    if (problem !== undefined) return `the header ${quote(name)} ${problem}`;
    if (!isHeaderValue(value)) return `the header ${quote(name)} must be visible ASCII characters`;
  }
  return undefined;
}

/** The headers of an answer by their names in lower case; repeated ones are joined by commas. */
export function plainHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries);
}
