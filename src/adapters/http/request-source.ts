/** The headers of a request that tell which server it is for, and which page makes it. Absent ones are undefined. */
export interface RequestSource {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site, Sec-Fetch-Mode and Sec-Fetch-Dest, which only browsers send. */
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly destination: string | undefined;
}

/** The pages whose requests a server accepts. */
export interface SourceRules {
  /** Whether a Host header names this server. A name that an attacker has pointed at it does not (DNS rebinding). */
  readonly isOwnHost: (host: string | undefined) => boolean;
  /** Whether an Origin header names pages of the server itself, for requests with this Host header. */
  readonly isOwnOrigin: (origin: string, host: string | undefined) => boolean;
  /** Whether an Origin header names other pages that may use the server. */
  readonly isAllowedOrigin: (origin: string) => boolean;
  /**
   * Whether only pages of the server itself are accepted: no page of another port, no link on another page, and a
   * request that changes something has to show where it comes from.
   */
  readonly ownPagesOnly: boolean;
}

/** The part of a request by which it is refused; `unknown` when it does not show where it comes from. */
export type ForeignPart = 'host' | 'origin' | 'site' | 'unknown';

/** Whether requests with this method change nothing. */
export function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The part by which a request is refused under the rules; undefined for one that is accepted. */
export function foreignPart(source: RequestSource, rules: SourceRules): ForeignPart | undefined {
  const { method, host, origin, site } = source;
  if (!rules.isOwnHost(host)) return 'host';
  // Without one of these headers no page made it, unless only own pages are accepted.
  if (!rules.ownPagesOnly && ((origin === undefined && site !== 'cross-site') || isLink(source)))
    return undefined;
  if (origin !== undefined) {
    if (rules.isAllowedOrigin(origin)) return undefined;
    if (!rules.isOwnOrigin(origin, host)) return 'origin';
  }
  if (!rules.ownPagesOnly) return site === 'cross-site' ? 'site' : undefined;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'site';
  const isShown = isSafe(method) || origin !== undefined || site === 'same-origin';
  return isShown ? undefined : 'unknown';
}

/** Whether somebody has followed a link to a page. A frame, which pages open by themselves, is none. */
function isLink({ method, mode, destination = 'document' }: RequestSource): boolean {
  return method === 'GET' && mode === 'navigate' && destination === 'document';
}
