import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from '../report/statistics.ts';
import { onResponses, type Request, serializeRequest } from './raw-http.ts';

/**
 * Connections opened at the same time: fewer than the listener's backlog (511), for the kernel retries a connection
 * that does not fit only after a second.
 */
const CONCURRENT_OPENS = 200;

/** Connections from one loopback address: far fewer than there are ports, so that ports in TIME_WAIT do not matter. */
const CONNECTIONS_PER_ADDRESS = 5_000;

/** Milliseconds without a byte after which a connection counts as failed. */
const SOCKET_TIMEOUT_MS = 120_000;

/** The result of sending one request on all connections. */
export interface BurstResult {
  /** Responses with the status 200. */
  readonly succeeded: number;
  /** Milliseconds from the first request to the last response. */
  readonly tookMs: number;
  /** Latency in milliseconds, from each request to its response. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Many open connections; disposing of the pool closes them. */
export interface ConnectionPool extends Disposable {
  /** The number of connections that could be opened. */
  readonly open: number;
  /** Sends a request on all connections at the same time, and waits until each has a response or failed. */
  send(request: Request): Promise<BurstResult>;
}

/** Sends over one connection. Resolves to the status of the response, or to `undefined` if the connection failed. */
type Send = (bytes: Buffer) => Promise<number | undefined>;

/** Opens `count` connections to a local port. Pools with different numbers use different local addresses. */
export async function openConnections(port: number, count: number, number: number): Promise<ConnectionPool> {
  const sockets: Socket[] = [];
  const senders: Send[] = [];
  let opened = 0;
  const openNext = async (): Promise<void> => {
    while (opened < count) {
      const socket = connect({
        port,
        host: '127.0.0.1',
        ...localAddressOf(number * count + opened),
      }).setNoDelay(true);
      opened += 1;
      sockets.push(socket);
      const connected = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (connected) senders.push(createSender(socket));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_OPENS }, openNext));
  return {
    open: senders.length,
    send: (request) => sendOnAll(senders, serializeRequest(port, request)),
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The local address of a connection. Only Linux has all of 127.0.0.0/8 without configuration. */
function localAddressOf(connection: number): { localAddress?: string } {
  if (process.platform !== 'linux') return {};
  return { localAddress: `127.0.1.${1 + Math.floor(connection / CONNECTIONS_PER_ADDRESS)}` };
}

function createSender(socket: Socket): Send {
  let settle: ((status: number | undefined) => void) | undefined;
  onResponses(socket, ({ status }) => settle?.(status));
  // `close` follows and settles.
  socket.on('error', () => undefined);
  socket.once('close', () => settle?.(undefined));
  socket.setTimeout(SOCKET_TIMEOUT_MS, () => socket.destroy());
  return (bytes) =>
    new Promise((resolve) => {
      settle = resolve;
      if (socket.destroyed) resolve(undefined);
      else socket.write(bytes);
    });
}

async function sendOnAll(senders: readonly Send[], bytes: Buffer): Promise<BurstResult> {
  const latencies: number[] = [];
  let succeeded = 0;
  const started = performance.now();
  await Promise.all(
    senders.map(async (send) => {
      const sentAt = performance.now();
      const status = await send(bytes);
      latencies.push(performance.now() - sentAt);
      if (status === 200) succeeded += 1;
    }),
  );
  const tookMs = performance.now() - started;
  latencies.sort((one, other) => one - other);
  return { succeeded, tookMs, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}
