import { hash } from 'node:crypto';
import type { Context } from 'hono';
import type { SeenVersion } from '../../domain/seen-version.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import type { Page } from '../../ports/storage/record-store.ts';
import type { AppEnv } from './env.ts';
import { HttpError } from './errors.ts';
import { createResponse, type ResponseHeaders } from './response.ts';

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

/** True when an If-None-Match header is `*` or has `tag`, by weak comparison (RFC 9110, section 13.1.2). */
export function matchesTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, sent] of ifNoneMatch.matchAll(entityTag)) if (sent === tag) return true;
  return false;
}

/** The tag of a version of a record. */
export function tagOfVersion(version: number): string {
  return `"${version}"`;
}

/** The `ETag` of a record by its version. */
export function versionTag(version: number): ResponseHeaders {
  return { ETag: tagOfVersion(version) };
}

const versionPattern = /^"([1-9]\d{0,14})"$/;

/**
 * The version in `If-Match`; undefined where the header is absent, or `*`. Throws 422 for another value, which says
 * what the record is.
 */
export function ifMatchVersion(c: Context<AppEnv>, record: string): number | undefined {
  const header = c.req.header('if-match')?.trim();
  if (header === undefined || header === '*') return undefined;
  const [, digits] = versionPattern.exec(header) ?? [];
  if (digits === undefined) throw invalid('If-Match', `must be the ETag of ${record}, such as "7", or *`);
  return Number(digits);
}

/**
 * The version of a record that a request names: in `If-Match`, or as `version` of its body. Undefined where it names
 * none, or any with `*`. Throws 422 for another `If-Match`, which says what the record is, and where both name
 * different ones.
 */
export function seenVersion(c: Context<AppEnv>, record: string, version?: number): SeenVersion | undefined {
  const tagged = ifMatchVersion(c, record);
  if (tagged === undefined) return version === undefined ? undefined : { version, isPrecondition: false };
  if (version !== undefined && version !== tagged) throw invalid('/version', 'is not the one of If-Match');
  return { version: tagged, isPrecondition: true };
}

function invalid(pointer: string, detail: string): HttpError {
  return new HttpError(422, `${pointer.replace('/', '')}: ${detail}`, { issues: [{ pointer, detail }] });
}

/**
 * The path of a resource below `base`, of segments that may have any characters, such as ids that a program has chosen.
 */
export function resourcePath(base: string, ...segments: readonly string[]): string {
  return [base, ...segments.map((segment) => encodeURIComponent(segment))].join('/');
}

/**
 * The `Link` header of a page, to the page after it (RFC 8288); none on the last page. `path` is the path of the
 * listing for clients. The link has all parameters of the request, with another `offset`.
 */
export function nextLink(
  c: Context<AppEnv>,
  path: string,
  { total, limit, offset }: Omit<Page<unknown>, 'items'>,
): ResponseHeaders {
  const next = offset + limit;
  return next >= total ? {} : linkWith(c, path, 'offset', String(next));
}

/** The same for a listing without a total: the link has `cursor`, which is null on the last page. */
export function nextCursorLink(c: Context<AppEnv>, path: string, cursor: string | null): ResponseHeaders {
  return cursor === null ? {} : linkWith(c, path, 'cursor', cursor);
}

function linkWith(c: Context<AppEnv>, path: string, parameter: string, value: string): ResponseHeaders {
  const { searchParams } = new URL(c.req.url);
  searchParams.set(parameter, value);
  return { Link: `<${path}?${searchParams}>; rel="next"` };
}
