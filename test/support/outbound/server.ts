import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that a server received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on the loopback addresses, which is closed at the end of the test. */
export interface LocalServer {
  readonly port: number;
  /** Connections that were ever made to it. */
  connections(): number;
  /** Connections that are open now. */
  openConnections(): number;
  readonly received: readonly Received[];
}

/** Starts a server; `listener` answers once the request's body has arrived. */
export async function startServer(
  listener: RequestListener,
  tls?: { readonly key: string; readonly cert: string },
): Promise<LocalServer> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const onRequest: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body });
      listener(request, response);
    });
  };
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, openConnections: () => sockets.size, received };
}
