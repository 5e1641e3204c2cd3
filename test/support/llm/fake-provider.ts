import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderReply, ProviderScript } from './provider-replies.ts';

/** A request as the provider got it. */
export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed body; undefined where there is none. */
  readonly body: unknown;
  /** Which request this is, from 0. */
  readonly index: number;
  /** Milliseconds since the provider started. */
  readonly at: number;
}

export interface FakeProvider {
  /** What `LLM_BASE_URL` has to be. */
  readonly baseUrl: string;
  readonly requests: readonly ProviderRequest[];
  /** Questions to the model among the requests. */
  readonly calls: () => number;
  /** Answers by another script from now on. */
  follow(script: ProviderScript): void;
  readonly openSockets: () => number;
  /** Requests that are under way: neither answered wholly nor given up by their caller. */
  readonly underWay: () => number;
  /** The most that ever were. */
  readonly busiest: () => number;
  /** Resolves once none is under way; rejects after `withinMs` milliseconds. */
  idle(withinMs: number): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An OpenAI-compatible server on the loopback interface that answers as its script says. */
export async function startFakeProvider(first: ProviderScript): Promise<FakeProvider> {
  let script = first;
  const started = performance.now();
  const requests: ProviderRequest[] = [];
  const sockets = new Set<object>();
  const timers = new Set<NodeJS.Timeout>();
  let underWay = 0;
  let busiest = 0;
  const server = createServer((message, response) => {
    underWay += 1;
    busiest = Math.max(busiest, underWay);
    response.on('close', () => {
      underWay -= 1;
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
      answer(await script(request), response, timers);
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
    busiest: () => busiest,
    underWay: () => underWay,
    async idle(withinMs) {
      const deadline = performance.now() + withinMs;
      while (underWay > 0) {
        if (performance.now() > deadline) throw new Error(`${underWay} requests are still under way`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Reads the whole body of a request. */
async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk);
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(reply: ProviderReply, response: ServerResponse, timers: Set<NodeJS.Timeout>): void {
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

/** Writes as fast as the reader takes it, and stops when the reader goes away. */
function flood(response: ServerResponse, bytes: number, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  const chunk = Buffer.alloc(64 * 1_024, ' ');
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    if (!response.destroyed) response.end();
  };
  more();
}

/** Who asks, as the name of the schema tells: `classifier`, `planner`, `verifier`, `responder` or `decomposer`. */
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

/** What the user's message holds between its marks, parsed. */
export function dataOf(request: ProviderRequest): unknown {
  return JSON.parse(messageOf(request, 'user').split('\n')[1] ?? '');
}

function dig(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  );
}
