import type { Context, TypedResponse } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { JSONParsed } from 'hono/utils/types';
import type { AppEnv } from './env.ts';
import { type ReplyHeaders, send } from './reply.ts';
import { turnAfter } from './turns.ts';

/** Characters of JSON that go to the socket at once; to make them takes less than a millisecond. */
const CHUNK_LENGTH = 131_072;

/**
 * The same reply as that of `json`, for a body that may be very long by one of its members, a list or an object: that
 * one comes last, and is made item by item, with turns for others between them. A long body goes out in chunks, for
 * to write 200 MB at once would hold up everybody for as long as to make them.
 */
export async function jsonByParts<T extends object, S extends ContentfulStatusCode>(
  c: Context<AppEnv>,
  value: T,
  many: keyof T & string,
  status: S,
  headers: ReplyHeaders = {},
): Promise<Response & TypedResponse<JSONParsed<T>, S, 'json'>> {
  const chunks: Buffer<ArrayBuffer>[] = [];
  let text = '';
  let begun = performance.now();
  for (const part of partsOf(value, many)) {
    text += part;
    if (text.length < CHUNK_LENGTH) continue;
    chunks.push(Buffer.from(text));
    text = '';
    const turn = turnAfter(begun);
    if (turn === undefined) continue;
    await turn;
    begun = performance.now();
  }
  const all = { 'Content-Type': 'application/json', ...headers };
  const response =
    chunks.length === 0 ? send(c, text, status, all) : sendChunks(c, chunks, text, status, all);
  // As with `json`: the type is for clients alone.
  return response as Response & TypedResponse<JSONParsed<T>, S, 'json'>;
}

function sendChunks(
  c: Context<AppEnv>,
  chunks: readonly Buffer<ArrayBuffer>[],
  rest: string,
  status: number,
  headers: ReplyHeaders,
): Response {
  const all = [...chunks, Buffer.from(rest)];
  const length = all.reduce((sum, chunk) => sum + chunk.length, 0);
  return send(c, ReadableStream.from(all), status, { ...headers, 'Content-Length': String(length) });
}

/** The JSON text of an object in parts: one for each item of the long member, which comes last. */
function* partsOf<T extends object>(value: T, many: keyof T & string): Generator<string> {
  const { [many]: items, ...others } = value;
  const head = JSON.stringify(others).slice(0, -1);
  yield `${head}${head.length > 1 ? ',' : ''}${JSON.stringify(many)}:`;
  if (Array.isArray(items)) {
    let before = '[';
    for (const item of items) {
      yield before + JSON.stringify(item);
      before = ',';
    }
    yield before === '[' ? '[]}' : ']}';
  } else {
    let before = '{';
    for (const [name, item] of Object.entries(items ?? {})) {
      yield `${before}${JSON.stringify(name)}:${JSON.stringify(item)}`;
      before = ',';
    }
    yield before === '{' ? '{}}' : '}}';
  }
}
