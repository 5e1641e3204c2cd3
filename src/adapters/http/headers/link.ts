import type { Context } from 'hono';
import type { Page } from '../../../ports/record-store.ts';
import type { AppEnv } from '../env.ts';
import type { ResponseHeaders } from '../response.ts';

/**
 * The `Link` header of a page, to the page after it (RFC 8288); none on the last page. `path` is the path of the listing
 * for clients. The link has all parameters of the request, with another `offset`.
 */
export function nextLink(
  c: Context<AppEnv>,
  path: string,
  { total, limit, offset }: Omit<Page<unknown>, 'items'>,
): ResponseHeaders {
  const next = offset + limit;
  if (next >= total) return {};
  const { searchParams } = new URL(c.req.url);
  searchParams.set('offset', String(next));
  return { Link: `<${path}?${searchParams}>; rel="next"` };
}
