import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response as it was received. */
export interface RawResponse {
  readonly status: number;
  readonly reason: string;
  /** Names in lower case; a repeated header has its values joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The responses that were received over one connection. */
export interface RawExchange {
  readonly responses: readonly RawResponse[];
  /** The bytes after the last complete response. */
  readonly rest: string;
  /** False after a timeout, or after enough responses. */
  readonly closed: boolean;
}

/** When to stop waiting. */
export interface ReceiveOptions {
  /** The number of responses to wait for. Default: all until the server closes the connection. */
  readonly responses?: number;
  readonly withinMs?: number;
  /** Set for HEAD requests: their responses have no body. */
  readonly withoutBodies?: boolean;
}

/** A client that sends raw bytes over its own connection to the loopback address. */
export interface RawClient {
  readonly socket: Socket;
  /** The code of the error by which the connection was lost, if it was. */
  errorCode(): string | undefined;
  send(bytes: string | Uint8Array): void;
  /** Waits for responses or the end of the connection, for a limited time. May be called again for further ones. */
  receive(options?: ReceiveOptions): Promise<RawExchange>;
  close(): void;
}

/** Connects to a port of the loopback address. */
export async function connectRaw(port: number): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const received = createReceiveBuffer();
  let closed = false;
  let errorCode: string | undefined;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    errorCode = error.code;
  });
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    closed = true;
  });
  socket.on('data', (bytes) => received.add(bytes));
  await once(socket, 'connect');

  async function receive(options: ReceiveOptions = {}): Promise<RawExchange> {
    const { responses: expected = Number.POSITIVE_INFINITY, withinMs = 10_000 } = options;
    const deadline = AbortSignal.timeout(withinMs);
    const all: RawResponse[] = [];
    for (;;) {
      const { responses, rest } = parseResponses(received.bytes(), closed, options.withoutBodies === true);
      all.push(...responses);
      const isOver = all.length >= expected || closed || deadline.aborted;
      const unparsed = isOver ? rest.toString('latin1') : '';
      if (isOver || responses.length > 0) received.keepLast(rest.length);
      if (isOver) return { responses: all, rest: unparsed, closed };
      await nextEvent(socket, deadline);
    }
  }

  return {
    socket,
    errorCode: () => errorCode,
    send: (bytes) => void socket.write(bytes),
    receive,
    close: () => void socket.destroy(),
  };
}

/** Sends bytes over a new connection and returns what was received, after a limited time. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  options?: ReceiveOptions,
): Promise<RawExchange> {
  const client = await connectRaw(port);
  try {
    client.send(bytes);
    return await client.receive(options);
  } finally {
    client.close();
  }
}

function nextEvent(socket: Socket, deadline: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('data', done);
      socket.off('close', done);
      deadline.removeEventListener('abort', done);
      resolve();
    };
    socket.on('data', done);
    socket.on('close', done);
    deadline.addEventListener('abort', done);
  });
}

/** Received bytes, in one buffer that doubles when it is full. */
function createReceiveBuffer() {
  let room = Buffer.alloc(64 * 1_024);
  let length = 0;
  return {
    add(bytes: Buffer): void {
      while (length + bytes.length > room.length) room = Buffer.concat([room, Buffer.alloc(room.length)]);
      bytes.copy(room, length);
      length += bytes.length;
    },
    bytes: () => room.subarray(0, length),
    keepLast(count: number): void {
      room.copyWithin(0, length - count, length);
      length = count;
    },
  };
}

interface Parsed {
  readonly responses: RawResponse[];
  readonly rest: Buffer;
}

function parseResponses(bytes: Buffer, closed: boolean, withoutBodies: boolean): Parsed {
  const responses: RawResponse[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) return { responses, rest };
    const head = parseHead(rest.toString('latin1', 0, headEnd));
    if (head === undefined) return { responses, rest };
    const tail = rest.subarray(headEnd + 4);
    const hasBody = !withoutBodies && head.status >= 200 && head.status !== 204 && head.status !== 304;
    const body = hasBody ? parseBody(tail, head.headers, closed) : { text: '', length: 0 };
    if (body === undefined) return { responses, rest };
    responses.push({ ...head, body: body.text });
    rest = tail.subarray(body.length);
  }
}

function parseHead(text: string): Omit<RawResponse, 'body'> | undefined {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const match = /^HTTP\/1\.1 (\d{3}) ([^\r\n]*)$/.exec(statusLine);
  if (match === null) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return { status: Number(match[1]), reason: match[2] ?? '', headers };
}

interface Body {
  readonly text: string;
  readonly length: number;
}

function parseBody(bytes: Buffer, headers: ReadonlyMap<string, string>, closed: boolean): Body | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return parseChunks(bytes);
  const declared = headers.get('content-length');
  if (declared === undefined) {
    return closed ? { text: bytes.toString(), length: bytes.length } : undefined;
  }
  const length = Number(declared);
  return bytes.length < length ? undefined : { text: bytes.toString('utf8', 0, length), length };
}

function parseChunks(bytes: Buffer): Body | undefined {
  let text = '';
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (!(next <= bytes.length)) return undefined;
    if (size === 0) return { text, length: next };
    text += bytes.toString('utf8', lineEnd + 2, lineEnd + 2 + size);
    at = next;
  }
}
