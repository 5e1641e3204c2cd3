import { hash } from 'node:crypto';
import type { Context } from 'hono';
import type { Awaitable } from '../../../lib/async/awaitable.ts';
import type { AppEnv } from '../env.ts';
import { createResponse, type ResponseHeaders } from '../response.ts';

/**
 * The strong entity tag of a stored record that no longer changes. A record that can still change needs a `revision`,
 * a text that differs after every change.
 */
export type CreateTag = (recordId: string, revision?: string) => string;

/**
 * Creates tags for one version of the service. A record of a given id never changes, and the version decides how it is
 * serialized: both together identify the bytes of the response, without a hash of them for every request.
 */
export function createTags(version: string): CreateTag {
  const prefix = hash('sha256', version, 'base64url').slice(0, 8);
  return (recordId, revision = '') => `"${prefix}.${encodeURIComponent(recordId + revision)}"`;
}

/**
 * Responds 304 when `If-None-Match` has `tag`, and else as `respond`, with the headers of the tag: a private cache may
 * keep the response, and must check the tag before it uses it again. The 304 has the type of the response that it
 * replaces. Like errors it is not part of the typed client, whose callers do not send the header.
 */
export async function unlessCurrent<R extends Response>(
  c: Context<AppEnv>,
  tag: string,
  respond: (headers: ResponseHeaders) => Awaitable<R>,
): Promise<R> {
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
  const sent = c.req.header('if-none-match');
  if (sent === undefined || !matchesTag(sent, tag)) return respond(headers);
  return createResponse(c, null, 304, headers) as R;
}

/** A member of If-None-Match. The opaque part is compared with its quotes, and without the mark of weak tags. */
const entityTag = /(?:^|,)[ \t]*(?:W\/)?("[^"]*")[ \t]*(?=,|$)/g;

/** Whether an If-None-Match header is `*` or has `tag`, by weak comparison (RFC 9110, section 13.1.2). */
export function matchesTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, sent] of ifNoneMatch.matchAll(entityTag)) if (sent === tag) return true;
  return false;
}
