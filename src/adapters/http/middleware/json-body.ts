import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { MAX_JSON_DEPTH } from '../../../lib/json/json.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';
import { readBounded, tooLarge, UNCOUNTED_BYTES } from './bodies-under-way.ts';

/** Larger bodies, in bytes, take so long to parse that the event loop runs other work before and after. */
const LARGE_BODY = 131_072;

/** Every number that is not finite has an exponent of three digits, or 200 digits and more before its point. */
const mayOverflow = /\d[eE]\+?\d{3}|(?<!\d)\d{200}/;

const jsonMediaType = /^application\/(?:[\w.-]+\+)?json$/;

/**
 * Reads the JSON body of a request; undefined when there is none. Throws `HttpError` (decisions, section 1): 415 for
 * another media type or an encoded body, 413 for more than `maxBytes`, before the complete body is read, and 422 for a
 * body that is not JSON, is nested deeper than 64 levels, or has numbers that are not finite. 503 when too many bytes
 * of bodies are under way: see {@link readBounded}.
 *
 * `onBytes` is called with the bytes of the body before they are parsed.
 */
export async function readJson(
  c: Context<AppEnv>,
  maxBytes: number,
  onBytes?: (bytes: Buffer) => void,
): Promise<unknown> {
  const encoding = c.req.header('content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new HttpError(415, 'a body with a Content-Encoding is not accepted');
  }
  const bytes = await readBytes(c, maxBytes);
  onBytes?.(bytes);
  if (bytes.length === 0) return undefined;
  checkMediaType(c.req.header('content-type'));
  if (!isUtf8(bytes)) throw new HttpError(422, 'body: is not UTF-8');
  const isLarge = bytes.length > LARGE_BODY;
  if (isLarge) await yieldIfDue();
  const text = bytes.toString('utf8');
  const value = parseJson(text);
  if (isLarge) await yieldIfDue();
  if (mayOverflow.test(text) && !allFinite(value)) {
    throw new HttpError(422, 'body: must not contain numbers that are not finite');
  }
  return value;
}

async function readBytes(c: Context<AppEnv>, maxBytes: number): Promise<Buffer> {
  const contentLength = c.req.header('content-length');
  if (contentLength !== undefined && Number(contentLength) > maxBytes) throw tooLarge(maxBytes);
  const isSmall = Number(contentLength) <= UNCOUNTED_BYTES && c.req.header('transfer-encoding') === undefined;
  try {
    if (isSmall) {
      const bytes = Buffer.from(await c.req.raw.arrayBuffer());
      if (bytes.length > maxBytes) throw tooLarge(maxBytes);
      return bytes;
    }
    const { body } = c.req.raw;
    return body === null ? Buffer.alloc(0) : await readBounded(body, maxBytes);
  } catch (error) {
    // A body that ends early is the client's error: the connection broke, or the body took too long.
    throw error instanceof HttpError ? error : new HttpError(400, 'body: ended before it was complete');
  }
}

function checkMediaType(contentType: string | undefined): void {
  const [mediaType = '', ...parameters] = (contentType ?? '').toLowerCase().split(';', 8);
  if (!jsonMediaType.test(mediaType.trim())) {
    throw new HttpError(415, 'body: must be sent with Content-Type application/json');
  }
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new HttpError(415, 'body: must be JSON in UTF-8');
  }
}

function parseJson(text: string): unknown {
  if (isTooDeep(text))
    throw new HttpError(422, `body: must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(422, 'body: must be well-formed JSON');
  }
}

/** Counts the brackets outside of strings, so that deeply nested text is rejected before it is parsed. */
function isTooDeep(text: string): boolean {
  if (text.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index);
    else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      depth++;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--;
  }
  return false;
}

/** The index of the quote that closes the string opened at `start`; the text's length when there is none. */
function endOfString(text: string, start: number): number {
  let from = start + 1;
  for (;;) {
    const end = text.indexOf('"', from);
    if (end === -1) return text.length;
    let backslash = end;
    while (backslash > from && text.charCodeAt(backslash - 1) === BACKSLASH) backslash--;
    // A quote after an odd number of backslashes is escaped.
    if ((end - backslash) % 2 === 0) return end;
    from = end + 1;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Whether every number in a parsed value, at most 64 levels deep, is finite. */
function allFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(allFinite);
  // Creates no list of the members, because an object may have very many.
  for (const name in value) if (!allFinite(Reflect.get(value, name))) return false;
  return true;
}
