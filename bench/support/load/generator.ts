import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { quantile } from '../report/statistics.ts';
import { onResponses, type Request, type Response, serializeRequest, withUniqueValue } from './raw-http.ts';

/** The amount of load: a duration in milliseconds, or a number of requests. */
export interface LoadOptions {
  readonly connections: number;
  readonly ms?: number;
  readonly requests?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses with a status other than 2xx. */
  readonly failures: number;
}

/**
 * The load generator: sends the requests in turn on keep-alive connections, one at a time on each, and opens a new
 * connection when the server closes one. A duration starts when every connection has had a first response, which does
 * not count: a server accepts one connection per iteration of its event loop, so that the last of many would otherwise
 * wait through most of a short round. Bodies of responses are not parsed, to use little CPU. Rejects when a connection
 * fails before its response.
 */
export async function runLoad(
  port: number,
  requests: readonly Request[],
  { connections, ms = Number.POSITIVE_INFINITY, requests: atMost = Number.POSITIVE_INFINITY }: LoadOptions,
): Promise<LoadResult> {
  const texts = requests.map((request) => serializeRequest(port, request));
  const hasUnique = texts.some((text) => withUniqueValue(text) !== text);
  const latencies: number[] = [];
  let sent = 0;
  let failures = 0;
  let started = performance.now();
  const next = (): Buffer | undefined => {
    if (sent >= atMost || performance.now() - started >= ms) return undefined;
    sent += 1;
    const text = texts[sent % texts.length];
    return hasUnique && text !== undefined ? withUniqueValue(text) : text;
  };
  const onResponse = (tookMs: number, { ok }: Response): void => {
    latencies.push(tookMs);
    if (!ok) failures += 1;
  };
  const opens = Number.isFinite(ms);
  const whenReady = createBarrier(connections, () => {
    started = performance.now();
  });
  await Promise.all(
    Array.from({ length: connections }, () => {
      const first = opens ? texts[0] : undefined;
      const opening = first === undefined ? undefined : { first: withUniqueValue(first), whenReady };
      return runConnection(port, opening, next, onResponse);
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  latencies.sort((one, other) => one - other);
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    failures,
  };
}

type NextRequest = () => Buffer | undefined;
type OnResponse = (tookMs: number, response: Response) => void;

/** The work of a connection before measuring: sends `first`, and waits until all others have done so. */
interface WarmUp {
  readonly first: Buffer;
  readonly whenReady: () => Promise<void>;
}

/** A barrier: the promises resolve when the function was called `count` times, after `open` was called. */
function createBarrier(count: number, open: () => void): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < count) return;
      open();
      for (const go of waiting) go();
    });
}

/** Sends until `next` returns `undefined`, on one socket after the other. */
async function runConnection(
  port: number,
  opening: WarmUp | undefined,
  next: NextRequest,
  onResponse: OnResponse,
): Promise<void> {
  let more = await useSocket(port, opening, next, onResponse);
  while (more) more = await useSocket(port, undefined, next, onResponse);
}

/** Sends on one socket. Resolves to true if the server closed it while there may be more to send. */
function useSocket(
  port: number,
  opening: WarmUp | undefined,
  next: NextRequest,
  onResponse: OnResponse,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let sentAt = 0;
    let isOpening = opening !== undefined;
    const leave = (more: boolean): void => {
      resolve(more);
      socket.destroy();
    };
    const send = (): void => {
      const text = next();
      if (text === undefined) {
        leave(false);
        return;
      }
      sentAt = performance.now();
      socket.write(text);
    };
    socket.once('connect', () => {
      if (opening === undefined) send();
      else socket.write(opening.first);
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('a connection was closed before its response')));
    onResponses(socket, (response) => {
      if (opening !== undefined && isOpening) {
        isOpening = false;
        void opening.whenReady().then(send);
        return;
      }
      onResponse(performance.now() - sentAt, response);
      if (response.closesConnection) leave(true);
      else send();
    });
  });
}
