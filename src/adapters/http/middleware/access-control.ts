import type { Context, MiddlewareHandler } from 'hono';
import type { RateDecision, RateLimiter } from '../../../ports/rate-limiter.ts';
import type { AppEnv } from '../env.ts';
import { errorResponse } from '../response.ts';
import type { KeyCheck } from './api-keys.ts';
import { clientAddress } from './client-address.ts';

export interface AccessControlOptions {
  /** Absent while the number of requests is not limited. */
  readonly limiter: RateLimiter | undefined;
  /** Absent while authentication is off. */
  readonly isAccepted: KeyCheck | undefined;
  readonly trustProxyHeaders: boolean;
}

/**
 * Stands before everything but health checks: first the rate limit, so that guessing keys is limited too, then the
 * key (specification, sections 5 and 8). One middleware for both, and no waiting where the limiter needs none.
 */
export function accessControl(options: AccessControlOptions): MiddlewareHandler<AppEnv> {
  const { limiter, isAccepted, trustProxyHeaders } = options;
  return async function guarded(c, next) {
    const client = clientAddress(c, trustProxyHeaders);
    if (limiter !== undefined) {
      const counted = limiter.consume(client);
      const decision = 'then' in counted ? await counted : counted;
      tellLimit(c, decision);
      if (!decision.admitted) return refuseTooMany(c, client, decision);
    }
    if (isAccepted !== undefined && !isAccepted(c.req.header('x-api-key'))) return refuseKey(c, client);
    await next();
    return undefined;
  };
}

/** IETF RateLimit headers, as structured fields (decisions, section 7). */
function tellLimit(
  c: Context<AppEnv>,
  { limit, remaining, resetSeconds, windowSeconds }: RateDecision,
): void {
  const headers = c.get('headers');
  headers['RateLimit'] = `"default";r=${remaining};t=${resetSeconds}`;
  headers['RateLimit-Policy'] = `"default";q=${limit};w=${windowSeconds}`;
}

function refuseTooMany(c: Context<AppEnv>, client: string, decision: RateDecision): Response {
  c.set('logged', { client });
  return errorResponse(c, 429, `more than ${decision.limit} requests in ${decision.windowSeconds} seconds`, {
    'Retry-After': String(decision.resetSeconds),
  });
}

function refuseKey(c: Context<AppEnv>, client: string): Response {
  c.set('logged', { client });
  return errorResponse(c, 401, 'a valid API key is required in the header X-Api-Key');
}
