import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on any free loopback port, tells it to the parent process, and ends when that has gone. */
export function listenAndReport(server: Pick<Server, 'listen' | 'address'>): void {
  process.once('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => {
    const address = server.address() as AddressInfo;
    process.send?.({ port: address.port });
  });
}
