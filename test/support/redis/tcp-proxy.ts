import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';

/**
 * The behavior of a proxy: `pass` forwards everything, `mute` drops the replies of the server, `silent`
 * drops everything, `down` resets every connection, new ones too.
 */
export type ProxyMode = 'pass' | 'mute' | 'silent' | 'down';

/** A network path to a server that a test can break. */
export interface TcpProxy {
  readonly port: number;
  setMode(mode: ProxyMode): void;
  /** Delays everything that is sent to the server by `ms` milliseconds from now on. */
  setDelay(ms: number): void;
  close(): Promise<void>;
}

/** Starts a proxy to the server on `targetPort` of this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mode: ProxyMode = 'pass';
  let delay = 0;

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }

  function toServer(chunk: Buffer, far: Socket): void {
    if ((mode === 'pass' || mode === 'mute') && !far.destroyed) far.write(chunk);
  }

  const server = createServer((near) => {
    track(near);
    if (mode === 'down') {
      near.resetAndDestroy();
      return;
    }
    const far = createConnection(targetPort, '127.0.0.1');
    track(far);
    let sent = Promise.resolve();
    near.on('data', (chunk) => {
      const due = performance.now() + delay;
      // Keeps the order of chunks when the delay changes.
      sent = sent.then(() => sleepUntil(due)).then(() => toServer(chunk, far));
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

async function sleepUntil(due: number): Promise<void> {
  const remaining = due - performance.now();
  if (remaining > 0) await new Promise<void>((resolve) => setTimeout(resolve, remaining).unref());
}
