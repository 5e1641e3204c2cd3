import { promises as dns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { quote } from '../../../lib/text/quote.ts';
import { isMetadataHost, readAddress } from './addresses.ts';
import type { AllowList } from './allow-list.ts';
import { OutboundError } from './error.ts';

/** Finds the addresses of a host. Rejects where there are none. */
export type ResolveHost = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** The system's own resolution, with its hosts file. */
export const systemResolve: ResolveHost = (host) => dns.lookup(host, { all: true });

/** Where a request goes. */
export interface Target {
  readonly url: URL;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Named in the allow list: its addresses may be private, and it may be asked without TLS. */
  readonly isAllowed: boolean;
}

/** Maximum length of a URL, in characters. */
const MAX_URL_LENGTH = 16_384;

/** Parses a URL and checks all that can be checked before a connection is made. Throws `invalid` or `refused`. */
export function checkTarget(text: string, allowList: AllowList): Target {
  const url = parseUrl(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const isAllowed = allowList.allowsHost(host, port);
  const target = { url, host, port, isTls, isAllowed };
  if (isMetadataHost(host)) throw refused(host, 'it serves the credentials of a cloud');
  // No look-up happens for an address, so that it is checked here.
  if (isIP(host) !== 0) checkAddress(target, host, allowList);
  return target;
}

function parseUrl(text: string): URL {
  const invalid = (problem: string) => new OutboundError('invalid', `the URL ${problem}`, { sent: false });
  if (text.length > MAX_URL_LENGTH) throw invalid(`is longer than ${MAX_URL_LENGTH} characters`);
  if (!URL.canParse(text)) throw invalid('is not valid');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('must begin with https://');
  if (url.username + url.password !== '') throw invalid('must not contain a user or a password');
  return url;
}

/** Throws `refused` for an address that a request must not go to. */
function checkAddress(target: Target, text: string, allowList: AllowList): void {
  const problem = problemOf(target, text, allowList);
  if (problem !== undefined) throw refused(target.host, problem);
}

/** Why a request must not go to an address; undefined where it may. */
function problemOf(
  { port, isTls, isAllowed }: Target,
  text: string,
  allowList: AllowList,
): string | undefined {
  const address = readAddress(text);
  if (address === undefined) return 'it has no valid address';
  if (address.isMetadata) return 'it serves the credentials of a cloud';
  if (isAllowed || allowList.allowsAddress(address.text, port)) return undefined;
  if (!address.isPublic) return 'its address is not public, and OUTBOUND_ALLOW does not name it';
  return isTls ? undefined : 'only https is allowed, unless OUTBOUND_ALLOW names it';
}

function refused(host: string, problem: string): OutboundError {
  return new OutboundError('refused', `requests to host ${quote(host)} are refused: ${problem}`, {
    sent: false,
  });
}

/**
 * The look-up of a connection to a target: it passes on only the addresses that the request may go to, so that the
 * address which is checked is the one that is connected to. Fails with `refused` where none is left.
 */
export function guardedLookup(target: Target, resolve: ResolveHost, allowList: AllowList): LookupFunction {
  const { host } = target;
  return (_host, options, callback) => {
    const done = (error: Error | null, found: readonly { address: string; family: number }[]): void => {
      const [first] = found;
      if (error !== null || first === undefined) callback(error ?? refused(host, 'it has no address'), '', 0);
      else if (options.all === true) callback(null, [...found]);
      else callback(null, first.address, first.family);
    };
    resolve(host).then(
      (found) => {
        const open = found.filter(({ address }) => problemOf(target, address, allowList) === undefined);
        const [first] = found;
        if (open.length > 0 || first === undefined) return done(null, open);
        done(refused(host, problemOf(target, first.address, allowList) ?? ''), []);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error('the look-up failed'), []),
    );
  };
}
