import { hash, timingSafeEqual } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import type { RateDecision, RateLimiter } from '../../../ports/rate-limiter.ts';
import type { AppEnv } from '../env.ts';
import { prefersHtml } from '../parse-headers.ts';
import { errorResponse } from '../response.ts';

/**
 * Checks the rate limit first, so that it also limits attempts to guess a key, and then the API key (specification,
 * sections 5 and 8).
 */
export function accessControl({
  limiter,
  isAccepted,
  trustProxyHeaders,
  isForeign,
}: {
  /** Undefined when the number of requests is not limited. */
  readonly limiter: RateLimiter | undefined;
  /** Undefined when authentication is off. */
  readonly isAccepted: KeyCheck | undefined;
  /** True when the last entry of X-Forwarded-For is the client's address. */
  readonly trustProxyHeaders: boolean;
  /**
   * True when a page of another site makes a request that is answered all the same. Such requests are counted by
   * themselves, so that a page cannot use up the requests of others on its machine.
   */
  readonly isForeign: (c: Context<AppEnv>) => boolean;
}): MiddlewareHandler<AppEnv> {
  return async function controlAccess(c, next) {
    const client = clientAddress(c, trustProxyHeaders);
    if (limiter !== undefined) {
      const key = limiterKey(client);
      const decision = await limiter.consume(isForeign(c) ? `${key} foreign` : key);
      setRateLimitHeaders(c, decision);
      if (!decision.admitted) return tooManyRequests(c, client, decision);
    }
    if (isAccepted !== undefined) {
      const apiKey = c.req.header('x-api-key');
      if (!isAccepted(apiKey)) return unauthorized(c, client);
      c.set('apiKey', apiKey);
    }
    await next();
    return undefined;
  };
}

/** Sets the IETF RateLimit headers, which are structured fields (decisions, section 7). */
function setRateLimitHeaders(
  c: Context<AppEnv>,
  { limit, remaining, resetSeconds, windowSeconds }: RateDecision,
): void {
  const headers = c.get('headers');
  headers['RateLimit'] = `"default";r=${remaining};t=${resetSeconds}`;
  headers['RateLimit-Policy'] = `"default";q=${limit};w=${windowSeconds}`;
}

function tooManyRequests(c: Context<AppEnv>, client: string, decision: RateDecision): Response {
  c.set('logFields', { client });
  const detail = `more than ${decision.limit} requests in ${decision.windowSeconds} seconds`;
  return errorResponse(c, { status: 429, detail }, { 'Retry-After': String(decision.resetSeconds) });
}

/** The scheme of the key header. It is not one that a browser knows, so that no browser asks for a password. */
const challenge = { 'WWW-Authenticate': 'ApiKey realm="orchestration-service", header="X-Api-Key"' };

/** Added for a browser, which cannot send the header when it opens a page. */
const forBrowsers =
  '; to look at pages in a browser, run `orchestration-service console --url URL --key-file FILE`, which adds the key';

function unauthorized(c: Context<AppEnv>, client: string): Response {
  c.set('logFields', { client });
  const detail = 'a valid API key is required in the header X-Api-Key';
  if (!prefersHtml(c.req.header('accept'))) return errorResponse(c, { status: 401, detail }, challenge);
  return errorResponse(c, { status: 401, detail: `${detail}${forBrowsers}` }, challenge);
}

/** Returns whether the key of a request is one of the accepted keys. */
type KeyCheck = (key: string | undefined) => boolean;

/**
 * Creates a check against a set of keys (specification, section 5.2). It compares the digest of the request's key with
 * the digests of all accepted keys in constant time, so that timing shows neither the number of keys nor a match.
 */
export function createKeyCheck(
  keys: readonly string[],
  equal: (a: Uint8Array, b: Uint8Array) => boolean = timingSafeEqual,
): KeyCheck {
  const digests = keys.map(digest);
  return function isAccepted(key) {
    const candidate = digest(key ?? '');
    let matches = 0;
    for (const accepted of digests) matches |= Number(equal(candidate, accepted));
    return matches === 1 && key !== undefined && key !== '';
  };
}

function digest(key: string): Uint8Array {
  return hash('sha256', key, 'buffer');
}

/**
 * The address of the client: the socket's peer, or the last entry of X-Forwarded-For when proxies are trusted and the
 * entry is an address (specification, section 5.8). Normalized by {@link normalizeAddress}; `unknown` without a socket.
 */
export function clientAddress(c: Context<AppEnv>, trustProxyHeaders: boolean): string {
  const peer = normalizeAddress(c.env?.incoming?.socket?.remoteAddress ?? '') ?? 'unknown';
  if (!trustProxyHeaders) return peer;
  const forwarded = c.req.header('x-forwarded-for');
  if (forwarded === undefined) return peer;
  return normalizeAddress(forwarded.slice(forwarded.lastIndexOf(',') + 1)) ?? peer;
}

/**
 * The canonical form of an address, so that a client is counted once: IPv6 in the short form of RFC 5952 without
 * brackets, port and zone, IPv4-mapped IPv6 as IPv4. Undefined when the text is not an address.
 */
export function normalizeAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const address =
    /^\[(.*)\](?::\d{1,5})?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(trimmed)?.[1] ?? trimmed;
  if (isIPv4(address)) return address;
  return isIP(address) === 6 ? normalizeIPv6(address) : undefined;
}

/**
 * The key by which a client is counted, given its normalized address: IPv6 addresses of one /64 are one client, because
 * one subscriber has all of them.
 */
function limiterKey(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  const network = [...first, ...zeros, ...last].slice(0, 4).join(':');
  return `${normalizeIPv6(`${network}::`)}/64`;
}

/** The URL parser returns the short form. It accepts no zone, such as the `%eth0` of a link-local address. */
function normalizeIPv6(address: string): string {
  const [withoutZone = address] = address.split('%', 1);
  const short = new URL(`http://[${withoutZone}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short);
  if (mapped === null) return short;
  const bytes = mapped.slice(1).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}
