import type { Context, MiddlewareHandler } from 'hono';
import { quote } from '../../../lib/text/quote.ts';
import {
  ANY_HOST,
  allowedHostIssues,
  allowedOriginIssues,
  parseHost,
  parseOrigin,
} from '../../shared/allowed-sources.ts';
import { isLoopback } from '../../shared/loopback.ts';
import type { AppEnv } from '../env.ts';
import { errorResponse, noContentResponse } from '../response.ts';
import { clientAddress, normalizeAddress } from './access-control.ts';

/** Decides which pages in a browser may use the app. */
interface BrowserReach {
  /**
   * Lets pages of allowed origins read replies (CORS), and answers their preflights; undefined without such origins.
   */
  readonly cors: MiddlewareHandler<AppEnv> | undefined;
  /** Refuses requests of other pages with 403. Reads no body. */
  readonly refuseForeign: MiddlewareHandler<AppEnv>;
  /**
   * True when a page of another site makes a request: one that is refused, or a link there that somebody has followed.
   */
  isForeign(c: Context<AppEnv>): boolean;
}

/** Request headers that the API reads, beyond those that browsers send without asking. */
const requestHeaders =
  'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Traceparent, Tracestate, X-Api-Key, X-Request-Id';

/** Response headers of the API that browsers show to pages only when they are told to. */
const responseHeaders =
  'Allow, Content-Disposition, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, X-Trace-Id';

/**
 * The headers of the answer to a preflight, beside those of every reply to the origin. A browser keeps it ten minutes.
 */
const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': requestHeaders,
  'Access-Control-Max-Age': '600',
};

/** Creates the checks. Throws for entries that are no hosts or origins. */
export function createBrowserReach({
  allowedHosts,
  allowedOrigins,
  trustProxyHeaders,
}: {
  /** Hosts by which the app may be reached; undefined when a key is needed, which makes every host acceptable. */
  readonly allowedHosts: readonly string[] | undefined;
  readonly allowedOrigins: readonly string[];
  readonly trustProxyHeaders: boolean;
}): BrowserReach {
  const issues = [
    ...allowedHostIssues(allowedHosts ?? []).map((issue) => `allowedHosts: ${issue}`),
    ...allowedOriginIssues(allowedOrigins).map((issue) => `allowedOrigins: ${issue}`),
  ];
  if (issues.length > 0) throw new Error(issues.join('; '));
  const origins = new Set(allowedOrigins.map(parseOrigin));
  const isAllowedOrigin = (origin: string): boolean => origins.has(origin);
  const isAllowedHost = createHostCheck(allowedHosts);

  function findForeignPart(c: Context<AppEnv>): ForeignPart | undefined {
    return foreignPart(c.req.method, (name) => c.req.header(name), {
      isOwnHost: (host) => isAllowedHost(host, c.env?.incoming?.socket?.localAddress),
      isOwnOrigin: (origin, host) => isSameHost(origin, host ?? new URL(c.req.url).host),
      isAllowedOrigin,
      ownPagesOnly: false,
    });
  }

  async function cors(c: Context<AppEnv>, next: () => Promise<void>): Promise<Response | undefined> {
    const origin = c.req.header('origin');
    if (origin !== undefined && isAllowedOrigin(origin)) {
      const headers = c.get('headers');
      headers['Access-Control-Allow-Origin'] = origin;
      headers['Access-Control-Expose-Headers'] = responseHeaders;
      if (c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined) {
        Object.assign(headers, preflightHeaders, { Vary: 'Origin' });
        return noContentResponse(c);
      }
    }
    await next();
    c.res.headers.append('Vary', 'Origin');
    return undefined;
  }

  async function refuseForeign(c: Context<AppEnv>, next: () => Promise<void>): Promise<Response | undefined> {
    const part = findForeignPart(c);
    if (part === undefined) {
      await next();
      return undefined;
    }
    c.set('logFields', { client: clientAddress(c, trustProxyHeaders) });
    return errorResponse(c, { status: 403, detail: refusal(c, part) });
  }

  return {
    cors: origins.size === 0 ? undefined : cors,
    refuseForeign,
    isForeign: (c) => {
      const origin = c.req.header('origin');
      const isCrossSite = c.req.header('sec-fetch-site') === 'cross-site';
      const isLink = isCrossSite && (origin === undefined || !isAllowedOrigin(origin));
      return isLink || findForeignPart(c) !== undefined;
    },
  };
}

function refusal(c: Context<AppEnv>, part: ForeignPart): string {
  const host = c.req.header('host') ?? '';
  const origin = c.req.header('origin') ?? '';
  if (part === 'host')
    return `host ${quote(parseHost(host)?.name ?? host)} is not allowed; see ALLOWED_HOSTS`;
  if (part === 'origin') return `origin ${quote(origin)} is not allowed; see ALLOWED_ORIGINS`;
  return 'a request from a page of another site is not allowed; see ALLOWED_ORIGINS';
}

/**
 * Creates a check whether a Host header names the app, given the address that the connection has reached. A request
 * without one is accepted: every browser sends one.
 */
function createHostCheck(
  allowedHosts: readonly string[] | undefined,
): (host: string | undefined, localAddress: string | undefined) => boolean {
  if (allowedHosts === undefined || allowedHosts.includes(ANY_HOST)) return () => true;
  const allowed = new Set(
    allowedHosts.map((text) => {
      const { name, port } = parseHost(text) ?? { name: text, port: '' };
      return `${name}:${port}`;
    }),
  );
  return (host, localAddress) => {
    if (host === undefined) return true;
    const parsed = parseHost(host);
    if (parsed === undefined) return false;
    const { name, port } = parsed;
    if (isLoopback(name) || allowed.has(`${name}:`) || allowed.has(`${name}:${port}`)) return true;
    return localAddress !== undefined && name === normalizeAddress(localAddress);
  };
}

/** True when an origin has the host and port of a Host header, whatever its scheme. */
function isSameHost(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  // The scheme of the origin decides which port may be left out.
  return url !== null && url.host !== '' && URL.parse(`${url.protocol}//${host}`)?.host === url.host;
}

/** The pages whose requests a server accepts. */
interface SourceRules {
  /** True when a Host header names this server. A name that an attacker has pointed at it does not (DNS rebinding). */
  readonly isOwnHost: (host: string | undefined) => boolean;
  /** True when an Origin header names pages of the server itself, for requests with this Host header. */
  readonly isOwnOrigin: (origin: string, host: string | undefined) => boolean;
  /** True when an Origin header names other pages that may use the server. */
  readonly isAllowedOrigin: (origin: string) => boolean;
  /**
   * True when only pages of the server itself are accepted: no page of another port, no link on another page, and a
   * request that changes something has to show where it comes from.
   */
  readonly ownPagesOnly: boolean;
}

/** The part of a request by which it is refused; `unknown` when it does not show where it comes from. */
export type ForeignPart = 'host' | 'origin' | 'site' | 'unknown';

/** True when requests with this method change nothing. */
export function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The part by which a request is refused under the rules; undefined for one that is accepted. */
export function foreignPart(
  method: string,
  header: (name: string) => string | undefined,
  rules: SourceRules,
): ForeignPart | undefined {
  const [host, origin, site] = [header('host'), header('origin'), header('sec-fetch-site')];
  if (!rules.isOwnHost(host)) return 'host';
  // Without one of these headers no page made it, unless only own pages are accepted.
  if (!rules.ownPagesOnly && origin === undefined && site !== 'cross-site') return undefined;
  if (!rules.ownPagesOnly && isLink(method, header)) return undefined;
  if (origin !== undefined) {
    if (rules.isAllowedOrigin(origin)) return undefined;
    if (!rules.isOwnOrigin(origin, host)) return 'origin';
  }
  if (!rules.ownPagesOnly) return site === 'cross-site' ? 'site' : undefined;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'site';
  const isShown = isSafe(method) || origin !== undefined || site === 'same-origin';
  return isShown ? undefined : 'unknown';
}

/** True when somebody has followed a link to a page. A frame, which pages open by themselves, is none. */
function isLink(method: string, header: (name: string) => string | undefined): boolean {
  const destination = header('sec-fetch-dest') ?? 'document';
  return method === 'GET' && header('sec-fetch-mode') === 'navigate' && destination === 'document';
}
