import { isIP, isIPv4 } from 'node:net';
import type { Context } from 'hono';
import type { AppEnv } from '../env.ts';

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
export function limiterKey(address: string): string {
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
