import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';

/**
 * What a proxy does with its connections: `pass` lets everything through, `mute` swallows what the server answers
 * from then on, `silent` what either says, `down` cuts every connection and lets no new one live.
 */
export type ProxyMode = 'pass' | 'mute' | 'silent' | 'down';

/** A stretch of network between a program and a server that a test can spoil. */
export interface TcpProxy {
  readonly port: number;
  setMode(mode: ProxyMode): void;
  /** Milliseconds by which everything that goes to the server is late from now on. */
  setDelay(ms: number): void;
  close(): Promise<void>;
}

/** Starts a proxy before the server on `targetPort` of this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mode: ProxyMode = 'pass';
  let delay = 0;

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }

  function toServer(chunk: Buffer, far: Socket): void {
    if ((mode === 'pass' || mode === 'mute') && !far.destroyed) far.write(chunk);
  }

  const server = createServer((near) => {
    keep(near);
    if (mode === 'down') {
      near.resetAndDestroy();
      return;
    }
    const far = createConnection(targetPort, '127.0.0.1');
    keep(far);
    let sent = Promise.resolve();
    near.on('data', (chunk) => {
      const due = performance.now() + delay;
      // What was sent first arrives first, even where the delay has ended meanwhile.
      sent = sent.then(() => pauseUntil(due)).then(() => toServer(chunk, far));
    });
    far.on('data', (chunk) => {
      if (mode === 'pass' && !near.destroyed) near.write(chunk);
    });
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    setMode(next) {
      mode = next;
      if (mode === 'down') for (const socket of sockets) socket.resetAndDestroy();
    },
    setDelay(ms) {
      delay = ms;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function pauseUntil(due: number): Promise<void> {
  const left = due - performance.now();
  if (left > 0) await new Promise<void>((resolve) => setTimeout(resolve, left).unref());
}
