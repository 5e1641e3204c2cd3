import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A reply as it stood on the wire. */
export interface RawReply {
  readonly status: number;
  readonly reason: string;
  /** Names in lower case; a repeated header has its values joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** What came back over one connection. */
export interface RawExchange {
  readonly replies: readonly RawReply[];
  /** What came and is no whole reply. */
  readonly rest: string;
  /** False when the time was up first, or enough replies had come. */
  readonly closed: boolean;
}

/** When to stop to listen. */
export interface Patience {
  /** Replies that are enough; without it, everything until the server closes the connection. */
  readonly replies?: number;
  readonly withinMs?: number;
  /** Set when the requests were HEAD: their replies have no body. */
  readonly withoutBodies?: boolean;
}

/** A client that sends bytes as they are, over a connection of its own to the loopback address. */
export interface RawClient {
  readonly socket: Socket;
  /** The code of the error by which the connection was lost, if it was. */
  fault(): string | undefined;
  send(bytes: string | Uint8Array): void;
  /** Waits for replies or the end of the connection, in bounded time. May be called again: it then goes on. */
  receive(patience?: Patience): Promise<RawExchange>;
  close(): void;
}

/** Connects to a port of the loopback address. */
export async function connectRaw(port: number): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const received = createInbox();
  let closed = false;
  let fault: string | undefined;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    fault = error.code;
  });
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    closed = true;
  });
  socket.on('data', (bytes) => received.add(bytes));
  await once(socket, 'connect');

  async function receive(patience: Patience = {}): Promise<RawExchange> {
    const { replies: enough = Number.POSITIVE_INFINITY, withinMs = 10_000 } = patience;
    const deadline = AbortSignal.timeout(withinMs);
    for (;;) {
      const { replies, rest } = parseReplies(received.bytes(), closed, patience.withoutBodies === true);
      const isEnough = replies.length >= enough;
      if (isEnough || closed || deadline.aborted) {
        const unparsed = rest.toString('latin1');
        received.keepLast(rest.length);
        return { replies, rest: unparsed, closed };
      }
      await nextNews(socket, deadline);
    }
  }

  return {
    socket,
    fault: () => fault,
    send: (bytes) => void socket.write(bytes),
    receive,
    close: () => void socket.destroy(),
  };
}

/** Sends bytes over a connection of their own and hands back what came, in bounded time. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  patience?: Patience,
): Promise<RawExchange> {
  const client = await connectRaw(port);
  try {
    client.send(bytes);
    return await client.receive(patience);
  } finally {
    client.close();
  }
}

function nextNews(socket: Socket, deadline: AbortSignal): Promise<void> {
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

/** Bytes that arrive bit by bit, kept in one buffer that doubles when it is full. */
function createInbox() {
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
  readonly replies: RawReply[];
  readonly rest: Buffer;
}

function parseReplies(bytes: Buffer, closed: boolean, withoutBodies: boolean): Parsed {
  const replies: RawReply[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) return { replies, rest };
    const head = parseHead(rest.toString('latin1', 0, headEnd));
    if (head === undefined) return { replies, rest };
    const tail = rest.subarray(headEnd + 4);
    const hasBody = !withoutBodies && head.status >= 200 && head.status !== 204 && head.status !== 304;
    const body = hasBody ? parseBody(tail, head.headers, closed) : { text: '', length: 0 };
    if (body === undefined) return { replies, rest };
    replies.push({ ...head, body: body.text });
    rest = tail.subarray(body.length);
  }
}

function parseHead(text: string): Omit<RawReply, 'body'> | undefined {
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
