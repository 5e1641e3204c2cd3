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
