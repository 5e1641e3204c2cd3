import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { MAX_JSON_DEPTH } from '../../../lib/json/json.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';

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

/**
 * Bodies of at most this size, in bytes, are not counted: Node may buffer as much of a connection that nobody reads.
 */
const UNCOUNTED_BYTES = 65_536;

/** The bytes of larger bodies that are held until their ends have arrived, over all connections of the process. */
const MAX_BYTES = 128 * 1_024 * 1_024;

/** The error for a body that is larger than `maxBytes`. */
function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `body: must be at most ${maxBytes} bytes`);
}

/** A body of which a part has arrived. */
interface UnderWay {
  /** Where it is kept: the room doubles when it is full, so that many small chunks cost no more than their bytes. */
  room: Buffer;
  /** Ends the wait for the next chunk. */
  refuse: (error: HttpError) => void;
}

/** In the order of their last arrivals. */
const underWay = new Set<UnderWay>();
let total = 0;

/**
 * Reads a body in chunks. Rejects with 413 above `maxBytes`. While the bodies under way take too many bytes together,
 * the one of which nothing has arrived for longest is refused with 503: a slow client loses its own body, and keeps no
 * other client from sending.
 */
async function readBounded(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const own: UnderWay = { room: Buffer.alloc(0), refuse: () => undefined };
  const reader = body.getReader();
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await nextChunk(reader, own);
      if (done) return own.room.subarray(0, length);
      const end = length + value.byteLength;
      if (end > maxBytes) throw tooLarge(maxBytes);
      makeRoom(own, end, maxBytes);
      own.room.set(value, length);
      length = end;
    }
  } finally {
    remove(own);
  }
}

function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>, own: UnderWay) {
  return new Promise<Awaited<ReturnType<typeof reader.read>>>((resolve, reject) => {
    own.refuse = reject;
    reader.read().then(resolve, reject);
  });
}

/**
 * Makes room for `bytes`, and lets bodies go that nothing arrives of. Throws where it is the body itself that has to.
 */
function makeRoom(own: UnderWay, bytes: number, maxBytes: number): void {
  remove(own);
  if (bytes > own.room.length) {
    const room = Buffer.alloc(Math.min(Math.max(bytes, 2 * own.room.length, UNCOUNTED_BYTES), maxBytes));
    room.set(own.room);
    own.room = room;
  }
  underWay.add(own);
  total += own.room.length;
  for (const slowest of underWay) {
    if (total <= MAX_BYTES) return;
    remove(slowest);
    const headers = { 'Retry-After': '1' };
    const error = new HttpError(503, 'body: the bodies under way are too many bytes', { headers });
    if (slowest === own) throw error;
    slowest.refuse(error);
  }
}

function remove(body: UnderWay): void {
  if (underWay.delete(body)) total -= body.room.length;
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

/** True when every number in a parsed value, at most 64 levels deep, is finite. */
function allFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(allFinite);
  // Creates no list of the members, because an object may have very many.
  for (const name in value) if (!allFinite(Reflect.get(value, name))) return false;
  return true;
}
