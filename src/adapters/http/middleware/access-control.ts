import type { Context, MiddlewareHandler } from 'hono';
import type { RateDecision, RateLimiter } from '../../../ports/rate-limiter.ts';
import type { AppEnv } from '../env.ts';
import { prefersHtml } from '../headers/accept.ts';
import { errorResponse } from '../response.ts';
import type { KeyCheck } from './api-keys.ts';
import { clientAddress, limiterKey } from './client-address.ts';

/** Options of {@link accessControl}. */
export interface AccessControlOptions {
  /** Undefined when the number of requests is not limited. */
  readonly limiter: RateLimiter | undefined;
  /** Undefined when authentication is off. */
  readonly isAccepted: KeyCheck | undefined;
  /** Whether the last entry of X-Forwarded-For is the client's address. */
  readonly trustProxyHeaders: boolean;
  /**
   * Whether a page of another site makes a request that is answered all the same. Such requests are counted by
   * themselves, so that a page cannot use up the requests of others on its machine.
   */
  readonly isForeign: (c: Context<AppEnv>) => boolean;
}

/**
 * Checks the rate limit first, so that it also limits attempts to guess a key, and then the API key (specification,
 * sections 5 and 8).
 */
export function accessControl(options: AccessControlOptions): MiddlewareHandler<AppEnv> {
  const { limiter, isAccepted, trustProxyHeaders, isForeign } = options;
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
