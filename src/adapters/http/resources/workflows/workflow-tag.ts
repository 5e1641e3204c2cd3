import type { Context } from 'hono';
import { keyOfReference } from '../../../../domain/workflow/key.ts';
import type { Awaitable } from '../../../../lib/async/awaitable.ts';
import type { AppEnv } from '../../env.ts';
import { tagOfVersion, unlessCurrent } from '../../record-headers.ts';
import type { ResponseHeaders } from '../../response.ts';

/**
 * Responds 304 when `If-None-Match` has the tag of a version, and else as `respond`. Never 304 under `key:<key>`:
 * another definition, which has the key by now, may have a version of the same number.
 */
export async function unlessCurrentVersion<R extends Response>(
  c: Context<AppEnv>,
  reference: string,
  version: number,
  respond: (headers: ResponseHeaders) => Awaitable<R>,
): Promise<R> {
  const tag = tagOfVersion(version);
  if (keyOfReference(reference) === undefined) return unlessCurrent(c, tag, respond);
  return respond({ ETag: tag, 'Cache-Control': 'private, no-cache' });
}
