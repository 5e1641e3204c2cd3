import type { Context } from 'hono';
import type { Page } from '../../../ports/storage/record-store.ts';
import type { AppEnv } from '../env.ts';
import type { ResponseHeaders } from '../response.ts';

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
