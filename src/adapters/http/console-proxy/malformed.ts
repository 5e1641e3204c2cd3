import type { IncomingMessage } from 'node:http';
import { isSafe } from './access.ts';

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Why a request is not passed on, because servers do not agree on what it means; undefined for all others. */
export function malformedRequest(request: IncomingMessage): string | undefined {
  if (isSafe(request.method) && hasBody(request)) return `a ${request.method} request must have no body`;
  return undefined;
}
