import type { IncomingMessage } from 'node:http';
import { badRequest, type ListenerError } from './listener-errors.ts';

const tooManyHeaders: ListenerError = { status: 431, detail: 'the request has too many headers' };

/** Checks the head of a request. Returns why it is rejected; undefined when it is valid. */
export type RequestRules = (incoming: IncomingMessage) => ListenerError | undefined;

/**
 * Rules in addition to those of Node's parser: HTTP/1.0 or 1.1, one Host header that names a host, a target that is a
 * path or an absolute URL, unambiguous framing, and at most `maxHeadersCount` headers.
 */
export function createRequestRules(maxHeadersCount: number): RequestRules {
  let lastValidHost = '';

  function checkHost(incoming: IncomingMessage): ListenerError | undefined {
    const host = incoming.headers.host;
    if (host === undefined) {
      return incoming.httpVersionMinor === 0 ? undefined : badRequest('the Host header is missing');
    }
    if (host === lastValidHost) return undefined;
    if (!isHost(host)) return badRequest('the Host header does not name a host');
    lastValidHost = host;
    return undefined;
  }

  return (incoming) => {
    if (incoming.httpVersionMajor !== 1) return badRequest('only HTTP/1.1 and HTTP/1.0 are supported');
    if (incoming.rawHeaders.length > maxHeadersCount * 2) return tooManyHeaders;
    if (hasTwoHosts(incoming.rawHeaders)) return badRequest('there is more than one Host header');
    return checkHost(incoming) ?? checkTarget(incoming.url ?? '') ?? checkFraming(incoming);
  };
}

/** `rawHeaders` alternates names and values. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name !== undefined && name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

const hostName = /^[a-z0-9._-]{1,253}(?::\d{1,5})?$/i;
const ipv6Address = /^\[[0-9a-f:.]{2,45}\](?::\d{1,5})?$/i;

function isHost(host: string): boolean {
  if (hostName.test(host)) return URL.canParse(`http://${host}/`);
  return ipv6Address.test(host) && isCanonical(host);
}

/** Whether an IPv6 address has its canonical form, the only one that the adapter of Node's server accepts. */
function isCanonical(host: string): boolean {
  const hostname = host.slice(0, host.indexOf(']') + 1).toLowerCase();
  return URL.parse(`http://${host}/`)?.hostname === hostname;
}

const invalidTarget = badRequest('the request target is neither a path nor an http URL');

function checkTarget(target: string): ListenerError | undefined {
  if (target.includes('#')) return invalidTarget;
  const query = target.indexOf('?');
  const backslash = target.indexOf('\\');
  if (backslash !== -1 && (query === -1 || backslash < query)) return invalidTarget;
  if (target.startsWith('/')) return undefined;
  if (!target.startsWith('http://') && !target.startsWith('https://')) return invalidTarget;
  const url = URL.parse(target);
  return url === null || url.username !== '' || url.password !== '' ? invalidTarget : undefined;
}

const invalidFraming = badRequest('the transfer encoding of the request is not supported');

function checkFraming(incoming: IncomingMessage): ListenerError | undefined {
  const encoding = incoming.headers['transfer-encoding'];
  if (encoding === undefined) return undefined;
  const isChunked = incoming.httpVersionMinor === 1 && encoding.toLowerCase() === 'chunked';
  return isChunked ? undefined : invalidFraming;
}
