import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import { yieldToEventLoop } from '../../../lib/async/yield.ts';
import { MAX_JSON_DEPTH } from '../../../lib/json/json.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';

/** Bytes of JSON from which on it takes milliseconds to read them. */
const LARGE_BODY = 131_072;

/** Every number that is not finite has an exponent of three digits, or 200 digits and more before its point. */
const mayOverflow = /\d[eE]\+?\d{3}|(?<!\d)\d{200}/;

const jsonMediaType = /^application\/(?:[\w.-]+\+)?json$/;

/**
 * The JSON body of a request, or undefined where there is none. Throws 415 for another media type or an encoded
 * body, 413 for more than `maxBytes` (before it is read whole), 422 for what is not JSON, is nested deeper than
 * 64 levels or holds numbers that are not finite (decisions, section 1).
 */
export async function readJson(c: Context<AppEnv>, maxBytes: number): Promise<unknown> {
  const encoding = c.req.header('content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new HttpError(415, 'a body with a Content-Encoding is not accepted');
  }
  const bytes = await readBytes(c, maxBytes);
  if (bytes.length === 0) return undefined;
  checkMediaType(c.req.header('content-type'));
  if (!isUtf8(bytes)) throw new HttpError(422, 'body: is not UTF-8');
  const text = bytes.toString('utf8');
  const value = parseJson(text);
  // What follows takes its time too, so that others go first.
  if (bytes.length > LARGE_BODY) await yieldToEventLoop();
  if (mayOverflow.test(text) && !allFinite(value)) {
    throw new HttpError(422, 'body: must not hold numbers that are not finite');
  }
  return value;
}

async function readBytes(c: Context<AppEnv>, maxBytes: number): Promise<Buffer> {
  const declared = c.req.header('content-length');
  if (declared !== undefined && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  const isWhole = declared !== undefined && c.req.header('transfer-encoding') === undefined;
  try {
    if (!isWhole) return await readStream(c.req.raw.body, maxBytes);
    const bytes = Buffer.from(await c.req.raw.arrayBuffer());
    if (bytes.length <= maxBytes) return bytes;
  } catch (error) {
    // What ends a body before its time is its sender's doing: a connection that broke, or took too long.
    throw error instanceof HttpError ? error : new HttpError(400, 'body: ended before it was whole');
  }
  throw tooLarge(maxBytes);
}

async function readStream(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `body: must be at most ${maxBytes} bytes`);
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
  if (nestedTooDeep(text))
    throw new HttpError(422, `body: must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(422, 'body: must be well-formed JSON');
  }
}

/** Counts brackets outside of strings, so that a deep text is refused before anything walks into it. */
function nestedTooDeep(text: string): boolean {
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

/** The place of the quote that ends the string begun at `start`: one behind an even number of backslashes, or none. */
function endOfString(text: string, start: number): number {
  let from = start + 1;
  for (;;) {
    const end = text.indexOf('"', from);
    if (end === -1) return text.length;
    let backslash = end;
    while (backslash > from && text.charCodeAt(backslash - 1) === BACKSLASH) backslash--;
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

/** True when every number in a parsed value is finite. The value is at most 64 levels deep. */
function allFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(allFinite);
  // Lists of members or values would take twice as long as all the rest: an object may have 80,000 of them.
  for (const name in value) if (!allFinite(Reflect.get(value, name))) return false;
  return true;
}
