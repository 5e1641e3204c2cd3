import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Server } from '../process/servers.ts';
import { onResponses, type Response, serializeRequest } from './raw-http.ts';

/** Milliseconds between a response of /health and the next request. */
const INTERVAL_MS = 5;

/** The longest event loop delay of the service since the last call, in milliseconds, measured inside the process. */
export async function maxEventLoopDelayMs({ child }: Server): Promise<number> {
  const reply = once(child, 'message');
  child.send('read');
  const [message] = await reply;
  return Number(message.longestMs);
}

/** The response to a request, and how long other clients waited meanwhile. */
export interface ProbeResult {
  readonly reply: Response;
  readonly tookMs: number;
  /** The longest response time of /health, requested repeatedly on another connection. */
  readonly healthMs: number;
}

/** Sends one serialized request, while another connection requests /health. */
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

/** Requests /health repeatedly. The returned function reads the longest wait so far, a pending request included. */
function startHealthProbe(port: number, socket: Socket): () => number {
  const healthRequest = serializeRequest(port, { method: 'GET', path: '/health?probe=live' });
  let longest = 0;
  let askedAt: number | undefined;
  const askAgain = (): void => {
    if (socket.destroyed) return;
    askedAt = performance.now();
    socket.write(healthRequest);
  };
  onResponses(socket, () => {
    if (askedAt !== undefined) longest = Math.max(longest, performance.now() - askedAt);
    askedAt = undefined;
    setTimeout(askAgain, INTERVAL_MS);
  });
  askAgain();
  return () => Math.max(longest, askedAt === undefined ? 0 : performance.now() - askedAt);
}
