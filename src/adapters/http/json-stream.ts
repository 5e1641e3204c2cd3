import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { streamOf } from '../../lib/async/stream-of.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Page } from '../../ports/storage/record-store.ts';
import type { CursorPage } from '../../ports/storage/run-log.ts';
import type { AppEnv } from './env.ts';
import { nextCursorLink, nextLink } from './record-headers.ts';
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
  headers: ResponseHeaders = {},
): Promise<JsonResponse<T, S>> {
  const response = await streamParts(c, serializeNested(value, [longMember]), status, headers);
  // As in `jsonResponse`.
  return response as JsonResponse<T, S>;
}

/**
 * The same as {@link streamJson} for a value in which the long member stands within another one: `path` leads to it,
 * and each member on the path is serialized last.
 */
export async function streamNestedJson<T extends object>(
  c: Context<AppEnv>,
  value: T,
  path: readonly string[],
  headers: ResponseHeaders = {},
): Promise<JsonResponse<T, 200>> {
  const response = await streamParts(c, serializeNested(value, path), 200, headers);
  // As in `jsonResponse`.
  return response as JsonResponse<T, 200>;
}

/** A listing: where it is, and how its records are read and shown. */
export interface Listing<Name extends string, T, Item> {
  /** The name of the collection. */
  readonly name: Name;
  /** The path of the listing for clients, that of a mount included. */
  readonly path: string;
  readonly toItem: (record: T) => Item;
  readonly list: () => Promise<Page<T>>;
}

/**
 * A page of a listing, with a link to the next one. Each record is converted by `toItem` when it is serialized, so that
 * long pages don't block.
 */
export async function streamPage<const Name extends string, T, Item>(
  c: Context<AppEnv>,
  { name, path, toItem, list }: Listing<Name, T, Item>,
): Promise<JsonResponse<PageBody<Name, Item>, 200>> {
  await yieldIfDue();
  const { items, ...page } = await list();
  await yieldIfDue();
  const { total, limit, offset } = page;
  const parts = serializeParts({ total, limit, offset }, name, mapItems(items, toItem));
  const response = await streamParts(c, parts, 200, nextLink(c, path, page));
  // As in `jsonResponse`.
  return response as JsonResponse<PageBody<Name, Item>, 200>;
}

/** A listing without a total, of which the client has requested at most `limit` records. */
export type CursorListing<Name extends string, T, Item> = Omit<Listing<Name, T, Item>, 'list'> & {
  readonly limit: number;
  readonly list: () => Promise<CursorPage<T>>;
};

/** The response body of a listing without a total. */
type CursorPageBody<Name extends string, Item> = {
  readonly limit: number;
  readonly next_cursor: string | null;
} & Record<Name, Item[]>;

/** The same as {@link streamPage} for a listing without a total. */
export async function streamCursorPage<const Name extends string, T, Item>(
  c: Context<AppEnv>,
  { name, path, limit, toItem, list }: CursorListing<Name, T, Item>,
): Promise<JsonResponse<CursorPageBody<Name, Item>, 200>> {
  await yieldIfDue();
  const { items, nextCursor } = await list();
  await yieldIfDue();
  const next_cursor = nextCursor === null ? null : String(nextCursor);
  const parts = serializeParts({ limit, next_cursor }, name, mapItems(items, toItem));
  const response = await streamParts(c, parts, 200, nextCursorLink(c, path, next_cursor));
  // As in `jsonResponse`.
  return response as JsonResponse<CursorPageBody<Name, Item>, 200>;
}

function* mapItems<T, Item>(items: Iterable<T>, map: (item: T) => Item): Generator<Item> {
  for (const item of items) yield map(item);
}

async function streamParts(
  c: Context<AppEnv>,
  parts: Iterable<string>,
  status: number,
  moreHeaders: ResponseHeaders,
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
  const headers: ResponseHeaders = { 'Content-Type': 'application/json', ...moreHeaders };
  if (chunks.length === 0) return createResponse(c, text, status, headers);
  chunks.push(Buffer.from(text));
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const body = streamOf(chunks);
  return createResponse(c, body, status, { ...headers, 'Content-Length': String(length) });
}

/** Serializes an object in parts, with the members of `path` last. A path that leads to no object ends there. */
function* serializeNested(value: object, [member, ...rest]: readonly string[]): Generator<string> {
  const inner: unknown = member === undefined ? undefined : Reflect.get(value, member);
  if (member === undefined || typeof inner !== 'object' || inner === null) {
    yield JSON.stringify(value);
    return;
  }
  const others = Object.fromEntries(Object.entries(value).filter(([name]) => name !== member));
  if (rest.length === 0) return yield* serializeParts(others, member, inner);
  yield `${openObject(others)}${JSON.stringify(member)}:`;
  yield* serializeNested(inner, rest);
  yield '}';
}

/** The beginning of an object that has further members. */
function openObject(others: object): string {
  const head = JSON.stringify(others).slice(0, -1);
  return `${head}${head.length > 1 ? ',' : ''}`;
}

/** Serializes an object in parts: first `others`, then each item of its last member. */
function* serializeParts(
  others: object,
  lastMember: string,
  items: object | Iterable<unknown>,
): Generator<string> {
  yield `${openObject(others)}${JSON.stringify(lastMember)}:`;
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
