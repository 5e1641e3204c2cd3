import { isIP } from 'node:net';
import type { Context } from 'hono';
import type { AppEnv } from '../env.ts';

const mappedPrefix = '::ffff:';

/**
 * The address that a request came from: the socket's peer, or the last entry of X-Forwarded-For when proxies are
 * trusted and that entry is an address (specification, section 5.8). IPv4-mapped addresses are IPv4.
 */
export function clientAddress(c: Context<AppEnv>, trustProxyHeaders: boolean): string {
  const peer = normalizeAddress(c.env?.incoming?.socket?.remoteAddress ?? '') ?? 'unknown';
  if (!trustProxyHeaders) return peer;
  const forwarded = c.req.header('x-forwarded-for');
  if (forwarded === undefined) return peer;
  return normalizeAddress(forwarded.slice(forwarded.lastIndexOf(',') + 1)) ?? peer;
}

/** An address in its plain form, without brackets, port and IPv4 mapping; undefined where the text is none. */
export function normalizeAddress(text: string): string | undefined {
  let address = text.trim().toLowerCase();
  const bracketed = /^\[([0-9a-f:.]{2,45})\](?::\d{1,5})?$/.exec(address);
  if (bracketed?.[1] !== undefined) address = bracketed[1];
  else if (/^[\d.]{7,15}:\d{1,5}$/.test(address)) address = address.slice(0, address.indexOf(':'));
  if (address.startsWith(mappedPrefix)) {
    const mapped = address.slice(mappedPrefix.length);
    if (isIP(mapped) === 4) return mapped;
  }
  return isIP(address) === 0 ? undefined : address;
}
