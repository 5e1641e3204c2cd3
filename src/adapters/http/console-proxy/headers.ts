import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Upstream } from './upstream.ts';

/**
 * Headers of requests that are passed on: what the API, its documentation pages and HTTP caches read. All others end
 * here, above all credentials of this machine, what is about the way from the browser, and other names for a method or
 * a path.
 */
const forService: readonly string[] = [
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'pragma',
  'prefer',
  'range',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-request-id',
];

/** Headers of responses that are passed back and say something about the body, the record or the request. */
const aboutResponse: readonly string[] = [
  'accept-ranges',
  'age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'idempotency-replayed',
  'last-modified',
  'link',
  'location',
  'preference-applied',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'vary',
  'x-request-id',
  'x-trace-id',
];

/** Headers of responses that are passed back and forbid the browser something. Those that allow something end here. */
const forbidding: readonly string[] = [
  'content-security-policy',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'permissions-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];

/** The headers that the service gets for a request of the browser, with the key. */
export function requestHeaders(sent: IncomingHttpHeaders, { key }: Upstream): OutgoingHttpHeaders {
  return { ...pick(sent, forService), ...(key !== undefined && { 'x-api-key': key }) };
}

/**
 * The headers that the browser gets for a response of the service to the request for `base`. Links to the service lead
 * here.
 */
export function responseHeaders(
  received: IncomingHttpHeaders,
  base: string,
  upstream: Upstream,
): OutgoingHttpHeaders {
  const { location, link, etag } = received;
  return {
    // Texts of customers: without a rule, browsers write them to their disk. A tag may be asked for again.
    'cache-control': etag === undefined ? 'no-store' : 'private, no-cache',
    ...pick(received, [...aboutResponse, ...forbidding]),
    ...(location !== undefined && { location: localPath(location, base, upstream) ?? location }),
    ...(typeof link === 'string' && {
      link: link.replaceAll(/<([^>]*)>/g, (whole, target: string) => {
        const local = localPath(target, base, upstream);
        return local === undefined ? whole : `<${local}>`;
      }),
    }),
  };
}

/**
 * The path here of a link to the service, which may be relative to `base`: without the origin and the path that the
 * service is mounted under. Undefined for a link to another place. It is read as browsers read it, who remove tabs,
 * take backslashes for slashes and resolve dots.
 */
export function localPath(link: string, base: string, { origin, prefix }: Upstream): string | undefined {
  const target = URL.parse(link, base);
  if (target === null || `${target.protocol}//${target.host}` !== origin) return undefined;
  const path = target.pathname + target.search + target.hash;
  if (!path.startsWith(`${prefix}/`)) return undefined;
  const local = path.slice(prefix.length);
  // Two slashes at the beginning would name another host.
  return local.startsWith('//') ? undefined : local;
}

/** The headers with these names, without those that are of one connection only (RFC 9110, section 7.6.1). */
function pick(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  const named = namedByConnection(headers.connection);
  const picked = names.filter((name) => headers[name] !== undefined && !named.has(name));
  return Object.fromEntries(picked.map((name) => [name, headers[name]]));
}

/**
 * The headers that a Connection header declares to be of one connection, in lower case. The length is never one of
 * them: without it the body would be read as a further request.
 */
function namedByConnection(connection: string | undefined): ReadonlySet<string> {
  const named = new Set(connection?.split(',').map((name) => name.trim().toLowerCase()));
  named.delete('content-length');
  return named;
}
