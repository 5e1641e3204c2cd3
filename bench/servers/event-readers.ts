/**
 * Reads event streams and discards them. `POST /` with `{ port, path, count }` opens readers and responds when each has
 * received the first bytes; `GET /` returns what they have received; `DELETE /` closes them.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { serializeRequest } from '../support/load/raw-http.ts';
import { listenAndReport } from './listen.ts';

/** The streams to read. */
interface Order {
  readonly port: number;
  readonly path: string;
  readonly count: number;
}

/** The end of a response of unknown length. */
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

const sockets = new Set<Socket>();
let ended = 0;
let bytes = 0;

async function openReader({ port, path }: Order): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) ended += 1;
  });
  socket.write(serializeRequest(port, { method: 'GET', path, headers: { Accept: 'text/event-stream' } }));
  const [first] = await once(socket, 'data');
  const head = String(first).slice(0, 100);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`no event stream: ${head}`);
}

function closeAll(): void {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  ended = 0;
  bytes = 0;
}

const server = createServer(async (request, response) => {
  if (request.method === 'DELETE') closeAll();
  if (request.method === 'POST') {
    const order = (await json(request)) as Order;
    await Promise.all(Array.from({ length: order.count }, () => openReader(order)));
  }
  response.end(JSON.stringify({ ended, bytes }));
});

listenAndReport(server);
