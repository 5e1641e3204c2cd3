import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { type SerializedError, serializeError } from '../error-body.ts';
import { securityHeaders } from '../response.ts';

/** The reason for which the listener rejects a request before the application sees it. */
export interface Rejection {
  readonly status: number;
  /** A fixed text: it contains nothing that the client sent. */
  readonly detail: string;
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that violates HTTP, or the rules of this server: 400. */
export function badRequest(detail: string): Rejection {
  return { status: 400, detail };
}

/** The rejection for an error of Node's HTTP parser, by the error's code. */
export function parserRejection(code: string | undefined): Rejection {
  return parserErrors.get(code) ?? badRequest('the request is not valid HTTP');
}

const parserErrors: ReadonlyMap<string | undefined, Rejection> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, detail: 'the request did not arrive in time' }],
  ['HPE_HEADER_OVERFLOW', { status: 431, detail: 'the header of the request is too large' }],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    { status: 413, detail: 'the chunk extensions of the request are too large' },
  ],
]);

/**
 * Checks the head of a request by rules in addition to those of Node's parser: HTTP/1.0 or 1.1, one Host header that
 * names a host, a target that is a path or an absolute URL, unambiguous framing, and at most `maxHeaders` headers.
 */
export function checkHead(incoming: IncomingMessage, maxHeaders: number): Rejection | undefined {
  const { rawHeaders, headers, url = '', httpVersionMajor, httpVersionMinor } = incoming;
  if (httpVersionMajor !== 1) return badRequest('only HTTP/1.1 and HTTP/1.0 are supported');
  if (rawHeaders.length > maxHeaders * 2) {
    return { status: 431, detail: 'the request has too many headers' };
  }
  // Names and values alternate.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return badRequest('there is more than one Host header');
  if (headers.host === undefined && httpVersionMinor === 1) return badRequest('the Host header is missing');
  if (headers.host !== undefined && !isHost(headers.host)) {
    return badRequest('the Host header does not name a host');
  }
  if (!isTarget(url)) return badRequest('the request target is neither a path nor an http URL');
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined || (httpVersionMinor === 1 && encoding.toLowerCase() === 'chunked')) return;
  return badRequest('the transfer encoding of the request is not supported');
}

const hostPattern = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

function isHost(host: string): boolean {
  const url = hostPattern.test(host) ? URL.parse(`http://${host}/`) : null;
  // The adapter of Node's server accepts only the canonical form of an IPv6 address.
  const address = host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1).toLowerCase() : url?.hostname;
  return url !== null && url.hostname === address;
}

function isTarget(target: string): boolean {
  const [path = ''] = target.split('?', 1);
  if (target.includes('#') || path.includes('\\')) return false;
  if (target.startsWith('/')) return true;
  const url = /^https?:\/\//.test(target) ? URL.parse(target) : null;
  return url !== null && url.username === '' && url.password === '';
}

/**
 * The response to a rejected request whose Accept header is `accept`. The connection closes, because what follows the
 * request on it cannot be trusted.
 */
export function rejectionResponse(
  { status, detail, headers }: Rejection,
  requestId: string,
  accept?: string,
): SerializedError {
  const error = serializeError({ status, detail }, accept);
  const own = { Connection: 'close', ...securityHeaders, 'X-Request-Id': requestId, ...headers };
  return { body: error.body, headers: { ...error.headers, ...own } };
}

/** A response as text of HTTP/1.1, for requests without a response object. */
export function serializeResponse(
  status: number,
  { body, headers }: SerializedError,
  method: string | undefined,
): string {
  const all = {
    Date: new Date().toUTCString(),
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const statusLine = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`;
  return `${statusLine}${head.join('')}\r\n${method === 'HEAD' ? '' : body}`;
}
