import type { Socket } from 'node:net';

/** A request; its body is sent as JSON. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A header with this value gets another one in each request. */
export const UNIQUE_VALUE = '########-unique-value';

let uniqueValues = 0;

/** The request to send: `text`, or a copy in which {@link UNIQUE_VALUE} is replaced by a number. */
export function withUniqueValue(text: Buffer): Buffer {
  const offset = text.indexOf(UNIQUE_VALUE);
  if (offset === -1) return text;
  uniqueValues += 1;
  const copy = Buffer.from(text);
  copy.write(`${process.pid}-${uniqueValues}`.padEnd(UNIQUE_VALUE.length, '.'), offset);
  return copy;
}

/** The part of a response that benchmarks read. */
export interface Response {
  /** True for a status of 2xx. */
  readonly ok: boolean;
  readonly status: number;
  /** True where the server closes the connection after it. */
  readonly closesConnection: boolean;
  /** The Content-Length; `NaN` without one. */
  readonly bytes: number;
}

/** Serializes a request as HTTP/1.1. */
export function serializeRequest(port: number, { method, path, body, headers = {} }: Request): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
  for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`);
  if (body !== undefined) {
    head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  }
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Calls back for each response on a connection with one request at a time. Needs a Content-Length; discards bodies. */
export function onResponses(socket: Socket, onResponse: (response: Response) => void): void {
  let received: Buffer = Buffer.alloc(0);
  let response: Response | undefined;
  let remaining = 0;
  socket.on('data', (chunk: Buffer) => {
    if (response === undefined) {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      response = parseHead(received.toString('latin1', 0, end));
      if (Number.isNaN(response.bytes))
        return void socket.destroy(new Error('a response has no Content-Length'));
      remaining = response.bytes - (received.length - end - 4);
    } else {
      remaining -= chunk.length;
    }
    if (remaining > 0) return;
    const complete = response;
    received = Buffer.alloc(0);
    response = undefined;
    onResponse(complete);
  });
}

function parseHead(head: string): Response {
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  return {
    ok: status >= 200 && status < 300,
    status,
    closesConnection: /\r\nconnection: close/i.test(head),
    bytes: Number(length),
  };
}
