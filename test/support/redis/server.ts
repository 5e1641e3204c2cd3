import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { type GuardedProgram, startGuarded } from '../process/guarded-program.ts';
import { findProgram, redisServer } from '../process/programs.ts';

/** A Redis server of one test file, with its own port and folder. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Sends a command over a separate connection and returns its reply. */
  command(...command: readonly string[]): Promise<unknown>;
  /** All keys that begin with `prefix`, in order. */
  keys(prefix: string): Promise<string[]>;
  /** Kills the server, as a crash does: its append-only file stays. */
  kill(): Promise<void>;
  /** Starts the server again on the same port, with the data in its append-only file. */
  restart(): Promise<void>;
  /** Suspends the process (SIGSTOP) with its connections open. */
  freeze(): void;
  /** Resumes a suspended process (SIGCONT). */
  thaw(): void;
  /** Kills the server and removes its files. */
  close(): Promise<void>;
}

type AdminClient = ReturnType<typeof connectAdmin>;

async function connectAdmin(port: number, password: string | undefined) {
  const credentials = password === undefined ? {} : { password };
  const client = createClient({ socket: { port, reconnectStrategy: false }, RESP: 2, ...credentials });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Starts a server that persists every write (`appendonly yes`), with an optional password. */
export async function startRedisServer(options: { password?: string } = {}): Promise<RedisServer> {
  const { password } = options;
  const binary = await findRedisBinary();
  const folder = await mkdtemp(join(tmpdir(), 'redis-server-'));
  let port = await freePort();
  let program: GuardedProgram | undefined;
  let admin: AdminClient | undefined;

  async function start(): Promise<void> {
    const address = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const auth = password === undefined ? [] : ['--requirepass', password];
    // `everysec` may delay acknowledged writes while the disk is busy; `no` writes each at once to the OS.
    const persistence = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'no'];
    program = await startGuarded(binary, [...address, ...persistence, ...auth]);
    await untilListening(port, program);
  }

  /** Tries other ports: another program may have taken the first one meanwhile. */
  async function startOnFreePort(attempts: number): Promise<void> {
    try {
      await start();
    } catch (error) {
      if (attempts === 1) throw error;
      await kill();
      port = await freePort();
      await startOnFreePort(attempts - 1);
    }
  }

  async function kill(): Promise<void> {
    const ending = program;
    program = undefined;
    (await admin?.catch(() => undefined))?.destroy();
    admin = undefined;
    await ending?.kill();
  }

  async function command(...words: readonly string[]): Promise<unknown> {
    admin ??= connectAdmin(port, password);
    return (await admin).sendCommand([...words]);
  }

  await startOnFreePort(3);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    async keys(prefix) {
      const found = await command('KEYS', '*');
      const keys = Array.isArray(found) ? found.map(String) : [];
      return keys.filter((key) => key.startsWith(prefix)).sort();
    },
    kill,
    restart: start,
    freeze: () => program?.signal('SIGSTOP'),
    thaw: () => program?.signal('SIGCONT'),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

async function untilListening(port: number, program: GuardedProgram): Promise<void> {
  const until = performance.now() + 20_000;
  while (performance.now() < until && !program.hasEnded) {
    if (await isReady(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`redis-server did not start on port ${port}`);
}

/** True once the server has loaded its data and replies to commands. */
async function isReady(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [reply] = await once(socket, 'data');
    return !String(reply).startsWith('-LOADING');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The path of a Redis server program: see `findProgram`. */
function findRedisBinary(): Promise<string> {
  return findProgram(redisServer);
}
