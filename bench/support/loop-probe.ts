import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Server } from './servers.ts';
import { encode, onReplies, type Reply } from './wire.ts';

/** Milliseconds between an answer of /health and the next question. */
const PAUSE_MS = 5;

/** The longest hold-up of the service's event loop since this was last asked, in milliseconds, measured inside. */
export async function longestDelayMs({ child }: Server): Promise<number> {
  const told = once(child, 'message');
  child.send('tell');
  const [message] = await told;
  return Number(message.longestMs);
}

/** How a request ended, and for how long anybody else had to wait meanwhile. */
export interface Probed {
  readonly reply: Reply;
  readonly tookMs: number;
  /** The longest that an answer of /health took, asked over and over by another connection. */
  readonly healthMs: number;
}

/** Sends one request, as it goes over the wire, while another connection asks for /health. */
export async function probe(port: number, request: Buffer): Promise<Probed> {
  using socket = new DisposableStack();
  const asking = await open(port);
  const other = await open(port);
  socket.defer(() => {
    asking.destroy();
    other.destroy();
  });
  const health = askForHealth(port, other);
  const begun = performance.now();
  const reply = await new Promise<Reply>((resolve, reject) => {
    onReplies(asking, resolve);
    asking.once('error', reject);
    asking.once('close', () => reject(new Error('the connection was closed before the reply')));
    asking.write(request);
  });
  return { reply, tookMs: performance.now() - begun, healthMs: health() };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/** Begins to ask; what it returns tells the longest wait so far, that of an unanswered question included. */
function askForHealth(port: number, socket: Socket): () => number {
  const question = encode(port, { method: 'GET', path: '/health?probe=live' });
  let longest = 0;
  let askedAt: number | undefined;
  const askAgain = (): void => {
    if (socket.destroyed) return;
    askedAt = performance.now();
    socket.write(question);
  };
  onReplies(socket, () => {
    if (askedAt !== undefined) longest = Math.max(longest, performance.now() - askedAt);
    askedAt = undefined;
    setTimeout(askAgain, PAUSE_MS);
  });
  askAgain();
  return () => Math.max(longest, askedAt === undefined ? 0 : performance.now() - askedAt);
}
