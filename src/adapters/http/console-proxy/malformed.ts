import type { IncomingMessage } from 'node:http';
import { hasDotSegment } from '../../shared/dot-segments.ts';
import { isSafe } from '../request-source.ts';

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Why a request is not passed on, because servers do not agree on what it means; undefined for all others. */
export function malformedRequest(request: IncomingMessage): string | undefined {
  if (isSafe(request.method) && hasBody(request)) return `a ${request.method} request must have no body`;
  const [path = ''] = (request.url ?? '').split('?', 1);
  if (/[\\#]/.test(path)) return 'a path must contain no backslash and no #';
  if (hasDotSegment(path)) return 'a path must have no segment . or .., with or without percent-encoding';
  return undefined;
}
