import { StoreError } from './errors.ts';

/** The store replied with an unexpected type: probably another program listens on that address. */
function unexpected(): StoreError {
  return new StoreError('reply', 'UNEXPECTED');
}

/** Checks that a reply is an array. Throws `StoreError`, as all functions of this file. */
export function asArray(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unexpected();
  return reply;
}

/** Checks that a reply is a string. */
export function asString(reply: unknown): string {
  if (typeof reply !== 'string') throw unexpected();
  return reply;
}

/** Checks that a reply is a finite number, or a string of one. */
export function asNumber(reply: unknown): number {
  const number = typeof reply === 'string' ? Number(reply) : reply;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw unexpected();
  return number;
}

/** Checks that a reply is one of the allowed values. */
export function asOneOf<T extends string | number>(allowed: readonly T[], reply: unknown): T {
  const found = allowed.find((value) => value === reply);
  if (found === undefined) throw unexpected();
  return found;
}

/** The reply of a page script: the total, and each item's id and two strings. */
export interface PageReply {
  readonly total: number;
  readonly items: readonly (readonly [id: string, first: string, second: string])[];
}

/** Checks that a reply is a {@link PageReply}, which scripts send as `[total, [id, first, second, id, …]]`. */
export function asPage(reply: unknown): PageReply {
  const [total, flat] = asArray(reply);
  return { total: asNumber(total), items: asItems(flat) };
}

/** The reply of a scan script: a part of an index, newest first. */
export interface ScanReply {
  /** The score of the oldest item that was read; undefined when no older one is left. */
  readonly next: number | undefined;
  readonly items: PageReply['items'];
}

/** Checks that a reply is a {@link ScanReply}, which scripts send as a page, with `next` or an empty string. */
export function asScan(reply: unknown): ScanReply {
  const [next, flat] = asArray(reply);
  return { next: next === '' ? undefined : asNumber(next), items: asItems(flat) };
}

function asItems(flat: unknown): PageReply['items'] {
  const strings = asArray(flat).map(asString);
  const items: [string, string, string][] = [];
  for (let index = 0; index < strings.length; index += 3) {
    const [id, first, second] = strings.slice(index, index + 3);
    if (id === undefined || first === undefined || second === undefined) throw unexpected();
    items.push([id, first, second]);
  }
  return items;
}
