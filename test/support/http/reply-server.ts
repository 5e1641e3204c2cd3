import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A test server on a free port of this machine. */
export interface ReplyServer {
  readonly url: string;
  /** Closes its connections and stops it. */
  close(): Promise<void>;
}

/** Starts a server with a request listener. */
export async function startReplyServer(listener: RequestListener): Promise<ReplyServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
