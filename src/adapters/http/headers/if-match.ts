import type { Context } from 'hono';
import type { SeenVersion } from '../../../domain/seen-version.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';
import type { ResponseHeaders } from '../response.ts';

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
