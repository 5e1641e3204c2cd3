import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to the provider. */
export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
  /** The number of the request, from 0. */
  readonly index: number;
  /** Milliseconds since the provider started. */
  readonly at: number;
}

/** The reply of the provider to a request. */
export type ProviderReply =
  /** A complete reply. */
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: string | Uint8Array;
    }
  /** No reply. */
  | { readonly kind: 'silent' }
  /** The beginning of a body, then nothing. */
  | { readonly kind: 'stall'; readonly body: string }
  /** The beginning of an error, then nothing. */
  | { readonly kind: 'error_stall'; readonly status: number }
  /** One byte at a time, endlessly. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** The connection ends before a reply, or after the beginning of its body. */
  | { readonly kind: 'reset'; readonly body?: string }
  /** A body of `bytes` bytes in chunks. */
  | { readonly kind: 'flood'; readonly bytes: number; readonly headers?: Record<string, string> };

/** Returns the reply to each request. */
export type ProviderScript = (request: ProviderRequest) => ProviderReply | Promise<ProviderReply>;

export interface FakeProvider {
  /** The value for `LLM_BASE_URL`. */
  readonly baseUrl: string;
  readonly requests: readonly ProviderRequest[];
  /** The number of requests for completions. */
  readonly calls: () => number;
  /** Uses another script from now on. */
  follow(script: ProviderScript): void;
  readonly openSockets: () => number;
  /** Requests in flight: neither completed nor aborted. */
  readonly inFlight: () => number;
  /** The highest number of concurrent requests. */
  readonly maxInFlight: () => number;
  /** Resolves when no request is in flight; rejects after `withinMs` milliseconds. */
  idle(withinMs: number): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An OpenAI-compatible server on the loopback interface that replies by a script. */
export async function startFakeProvider(first: ProviderScript): Promise<FakeProvider> {
  let script = first;
  const started = performance.now();
  const requests: ProviderRequest[] = [];
  const sockets = new Set<object>();
  const timers = new Set<NodeJS.Timeout>();
  let inFlight = 0;
  let maxInFlight = 0;
  const server = createServer((message, response) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    response.on('close', () => {
      inFlight -= 1;
    });
    void readBody(message).then(async (text) => {
      const request: ProviderRequest = {
        method: message.method ?? '',
        path: message.url ?? '',
        headers: message.headers,
        body: text === '' ? undefined : JSON.parse(text),
        index: requests.length,
        at: performance.now() - started,
      };
      requests.push(request);
      sendReply(await script(request), response, timers);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const timer of timers) clearInterval(timer);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    calls: () => requests.filter(({ path }) => path.endsWith('/chat/completions')).length,
    follow(next) {
      script = next;
    },
    openSockets: () => sockets.size,
    maxInFlight: () => maxInFlight,
    inFlight: () => inFlight,
    async idle(withinMs) {
      const deadline = performance.now() + withinMs;
      while (inFlight > 0) {
        if (performance.now() > deadline) throw new Error(`${inFlight} requests are still in flight`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Reads the body of a request. */
async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk);
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sendReply(reply: ProviderReply, response: ServerResponse, timers: Set<NodeJS.Timeout>): void {
  switch (reply.kind) {
    case 'reply':
      response
        .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
        .end(reply.body);
      return;
    case 'silent':
      return;
    case 'stall':
      response.writeHead(200, { 'content-type': 'application/json' }).write(reply.body);
      return;
    case 'error_stall':
      response.writeHead(reply.status, { 'content-type': 'application/json' }).write('{"error":');
      return;
    case 'drip': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), reply.everyMs);
      timers.add(timer);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'reset':
      if (reply.body === undefined) {
        response.destroy();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
      response.write(reply.body, () => response.destroy());
      return;
    case 'flood':
      flood(response, reply.bytes, reply.headers);
  }
}

/** Writes with backpressure, and stops when the connection closes. */
function flood(response: ServerResponse, bytes: number, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  const chunk = Buffer.alloc(64 * 1_024, ' ');
  let remaining = bytes;
  const more = (): void => {
    while (remaining > 0 && !response.destroyed) {
      remaining -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    if (!response.destroyed) response.end();
  };
  more();
}

/**
 * The purpose of a request, from the name of its schema: `classifier`, `planner`, `verifier`, `responder` or
 * `decomposer`.
 */
export function purposeOf(request: ProviderRequest): string {
  return String(dig(request.body, 'response_format', 'json_schema', 'name'));
}

/** The text of the message with that role. */
export function messageOf(request: ProviderRequest, role: 'system' | 'user'): string {
  const messages = dig(request.body, 'messages');
  const found = Array.isArray(messages)
    ? messages.find((message) => dig(message, 'role') === role)
    : undefined;
  const content = dig(found, 'content');
  return typeof content === 'string'
    ? content
    : String(dig(Array.isArray(content) ? content[0] : undefined, 'text'));
}

/** The data in the user's message, parsed. */
export function dataOf(request: ProviderRequest): unknown {
  return JSON.parse(messageOf(request, 'user').split('\n')[1] ?? '');
}

function dig(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  );
}
