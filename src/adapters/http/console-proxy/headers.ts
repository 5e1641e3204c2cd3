import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Upstream } from './upstream.ts';

/** Headers of one connection (RFC 9110, section 7.6.1), which say nothing about the next one. */
const hopByHop: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Headers of requests that end here: credentials of this machine, and what is about the way from the browser. */
const endingHere: ReadonlySet<string> = new Set([
  ...hopByHop,
  'authorization',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'origin',
  'referer',
  'x-api-key',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-real-ip',
]);

/** Headers of responses that end here: they would change what the browser keeps for this machine, or ask for a password. */
const notForBrowser: ReadonlySet<string> = new Set([
  ...hopByHop,
  'alt-svc',
  'clear-site-data',
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
  'www-authenticate',
]);

/** The headers that the service gets for a request of the browser, with the key. */
export function requestHeaders(sent: IncomingHttpHeaders, { key }: Upstream): OutgoingHttpHeaders {
  const named = namedByConnection(sent.connection);
  const kept = Object.entries(sent).filter(
    ([name]) => !endingHere.has(name) && !named.has(name) && !/^(?:sec-|x-forwarded-)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...(key !== undefined && { 'x-api-key': key }) };
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
  const named = namedByConnection(received.connection);
  const kept = Object.entries(received).filter(([name]) => !notForBrowser.has(name) && !named.has(name));
  const { location, link } = received;
  return {
    ...Object.fromEntries(kept),
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
 * service is mounted under. Undefined for a link to another place. It is read as browsers read it, who remove tabs, take
 * backslashes for slashes and resolve dots.
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

/**
 * The headers that a Connection header declares to be of one connection, in lower case. The length is never one of them:
 * without it the body would be read as a further request.
 */
function namedByConnection(connection: string | undefined): ReadonlySet<string> {
  const named = new Set(connection?.split(',').map((name) => name.trim().toLowerCase()));
  named.delete('content-length');
  return named;
}
