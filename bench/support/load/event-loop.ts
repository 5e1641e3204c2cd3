import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Server } from '../process/servers.ts';
import { onResponses, type Response, serializeRequest } from './raw-http.ts';

/** Milliseconds between an answer of /health and the next question. */
const INTERVAL_MS = 5;

/** The longest hold-up of the service's event loop since this was last asked, in milliseconds, measured inside. */
export async function maxEventLoopDelayMs({ child }: Server): Promise<number> {
  const told = once(child, 'message');
  child.send('tell');
  const [message] = await told;
  return Number(message.longestMs);
}

/** How a request ended, and for how long anybody else had to wait meanwhile. */
export interface ProbeResult {
  readonly reply: Response;
  readonly tookMs: number;
  /** The longest that an answer of /health took, asked over and over by another connection. */
  readonly healthMs: number;
}

/** Sends one request, as it goes over the wire, while another connection asks for /health. */
export async function sendWithHealthProbe(port: number, request: Buffer): Promise<ProbeResult> {
  using socket = new DisposableStack();
  const asking = await openSocket(port);
  const other = await openSocket(port);
  socket.defer(() => {
    asking.destroy();
    other.destroy();
  });
  const health = startHealthProbe(port, other);
  const begun = performance.now();
  const reply = await new Promise<Response>((resolve, reject) => {
    onResponses(asking, resolve);
    asking.once('error', reject);
    asking.once('close', () => reject(new Error('the connection was closed before the reply')));
    asking.write(request);
  });
  return { reply, tookMs: performance.now() - begun, healthMs: health() };
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/** Begins to ask; what it returns tells the longest wait so far, that of an unanswered question included. */
function startHealthProbe(port: number, socket: Socket): () => number {
  const question = serializeRequest(port, { method: 'GET', path: '/health?probe=live' });
  let longest = 0;
  let askedAt: number | undefined;
  const askAgain = (): void => {
    if (socket.destroyed) return;
    askedAt = performance.now();
    socket.write(question);
  };
  onResponses(socket, () => {
    if (askedAt !== undefined) longest = Math.max(longest, performance.now() - askedAt);
    askedAt = undefined;
    setTimeout(askAgain, INTERVAL_MS);
  });
  askAgain();
  return () => Math.max(longest, askedAt === undefined ? 0 : performance.now() - askedAt);
}
