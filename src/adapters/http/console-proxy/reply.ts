import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { consolePolicy, messagePage } from '../console/pages.ts';
import { serializeError } from '../error-body.ts';
import { prefersHtml } from '../parse-headers.ts';
import { securityHeaders } from '../response.ts';

/** Sends a response of the console itself, with the security headers and the policy of its pages. */
export function reply(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: Uint8Array | string | null,
): void {
  // The client may be gone, or already have the beginning of another response.
  if (response.headersSent || response.destroyed) return;
  const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const always = { ...securityHeaders, 'Content-Security-Policy': consolePolicy };
  response.writeHead(status, { ...always, ...headers, ...length });
  response.end(body);
}

/** Sends an error, in the shape of the service. */
export function replyError(
  response: ServerResponse,
  status: number,
  detail: string,
  headers?: OutgoingHttpHeaders,
): void {
  const error = serializeError({ status, detail }, response.req.headers.accept);
  reply(response, status, { 'Cache-Control': 'no-store', ...error.headers, ...headers }, error.body);
}

/** Sends an error that people see who open an address: a page for a browser, else as {@link replyError}. */
export function replyErrorPage(
  response: ServerResponse,
  status: number,
  title: string,
  detail: string,
): void {
  if (!prefersHtml(response.req.headers.accept)) {
    replyError(response, status, detail);
    return;
  }
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
  const sentence = `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}.`;
  reply(response, status, headers, messagePage(title, [sentence]));
}
