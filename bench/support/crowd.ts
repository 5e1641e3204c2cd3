import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from './statistics.ts';
import { encode, onReplies, type Request } from './wire.ts';

/**
 * Connections opened at the same time. Where the listener's queue (511) is full nonetheless, for they are open before
 * they are accepted, a connection tries again after a second.
 */
const OPENED_TOGETHER = 200;

/** Connections from one loopback address: far fewer than there are ports, also while those of before are held back. */
const PER_ADDRESS = 5_000;

/** Milliseconds without a byte after which a connection counts as broken. */
const SILENT_MS = 120_000;

/** What came of the same request on all connections. */
export interface Answers {
  /** Replies with the status 200. */
  readonly answered: number;
  /** Milliseconds from the first request to the last reply. */
  readonly tookMs: number;
  /** How long the replies took, each from its own request. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Many connections that are open at the same time; disposing of it closes them. */
export interface Crowd extends Disposable {
  /** How many could be opened. */
  readonly open: number;
  /** Sends a request on each of them at once, and waits until all are answered or broken. */
  ask(request: Request): Promise<Answers>;
}

/** Sends over one connection; resolves to the status of the reply, or to undefined where the connection broke. */
type Ask = (bytes: Buffer) => Promise<number | undefined>;

/** Opens `count` connections to a port of this machine. Crowds with different numbers use different addresses. */
export async function openCrowd(port: number, count: number, number: number): Promise<Crowd> {
  const sockets: Socket[] = [];
  const asks: Ask[] = [];
  let begun = 0;
  const openNext = async (): Promise<void> => {
    while (begun < count) {
      const socket = connect({ port, host: '127.0.0.1', ...from(number * count + begun) }).setNoDelay(true);
      begun += 1;
      sockets.push(socket);
      const connected = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (connected) asks.push(asking(socket));
    }
  };
  await Promise.all(Array.from({ length: OPENED_TOGETHER }, openNext));
  return {
    open: asks.length,
    ask: (request) => askAll(asks, encode(port, request)),
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Where a connection comes from. Only Linux has all of 127.0.0.0/8 without being told. */
function from(connection: number): { localAddress?: string } {
  if (process.platform !== 'linux') return {};
  return { localAddress: `127.0.1.${1 + Math.floor(connection / PER_ADDRESS)}` };
}

function asking(socket: Socket): Ask {
  let tell: ((status: number | undefined) => void) | undefined;
  onReplies(socket, ({ status }) => tell?.(status));
  // What is wrong is told by the close that follows.
  socket.on('error', () => undefined);
  socket.once('close', () => tell?.(undefined));
  socket.setTimeout(SILENT_MS, () => socket.destroy());
  return (bytes) =>
    new Promise((resolve) => {
      tell = resolve;
      if (socket.destroyed) resolve(undefined);
      else socket.write(bytes);
    });
}

async function askAll(asks: readonly Ask[], bytes: Buffer): Promise<Answers> {
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
  return { answered, tookMs, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}
