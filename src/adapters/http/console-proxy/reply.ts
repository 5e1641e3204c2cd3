import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { consolePolicy, messagePage } from '../console/pages.ts';
import { serializeError } from '../error-body.ts';
import { prefersHtml } from '../headers/accept.ts';
import { securityHeaders } from '../response.ts';

/** A request, and the response to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Sends a response of the console itself, with the security headers and the policy of its pages. A body is left out for
 * HEAD.
 */
export function reply(
  { request, response }: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  body: Uint8Array | string | null,
): void {
  // The client may be gone, or already have the beginning of another response.
  if (response.headersSent || response.destroyed) return;
  const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const always = { ...securityHeaders, 'Content-Security-Policy': consolePolicy };
  response.writeHead(status, { ...always, ...headers, ...length });
  response.end(request.method === 'HEAD' ? null : body);
}

/** Sends an error, in the shape of the service. */
export function replyError(
  exchange: Exchange,
  status: number,
  detail: string,
  headers?: OutgoingHttpHeaders,
): void {
  const serialized = serializeError({ status, detail }, exchange.request.headers.accept);
  reply(
    exchange,
    status,
    { 'Cache-Control': 'no-store', ...serialized.headers, ...headers },
    serialized.body,
  );
}

/** Sends an error that people see who open an address: a page for a browser, else as {@link replyError}. */
export function replyErrorPage(exchange: Exchange, status: number, title: string, detail: string): void {
  if (!prefersHtml(exchange.request.headers.accept)) {
    replyError(exchange, status, detail);
    return;
  }
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  reply(
    exchange,
    status,
    headers,
    messagePage(title, [`${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}.`]),
  );
}
