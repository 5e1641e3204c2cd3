import type { Context, TypedResponse } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { JSONParsed } from 'hono/utils/types';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Page } from '../../ports/record-store.ts';
import type { AppEnv } from './env.ts';
import { type ResponseHeaders, createResponse } from './response.ts';

/** Characters of JSON that go to the socket at once; to make them takes less than a millisecond. */
const CHUNK_LENGTH = 131_072;

/** A listing's envelope around its items. */
type PageBody<Name extends string, W> = Omit<Page<W>, 'items'> & Record<Name, W[]>;

/** A JSON reply, typed for the routes' clients by what it says. */
type JsonReply<T, S extends ContentfulStatusCode> = Response & TypedResponse<JSONParsed<T>, S, 'json'>;

/**
 * The same reply as that of `json`, for a body that may be very long by one of its members, a list or an object: that
 * one comes last, and is made item by item, with turns for others between them. A long body goes out in chunks, for
 * to write 200 MB at once would hold up everybody for as long as to make them.
 */
export async function streamJson<T extends object, S extends ContentfulStatusCode>(
  c: Context<AppEnv>,
  value: T,
  many: keyof T & string,
  status: S,
  headers: ResponseHeaders = {},
): Promise<JsonReply<T, S>> {
  const { [many]: items, ...others } = value;
  const response = await sendByParts(c, partsOf(others, many, items ?? {}), status, headers);
  // As with `json`: the type is for clients alone.
  return response as JsonReply<T, S>;
}

/** A page of a listing: the envelope around its items, of which each is brought into its wire form when its turn comes. */
export async function streamPage<Name extends string, T, W>(
  c: Context<AppEnv>,
  name: Name,
  toWire: (item: T) => W,
  list: () => Promise<Page<T>>,
): Promise<JsonReply<PageBody<Name, W>, 200>> {
  await yieldIfDue();
  const { total, limit, offset, items } = await list();
  await yieldIfDue();
  const parts = partsOf({ total, limit, offset }, name, mapped(items, toWire));
  const response = await sendByParts(c, parts, 200, {});
  // As above.
  return response as JsonReply<PageBody<Name, W>, 200>;
}

function* mapped<T, W>(items: Iterable<T>, map: (item: T) => W): Generator<W> {
  for (const item of items) yield map(item);
}

async function sendByParts(
  c: Context<AppEnv>,
  parts: Iterable<string>,
  status: number,
  headers: ResponseHeaders,
): Promise<Response> {
  const chunks: Buffer<ArrayBuffer>[] = [];
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK_LENGTH) continue;
    chunks.push(Buffer.from(text));
    text = '';
    await yieldIfDue();
  }
  const all = { 'Content-Type': 'application/json', ...headers };
  if (chunks.length === 0) return createResponse(c, text, status, all);
  chunks.push(Buffer.from(text));
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return createResponse(c, ReadableStream.from(chunks), status, { ...all, 'Content-Length': String(length) });
}

/** The JSON text of an object in parts: those of its last member, which are many, each by itself. */
function* partsOf(others: object, many: string, items: object | Iterable<unknown>): Generator<string> {
  const head = JSON.stringify(others).slice(0, -1);
  yield `${head}${head.length > 1 ? ',' : ''}${JSON.stringify(many)}:`;
  if (Symbol.iterator in items) {
    let before = '[';
    for (const item of items) {
      yield before + JSON.stringify(item);
      before = ',';
    }
    yield before === '[' ? '[]}' : ']}';
  } else {
    let before = '{';
    for (const [name, item] of Object.entries(items)) {
      yield `${before}${JSON.stringify(name)}:${JSON.stringify(item)}`;
      before = ',';
    }
    yield before === '{' ? '{}}' : '}}';
  }
}
