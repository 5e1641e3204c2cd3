import type { IncomingMessage } from 'node:http';
import { badRequest, type ListenerError } from './listener-errors.ts';

const tooManyHeaders: ListenerError = { status: 431, detail: 'the request has too many headers' };

/** Judges a request by its head: undefined when it may be served. */
export type RequestRules = (incoming: IncomingMessage) => ListenerError | undefined;

/**
 * The rules that a request must keep beyond those of Node's parser: HTTP/1.0 or 1.1, one Host that names a
 * host, a target that is a path or an absolute URL, framing that nobody can read in two ways, and no more than
 * `maxHeadersCount` headers.
 */
export function createRequestRules(maxHeadersCount: number): RequestRules {
  let knownHost = '';

  function hostRefusal(incoming: IncomingMessage): ListenerError | undefined {
    const host = incoming.headers.host;
    if (host === undefined) {
      return incoming.httpVersionMinor === 0 ? undefined : badRequest('the Host header is missing');
    }
    if (host === knownHost) return undefined;
    if (!isHost(host)) return badRequest('the Host header does not name a host');
    knownHost = host;
    return undefined;
  }

  return (incoming) => {
    if (incoming.httpVersionMajor !== 1) return badRequest('only HTTP/1.1 and HTTP/1.0 are spoken here');
    if (incoming.rawHeaders.length > maxHeadersCount * 2) return tooManyHeaders;
    if (hasTwoHosts(incoming.rawHeaders)) return badRequest('there is more than one Host header');
    return hostRefusal(incoming) ?? targetRefusal(incoming.url ?? '') ?? framingRefusal(incoming);
  };
}

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

/** True for addresses in their one shortest form, which is the only form that the adapter takes. */
function isCanonical(host: string): boolean {
  const hostname = host.slice(0, host.indexOf(']') + 1).toLowerCase();
  return URL.parse(`http://${host}/`)?.hostname === hostname;
}

const targetFault = badRequest('the request target is neither a path nor an http URL');

function targetRefusal(target: string): ListenerError | undefined {
  if (target.includes('#')) return targetFault;
  const query = target.indexOf('?');
  const backslash = target.indexOf('\\');
  if (backslash !== -1 && (query === -1 || backslash < query)) return targetFault;
  if (target.startsWith('/')) return undefined;
  if (!target.startsWith('http://') && !target.startsWith('https://')) return targetFault;
  const url = URL.parse(target);
  return url === null || url.username !== '' || url.password !== '' ? targetFault : undefined;
}

const framingFault = badRequest('the transfer encoding of the request is not understood');

function framingRefusal(incoming: IncomingMessage): ListenerError | undefined {
  const encoding = incoming.headers['transfer-encoding'];
  if (encoding === undefined) return undefined;
  const isPlain = incoming.httpVersionMinor === 1 && encoding.toLowerCase() === 'chunked';
  return isPlain ? undefined : framingFault;
}
