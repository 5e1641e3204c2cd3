import type { IncomingMessage } from 'node:http';
import { type ForeignPart, foreignPart, isSafe } from '../request-source.ts';

/** The names by which a browser on this machine reaches a port of the loopback address, as in a Host header. */
export function ownHosts(port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost'];
  // A browser leaves out the port that is the default of http.
  return new Set(port === 80 ? names : names.map((name) => `${name}:${port}`));
}

/** The methods that are passed on. */
export const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Why a request is not one of the console's own pages; undefined where it is one. This server has a key, so that it
 * accepts no others.
 */
export function foreignRequest(request: IncomingMessage, hosts: ReadonlySet<string>): string | undefined {
  const { headersDistinct, method = '' } = request;
  const header = (name: string): string | undefined => headersDistinct[name]?.join();
  const part = foreignPart(
    {
      method,
      host: header('host'),
      origin: header('origin'),
      site: header('sec-fetch-site'),
      mode: header('sec-fetch-mode'),
      destination: header('sec-fetch-dest'),
    },
    {
      isOwnHost: (host = '') => hosts.has(host),
      isOwnOrigin: (origin, host) => origin === `http://${host}`,
      isAllowedOrigin: () => false,
      ownPagesOnly: true,
    },
  );
  return part && refusals[part];
}

const refusals: Readonly<Record<ForeignPart, string>> = {
  host: 'the Host header is not the address of this console',
  origin: 'the request comes from a page of another origin',
  site: 'the request comes from a page of another site; to open the console, paste its address into the address bar',
  unknown: 'a request that changes something needs the header Origin, or Sec-Fetch-Site: same-origin',
};

/** Requests with POST that change nothing, with their complete path and query. */
const harmlessPosts: readonly RegExp[] = [
  /^\/workflows\/validate$/,
  /^\/workflows\/(?!\.{1,2}\/)[\w.~:@-]+\/simulate$/,
  /^\/agents\/route\?dry_run=true$/,
];

/**
 * Whether a request passes with `--read-only`: GET, HEAD, and POSTs that are known to change nothing. An evaluation is
 * not one of them, because it may call tools.
 */
export function changesNothing(method: string | undefined, url: string): boolean {
  return isSafe(method) || (method === 'POST' && harmlessPosts.some((pattern) => pattern.test(url)));
}
