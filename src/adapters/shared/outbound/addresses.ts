import ipaddr from 'ipaddr.js';
import { withoutFinalDot } from './allow-list.ts';

/** Where clouds serve credentials to the machines that they run. */
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

/** An address of a connection. */
export interface Address {
  /** In its shortest form; an IPv4-mapped address is the IPv4 address. */
  readonly text: string;
  /** Reachable by everybody on the internet. False for every other and for every special range. */
  readonly isPublic: boolean;
  /** Serves the credentials of a cloud, or leads there by a translation to IPv4. */
  readonly isMetadata: boolean;
}

/** Reads an address, of any form that sockets take. Undefined for any other text. */
export function readAddress(text: string): Address | undefined {
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

/** True for names by which clouds serve credentials. */
export function isMetadataHost(host: string): boolean {
  return metadataHosts.has(withoutFinalDot(host));
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
