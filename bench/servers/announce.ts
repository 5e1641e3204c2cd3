import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on any free loopback port and tells it to the parent process. */
export function announce(server: Pick<Server, 'listen' | 'address' | 'once'>): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address() as AddressInfo;
    process.send?.({ port: address.port });
  });
}
