import { promises as dns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { quote } from '../../../lib/text/quote.ts';
import { type AllowList, withoutFinalDot } from './allow-list.ts';
import { OutboundError, type Target } from './exchange.ts';

/** Finds the addresses of a host. Rejects where there are none. */
export type ResolveHost = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** The system's own resolution, with its hosts file. */
export const systemResolve: ResolveHost = (host) => dns.lookup(host, { all: true });

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
  if (metadataHosts.has(withoutFinalDot(host))) throw refused(host, 'it serves the credentials of a cloud');
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

/** The reason why a request must not go to an address; undefined where it may. */
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

/** The addresses and hosts at which clouds serve credentials to the machines that they run. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.0.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

const metadataHosts: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/**
 * Reads an address, of any form that sockets take. Undefined for any other text. `text` is the shortest form; an
 * IPv4-mapped address is the IPv4 address. `isPublic` is false for every special range. `isMetadata` is true for one
 * that serves the credentials of a cloud, or leads there by a translation to IPv4.
 */
function readAddress(
  text: string,
): { readonly text: string; readonly isPublic: boolean; readonly isMetadata: boolean } | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  const bytes = address.toByteArray();
  const short = address.kind() === 'ipv6' ? ipv6Text(bytes) : address.toString();
  return {
    text: short,
    isPublic: address.range() === 'unicast' && (bytes.length === 4 || isGlobalUnicast(bytes)),
    isMetadata: [short, ...embedded(bytes)].some((candidate) => metadataAddresses.has(candidate)),
  };
}

/** 2000::/3, from which all global IPv6 addresses are assigned. */
function isGlobalUnicast([first = 0]: readonly number[]): boolean {
  return (first & 0xe0) === 0x20;
}

/** Without a zone, which `toString` would add. */
function ipv6Text(bytes: number[]): string {
  return ipaddr.fromByteArray(bytes).toString();
}

/** The IPv4 addresses that an IPv6 address may stand for: the end (NAT64, mapped), 6to4, and Teredo. */
function embedded(bytes: readonly number[]): readonly string[] {
  if (bytes.length !== 16) return [];
  const end = bytes.slice(12);
  return [end, bytes.slice(2, 6), end.map((byte) => byte ^ 0xff)].map((part) => part.join('.'));
}
