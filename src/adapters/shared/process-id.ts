import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pid } from 'node:process';

/** A name of this process that no other one has, and none after it: with its host and number, for operators. */
export function createProcessId(): string {
  return `${hostname()}:${pid}:${randomUUID()}`;
}

/** A digest from which a text cannot be told. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
