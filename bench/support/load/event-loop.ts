import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Server } from '../process/servers.ts';
import { onResponses, type Response, serializeRequest } from './raw-http.ts';

/** Milliseconds between a response of /health and the next request. */
const INTERVAL_MS = 5;

/** The longest event loop delay of the service since the last call, in milliseconds, measured inside the process. */
export async function maxEventLoopDelayMs({ child }: Server): Promise<number> {
  const received = once(child, 'message');
  child.send('read');
  const [message] = await received;
  return Number(message.longestMs);
}

/** The response to a request, and how long other clients waited meanwhile. */
export interface ProbeResult {
  readonly response: Response;
  readonly tookMs: number;
  /** The longest response time of /health, requested repeatedly on another connection. */
  readonly healthMs: number;
}

/** Sends one serialized request, while another connection requests /health. */
export async function sendWithHealthProbe(port: number, request: Buffer): Promise<ProbeResult> {
  using stack = new DisposableStack();
  const client = await openSocket(port);
  const healthClient = await openSocket(port);
  stack.defer(() => {
    client.destroy();
    healthClient.destroy();
  });
  const health = startHealthProbe(port, healthClient);
  const startedAt = performance.now();
  const response = await new Promise<Response>((resolve, reject) => {
    onResponses(client, resolve);
    client.once('error', reject);
    client.once('close', () => reject(new Error('the connection was closed before the response')));
    client.write(request);
  });
  return { response, tookMs: performance.now() - startedAt, healthMs: health() };
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
  let requestedAt: number | undefined;
  const sendNext = (): void => {
    if (socket.destroyed) return;
    requestedAt = performance.now();
    socket.write(healthRequest);
  };
  onResponses(socket, () => {
    if (requestedAt !== undefined) longest = Math.max(longest, performance.now() - requestedAt);
    requestedAt = undefined;
    setTimeout(sendNext, INTERVAL_MS);
  });
  sendNext();
  return () => Math.max(longest, requestedAt === undefined ? 0 : performance.now() - requestedAt);
}
