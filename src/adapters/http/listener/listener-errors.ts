import { STATUS_CODES } from 'node:http';
import { errorBody, securityHeaders } from '../response.ts';

/** Why the listener itself turns a request away, before the application sees it. */
export interface ListenerError {
  readonly status: number;
  /** Fixed text: nothing that the caller sent is in it. */
  readonly detail: string;
  /** Headers beside the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that breaks the rules of HTTP, or of this server: 400. */
export function badRequest(detail: string): ListenerError {
  return { status: 400, detail };
}

const parserErrors: Readonly<Record<string, ListenerError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'the request did not arrive in time' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'the header of the request is too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'the chunk extensions of the request are too large' },
};

/** What is answered to an error of Node's HTTP parser, told by its code. */
export function parserError(code: string | undefined): ListenerError {
  const known = code !== undefined && Object.hasOwn(parserErrors, code) ? parserErrors[code] : undefined;
  return known ?? badRequest('the request is not valid HTTP');
}

/** The error body of a refusal, as text. */
export function listenerErrorBody(refusal: ListenerError): string {
  return JSON.stringify(errorBody(refusal.status, refusal.detail));
}

/** The headers of a refusal. The connection ends with it: what follows on it cannot be trusted. */
export function listenerErrorHeaders(refusal: ListenerError, requestId: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Connection: 'close',
    ...securityHeaders,
    'X-Request-Id': requestId,
    ...refusal.headers,
  };
}

/** A whole reply as it goes over the wire, for callers to whom no response object belongs. */
export function serializeListenerError(refusal: ListenerError, requestId: string, method: string | undefined): string {
  const body = listenerErrorBody(refusal);
  const headers = {
    Date: new Date().toUTCString(),
    'Content-Length': String(Buffer.byteLength(body)),
    ...listenerErrorHeaders(refusal, requestId),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const statusLine = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? 'Unknown'}\r\n`;
  return `${statusLine}${head.join('')}\r\n${method === 'HEAD' ? '' : body}`;
}
