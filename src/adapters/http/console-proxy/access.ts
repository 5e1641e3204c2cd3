import type { IncomingMessage } from 'node:http';

/** The names by which a browser on this machine reaches a port of the loopback address, as in a Host header. */
export function ownHosts(port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost'];
  // A browser leaves out the port that is the default of http.
  return new Set(port === 80 ? names : names.map((name) => `${name}:${port}`));
}

/** The methods that are passed on. */
export const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Whether requests with this method change nothing. */
export function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Why a request is not one of the console's own pages; undefined where it is one. A name that an attacker has pointed at
 * this machine has another Host (DNS rebinding). Pages of other sites have another Origin or Sec-Fetch-Site, and a request
 * that changes something has to show that it comes from here.
 */
export function foreignRequest(request: IncomingMessage, hosts: ReadonlySet<string>): string | undefined {
  const { headersDistinct, method } = request;
  const [host = '', ...furtherHosts] = headersDistinct['host'] ?? [];
  if (!hosts.has(host) || furtherHosts.length > 0)
    return 'the Host header is not the address of this console';
  const origin = headersDistinct['origin']?.join();
  if (origin !== undefined && origin !== `http://${host}`)
    return 'the request comes from a page of another origin';
  const site = headersDistinct['sec-fetch-site']?.join();
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return 'the request comes from a page of another site; to open the console, paste its address into the address bar';
  }
  if (isSafe(method) || origin !== undefined || site === 'same-origin') return undefined;
  return 'a request that changes something needs the header Origin, or Sec-Fetch-Site: same-origin';
}

/** Requests with POST that change nothing, with their complete path and query. */
const harmlessPosts: readonly RegExp[] = [
  /^\/workflows\/validate$/,
  /^\/workflows\/(?!\.{1,2}\/)[\w.~:@-]+\/simulate$/,
  /^\/agents\/route\?dry_run=true$/,
];

/**
 * Whether a request passes with `--read-only`: GET, HEAD, and POSTs that are known to change nothing. An evaluation is not
 * one of them, because it may call tools.
 */
export function changesNothing(method: string | undefined, url: string): boolean {
  return isSafe(method) || (method === 'POST' && harmlessPosts.some((pattern) => pattern.test(url)));
}
