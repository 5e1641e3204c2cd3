import { BlockList, isIP } from 'node:net';

const addresses = new BlockList();
addresses.addSubnet('127.0.0.0', 8, 'ipv4');
addresses.addAddress('::1', 'ipv6');

/** True for a name or address of this machine only: `localhost`, 127.0.0.0/8 or ::1, the last two in any form. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return addresses.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
