import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free loopback port, sends the port to the parent process, and exits when the parent disconnects. */
export function listenAndReport(server: Pick<Server, 'listen' | 'address'>): void {
  process.once('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => {
    const address = server.address() as AddressInfo;
    process.send?.({ port: address.port });
  });
}
