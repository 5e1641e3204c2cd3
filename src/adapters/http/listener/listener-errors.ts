import { STATUS_CODES } from 'node:http';
import { type SerializedError, serializeError } from '../error-body.ts';
import { securityHeaders } from '../response.ts';

/** Why the listener rejects a request before the application sees it. */
export interface ListenerError {
  readonly status: number;
  /** A fixed text: it contains nothing that the client sent. */
  readonly detail: string;
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that violates HTTP, or the rules of this server: 400. */
export function badRequest(detail: string): ListenerError {
  return { status: 400, detail };
}

const parserErrors: Readonly<Record<string, ListenerError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'the request did not arrive in time' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'the header of the request is too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'the chunk extensions of the request are too large' },
};

/** The response to an error of Node's HTTP parser, given the error's code. */
export function parserError(code: string | undefined): ListenerError {
  const known = code !== undefined && Object.hasOwn(parserErrors, code) ? parserErrors[code] : undefined;
  return known ?? badRequest('the request is not valid HTTP');
}

/** What the listener knows of a rejected request; undefined members where its header could not be read. */
export interface RejectedRequest {
  readonly method?: string | undefined;
  readonly accept?: string | undefined;
}

/**
 * The response to an error. The connection closes, because what follows the request on it cannot be trusted. `accept`
 * is the Accept header of the request.
 */
export function listenerResponse(error: ListenerError, requestId: string, accept?: string): SerializedError {
  const { body, headers } = serializeError(error, accept);
  return {
    body,
    headers: {
      ...headers,
      Connection: 'close',
      ...securityHeaders,
      'X-Request-Id': requestId,
      ...error.headers,
    },
  };
}

/** Serializes a complete HTTP/1.1 response, for requests without a response object. */
export function serializeListenerError(
  error: ListenerError,
  requestId: string,
  { method, accept }: RejectedRequest,
): string {
  const response = listenerResponse(error, requestId, accept);
  const { body } = response;
  const headers = {
    Date: new Date().toUTCString(),
    'Content-Length': String(Buffer.byteLength(body)),
    ...response.headers,
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const statusLine = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Unknown'}\r\n`;
  return `${statusLine}${head.join('')}\r\n${method === 'HEAD' ? '' : body}`;
}
