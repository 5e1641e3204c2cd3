import { BlockList, isIP } from 'node:net';

/** The targets that an operator allows beyond `https` to public addresses. */
export interface AllowList {
  /** True where an entry names this host, and this port or none. The host is as in a parsed URL, without brackets. */
  allowsHost(host: string, port: number): boolean;
  /** True where an entry contains this address, for this port or all. The address is no IPv4-mapped one. */
  allowsAddress(address: string, port: number): boolean;
}

/** One entry: a host, or a range of addresses. */
interface Entry {
  /** All ports when undefined. */
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly range: BlockList | undefined;
}

const MAX_PORT = 65_535;

/** The issues of a list of entries, which name entries by their position; empty when it is valid. */
export function allowListIssues(entries: readonly string[]): string[] {
  return entries.flatMap((text, index) =>
    parseEntry(text) === undefined
      ? [`entry ${index + 1} must be a host or an address, also with a port, or a range such as 10.0.0.0/8`]
      : [],
  );
}

/** Creates the list from its entries. Throws where {@link allowListIssues} finds any. */
export function createAllowList(texts: readonly string[]): AllowList {
  const [issue] = allowListIssues(texts);
  if (issue !== undefined) throw new Error(`the allowed targets are not valid: ${issue}`);
  const entries = texts.flatMap((text) => parseEntry(text) ?? []);
  const forPort = (entry: Entry, port: number): boolean => entry.port === undefined || entry.port === port;
  return {
    allowsHost: (host, port) =>
      entries.some((entry) => entry.host === withoutFinalDot(host) && forPort(entry, port)),
    allowsAddress: (address, port) =>
      entries.some(
        (entry) => entry.range?.check(address, familyOf(address)) === true && forPort(entry, port),
      ),
  };
}

/** A host name in lower case without the dot that may end it. */
export function withoutFinalDot(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function parseEntry(text: string): Entry | undefined {
  if (text.includes('/')) return parseRange(text);
  if (isIP(text) === 6) return { host: undefined, port: undefined, range: singleAddress(text) };
  const [, host = '', portText] =
    /^(\[[0-9a-fA-F:.]{2,45}\]|[^\s:[\]@]{1,253})(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > MAX_PORT)) return undefined;
  if (!URL.canParse(`http://${host}/`)) return undefined;
  // The parser writes all forms of an address in the same way, and names in lower case and ASCII.
  const canonical = withoutFinalDot(new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, ''));
  if (isIP(canonical) !== 0) return { host: undefined, port, range: singleAddress(canonical) };
  if (!/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(canonical)) return undefined;
  return { host: canonical, port, range: undefined };
}

function singleAddress(address: string): BlockList {
  const range = new BlockList();
  range.addAddress(address, familyOf(address));
  return range;
}

function parseRange(text: string): Entry | undefined {
  const [, address = '', prefixText] = /^([0-9a-fA-F.:]{2,45})\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  const prefix = Number(prefixText);
  if (version === 0 || prefix > (version === 4 ? 32 : 128)) return undefined;
  const range = new BlockList();
  range.addSubnet(address, prefix, familyOf(address));
  return { host: undefined, port: undefined, range };
}
