import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Page } from '../../ports/record-store.ts';
import type { AppEnv } from './env.ts';
import { createResponse, type JsonResponse, type ResponseHeaders } from './response.ts';

/** Characters of JSON per chunk: few enough that serializing them does not block the event loop. */
const CHUNK_LENGTH = 131_072;

/** The response body of a listing: the fields of the page, with the items under the name of the collection. */
type PageBody<Name extends string, Item> = Omit<Page<Item>, 'items'> & Record<Name, Item[]>;

/**
 * The same response as `jsonResponse`, for a value with one member that may be very long, a list or an object. That
 * member is serialized last, item by item, and the event loop runs other work in between. Long bodies are sent in
 * chunks.
 */
export async function streamJson<T extends object, S extends ContentfulStatusCode>(
  c: Context<AppEnv>,
  value: T,
  longMember: keyof T & string,
  status: S,
): Promise<JsonResponse<T, S>> {
  const { [longMember]: items, ...others } = value;
  const response = await streamParts(c, serializeParts(others, longMember, items ?? {}), status);
  // As in `jsonResponse`.
  return response as JsonResponse<T, S>;
}

/** A page of a listing. Each record is converted by `toItem` when it is serialized, so that long pages don't block. */
export async function streamPage<Name extends string, T, Item>(
  c: Context<AppEnv>,
  name: Name,
  toItem: (record: T) => Item,
  list: () => Promise<Page<T>>,
): Promise<JsonResponse<PageBody<Name, Item>, 200>> {
  await yieldIfDue();
  const { total, limit, offset, items } = await list();
  await yieldIfDue();
  const parts = serializeParts({ total, limit, offset }, name, mapItems(items, toItem));
  const response = await streamParts(c, parts, 200);
  // As in `jsonResponse`.
  return response as JsonResponse<PageBody<Name, Item>, 200>;
}

function* mapItems<T, Item>(items: Iterable<T>, map: (item: T) => Item): Generator<Item> {
  for (const item of items) yield map(item);
}

async function streamParts(c: Context<AppEnv>, parts: Iterable<string>, status: number): Promise<Response> {
  const chunks: Buffer<ArrayBuffer>[] = [];
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK_LENGTH) continue;
    chunks.push(Buffer.from(text));
    text = '';
    await yieldIfDue();
  }
  const headers: ResponseHeaders = { 'Content-Type': 'application/json' };
  if (chunks.length === 0) return createResponse(c, text, status, headers);
  chunks.push(Buffer.from(text));
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const body = ReadableStream.from(chunks);
  return createResponse(c, body, status, { ...headers, 'Content-Length': String(length) });
}

/** Serializes an object in parts: first `others`, then each item of its last member. */
function* serializeParts(
  others: object,
  lastMember: string,
  items: object | Iterable<unknown>,
): Generator<string> {
  const head = JSON.stringify(others).slice(0, -1);
  yield `${head}${head.length > 1 ? ',' : ''}${JSON.stringify(lastMember)}:`;
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
