import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A server that speaks the Redis protocol with replies from the test. */
export interface FakeResp {
  readonly url: string;
  /** The received commands, in order. */
  readonly commands: readonly (readonly string[])[];
  /** Number of accepted connections. */
  readonly connections: number;
  close(): Promise<void>;
}

/**
 * Starts a server that sends the result of `reply` for each command: a serialized reply (`-OOM no more\r\n`), or
 * nothing for undefined.
 */
export async function startFakeResp(
  reply: (command: readonly string[]) => string | undefined,
): Promise<FakeResp> {
  const commands: (readonly string[])[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let unread = '';
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1');
      for (let read = readCommand(unread); read !== undefined; read = readCommand(unread)) {
        unread = unread.slice(read.length);
        commands.push(read.command);
        const answer = reply(read.command);
        if (answer !== undefined) socket.write(answer);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    commands,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The first command in a text, and its length; undefined while it is incomplete. */
function readCommand(text: string): { command: string[]; length: number } | undefined {
  let at = 0;
  const line = (mark: string): number | undefined => {
    const end = text.indexOf('\r\n', at);
    if (end < 0 || text[at] !== mark) return undefined;
    const value = Number(text.slice(at + 1, end));
    at = end + 2;
    return value;
  };
  const words = line('*');
  if (words === undefined) return undefined;
  const command: string[] = [];
  for (let word = 0; word < words; word++) {
    const length = line('$');
    if (length === undefined || text.length < at + length + 2) return undefined;
    command.push(text.slice(at, at + length));
    at += length + 2;
  }
  return { command, length: at };
}
