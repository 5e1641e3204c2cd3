import { StoreFault } from './errors.ts';

/** What a reply of the store was expected to be and is not: another program answers there. */
function unexpected(): StoreFault {
  return new StoreFault('reply', 'UNEXPECTED');
}

/** A reply that is a list. */
export function asList(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unexpected();
  return reply;
}

/** A reply that is a text. */
export function asText(reply: unknown): string {
  if (typeof reply !== 'string') throw unexpected();
  return reply;
}

/** A reply that is a number, or says one. */
export function asNumber(reply: unknown): number {
  const number = typeof reply === 'string' ? Number(reply) : reply;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw unexpected();
  return number;
}

/** A reply that is one of the given. */
export function asOneOf<T extends string | number>(allowed: readonly T[], reply: unknown): T {
  const found = allowed.find((value) => value === reply);
  if (found === undefined) throw unexpected();
  return found;
}

/** What a page script answers: the total, and of each item its id and two texts. */
export interface PageReply {
  readonly total: number;
  readonly items: readonly (readonly [id: string, first: string, second: string])[];
}

/** See {@link PageReply}. */
export function asPage(reply: unknown): PageReply {
  const [total, flat] = asList(reply);
  const texts = asList(flat).map(asText);
  const items: [string, string, string][] = [];
  for (let at = 0; at + 2 < texts.length; at += 3) {
    items.push([texts[at] ?? '', texts[at + 1] ?? '', texts[at + 2] ?? '']);
  }
  return { total: asNumber(total), items };
}
