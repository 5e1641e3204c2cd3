import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from '../report/statistics.ts';
import { onResponses, type Request, serializeRequest } from './raw-http.ts';

/**
 * Connections opened at the same time. Where the listener's queue (511) is full nonetheless, for they are open before
 * they are accepted, a connection tries again after a second.
 */
const CONCURRENT_OPENS = 200;

/** Connections from one loopback address: far fewer than there are ports, also while those of before are held back. */
const CONNECTIONS_PER_ADDRESS = 5_000;

/** Milliseconds without a byte after which a connection counts as broken. */
const SOCKET_TIMEOUT_MS = 120_000;

/** What came of the same request on all connections. */
export interface BurstResult {
  /** Replies with the status 200. */
  readonly succeeded: number;
  /** Milliseconds from the first request to the last reply. */
  readonly tookMs: number;
  /** How long the replies took, each from its own request. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Many connections that are open at the same time; disposing of it closes them. */
export interface ConnectionPool extends Disposable {
  /** How many could be opened. */
  readonly open: number;
  /** Sends a request on each of them at once, and waits until all are answered or broken. */
  send(request: Request): Promise<BurstResult>;
}

/** Sends over one connection; resolves to the status of the reply, or to undefined where the connection broke. */
type Send = (bytes: Buffer) => Promise<number | undefined>;

/** Opens `count` connections to a port of this machine. Crowds with different numbers use different addresses. */
export async function openConnections(port: number, count: number, number: number): Promise<ConnectionPool> {
  const sockets: Socket[] = [];
  const asks: Send[] = [];
  let begun = 0;
  const openNext = async (): Promise<void> => {
    while (begun < count) {
      const socket = connect({
        port,
        host: '127.0.0.1',
        ...localAddressOf(number * count + begun),
      }).setNoDelay(true);
      begun += 1;
      sockets.push(socket);
      const connected = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (connected) asks.push(createSender(socket));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_OPENS }, openNext));
  return {
    open: asks.length,
    send: (request) => sendOnAll(asks, serializeRequest(port, request)),
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Where a connection comes from. Only Linux has all of 127.0.0.0/8 without being told. */
function localAddressOf(connection: number): { localAddress?: string } {
  if (process.platform !== 'linux') return {};
  return { localAddress: `127.0.1.${1 + Math.floor(connection / CONNECTIONS_PER_ADDRESS)}` };
}

function createSender(socket: Socket): Send {
  let tell: ((status: number | undefined) => void) | undefined;
  onResponses(socket, ({ status }) => tell?.(status));
  // What is wrong is told by the close that follows.
  socket.on('error', () => undefined);
  socket.once('close', () => tell?.(undefined));
  socket.setTimeout(SOCKET_TIMEOUT_MS, () => socket.destroy());
  return (bytes) =>
    new Promise((resolve) => {
      tell = resolve;
      if (socket.destroyed) resolve(undefined);
      else socket.write(bytes);
    });
}

async function sendOnAll(asks: readonly Send[], bytes: Buffer): Promise<BurstResult> {
  const latencies: number[] = [];
  let answered = 0;
  const started = performance.now();
  await Promise.all(
    asks.map(async (ask) => {
      const sentAt = performance.now();
      const status = await ask(bytes);
      latencies.push(performance.now() - sentAt);
      if (status === 200) answered += 1;
    }),
  );
  const tookMs = performance.now() - started;
  latencies.sort((one, other) => one - other);
  return { succeeded: answered, tookMs, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}
