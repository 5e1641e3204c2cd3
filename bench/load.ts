import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Replies with a status other than 2xx. */
  readonly failures: number;
}

/**
 * Sends a request over and over on `connections` keep-alive connections, one at a time on each, for `durationMs`.
 * Replies are told apart by their Content-Length, so that the generator costs as little as it can.
 */
export async function load(
  port: number,
  request: Request,
  connections: number,
  durationMs: number,
): Promise<LoadResult> {
  const bytes = encode(port, request);
  const latencies: number[] = [];
  let failures = 0;
  const started = performance.now();
  const until = started + durationMs;
  const drive = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.setNoDelay(true);
      let sent = 0;
      const send = (): void => {
        sent = performance.now();
        socket.write(bytes);
      };
      socket.on('connect', send);
      socket.on('error', reject);
      onReplies(socket, (ok) => {
        const now = performance.now();
        latencies.push(now - sent);
        if (!ok) failures += 1;
        if (now < until) return send();
        socket.destroy();
        resolve();
      });
    });
  await Promise.all(Array.from({ length: connections }, drive));
  const seconds = (performance.now() - started) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { requestsPerSecond: latencies.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failures };
}

function encode(port: number, { method, path, body }: Request): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: keep-alive'];
  if (body !== undefined) {
    head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  }
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}

function onReplies(socket: Socket, onReply: (ok: boolean) => void): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const end = pending.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = pending.toString('latin1', 0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined || pending.length < end + 4 + Number(length)) return;
    const ok = head.startsWith('HTTP/1.1 2');
    pending = Buffer.alloc(0);
    onReply(ok);
  });
}
