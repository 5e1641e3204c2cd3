import { isIPv6 } from 'node:net';

/** Loopback addresses at which a service that listens on all addresses can be reached. */
const reachable = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** True for the address of a service that listens on all addresses of the machine. */
export function isWildcard(address: string): boolean {
  return reachable.has(address);
}

/** The URLs of a service that listens at `address`, an IP address; that of the console where it is served. */
export function urlsOf(address: string, port: number, hasConsole: boolean) {
  const host = reachable.get(address) ?? address;
  const url = `http://${isIPv6(host) ? `[${host.replace('%', '%25')}]` : host}:${port}`;
  return {
    url,
    docs: `${url}/docs`,
    health: `${url}/health`,
    ...(hasConsole && { console: `${url}/console/` }),
  };
}
