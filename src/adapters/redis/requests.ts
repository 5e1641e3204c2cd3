import { hash } from 'node:crypto';
import type { Change, EncodedRow, RangeRequest, Selection, TableShape } from '../../ports/storage/store.ts';

/** The ids that this service makes, which tell nothing. */
const plainId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

/**
 * An id as a member of a sorted set: in the order of the ids, and as UTF-8 can hold it. Behind one that is not of the
 * form of a UUID, and a line break, follows its digest.
 */
export function encodeId(id: string): string {
  if (plainId.test(id)) return id;
  const encoded = JSON.stringify(id).slice(1, -1);
  return `${encoded}\n${digestOf(encoded)}`;
}

/** The id that {@link encodeId} has encoded. Throws a `SyntaxError` for a text that it has not. */
export function decodeId(encoded: string): string {
  const lineBreak = encoded.indexOf('\n');
  return lineBreak < 0 ? encoded : JSON.parse(`"${encoded.slice(0, lineBreak)}"`);
}

/** The last part of the keys of a row. */
export function nameOf(id: string): string {
  const encoded = encodeId(id);
  return encoded.slice(encoded.indexOf('\n') + 1);
}

/** The digests of the last texts of indexes: most are words of a short list. */
const digests = new Map<string, string>();
const MAX_DIGESTS = 5_000;

/** A text of an index as a part of a key. */
function encodeIndexText(text: string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = digestOf(JSON.stringify(text));
  if (digests.size >= MAX_DIGESTS) digests.clear();
  if (text.length < 200) digests.set(text, digest);
  return digest;
}

/** The values of the script of a commit: see `commitRows`. */
export function encodeCommit(
  changes: readonly Change[],
  payloads: readonly string[],
  texts: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const values = [String(changes.length)];
  for (const { table, id, expects, ifAbsent = false, next, append } of changes) {
    const expected = expects === undefined ? '' : (expects ?? 'none');
    values.push(table, encodeId(id), String(expected), ifAbsent ? '1' : '0', next?.json ?? '');
    if (next === null) continue;
    if (next.body === undefined) values.push('0');
    else values.push('1', next.body);
    values.push(encodeIndexes(next.indexes, texts.get(table)), String(next.expiresAt ?? ''));
    const events = append?.events ?? [];
    values.push(String(append?.after ?? ''), String(events.length), ...events);
  }
  values.push(String(payloads.length), ...payloads);
  return values;
}

function encodeIndexes(indexes: EncodedRow['indexes'], texts: ReadonlySet<string> | undefined): string {
  const t: string[] = [];
  const n: Record<string, string> = {};
  for (const [name, value] of Object.entries(indexes)) {
    if (value === null) continue;
    if (texts?.has(name)) t.push(`${name}:${encodeIndexText(String(value))}`);
    else n[name] = String(value);
  }
  return JSON.stringify({ t, n });
}

/** A range of numbers as Redis writes it, or the texts of an index of texts. */
type Filter =
  | { readonly t: readonly string[] }
  | { readonly n: string; readonly r: readonly (readonly [string, string])[] };

/** A request as the script `find` reads it. */
export interface FindRequest {
  readonly f: readonly Filter[];
  readonly o: string;
  readonly d: boolean;
  readonly a: readonly [string, string] | undefined;
  readonly s: number;
  readonly l: number;
  readonly c: boolean;
  readonly w: number;
}

/** More than there are rows. */
const ALL = Number.MAX_SAFE_INTEGER;

/** A request that finds all rows of a selection; undefined where there can be none. */
export function encodeSelection(
  shape: TableShape,
  { where = {}, between = {} }: Selection,
): FindRequest | undefined {
  const filters: Filter[] = [];
  for (const [index, wanted] of Object.entries(where)) {
    const values = [...new Set(isList(wanted) ? wanted : [wanted])];
    const isText = index in shape.texts;
    const fitting = values.filter((value) => typeof value === (isText ? 'string' : 'number'));
    if (fitting.length === 0) return undefined;
    if (isText) filters.push({ t: fitting.map((value) => `${index}:${encodeIndexText(String(value))}`) });
    else filters.push({ n: index, r: fitting.map((value) => [String(value), String(value)]) });
  }
  for (const [index, { from = -Infinity, until = Infinity }] of Object.entries(between)) {
    filters.push({
      n: index,
      r: [[encodeBound(from), until === Infinity ? '+inf' : `(${encodeBound(until)}`]],
    });
  }
  return { f: filters, o: '', d: false, a: undefined, s: 0, l: ALL, c: false, w: ALL };
}

/** A request that finds the rows of a range; undefined where there can be none. */
export function encodeRange(shape: TableShape, request: RangeRequest): FindRequest | undefined {
  const { order = '', descending = false, after, limit, offset = 0 } = request;
  const selection = limit <= 0 ? undefined : encodeSelection(shape, request);
  return (
    selection && {
      ...selection,
      o: order,
      d: descending,
      a: after && [encodeBound(after.value), encodeId(after.id)],
      s: offset,
      l: limit,
    }
  );
}

const encodeBound = (bound: number): string =>
  Number.isFinite(bound) ? String(bound) : bound > 0 ? '+inf' : '-inf';

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
