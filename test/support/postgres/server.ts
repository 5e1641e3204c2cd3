import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type GuardedProgram, makeGuardedFolder, startGuarded, userOf } from '../process/guarded-program.ts';
import { findProgram, postgres } from '../process/programs.ts';
import { freePort } from '../redis/server.ts';

const run = promisify(execFile);

/** A PostgreSQL server of one test file, with its own port and folder. */
export interface PostgresServer {
  readonly port: number;
  /** The URL of its first database, which tests may fill with schemas of their own. */
  readonly url: string;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Runs a statement over a separate connection, by default in the first database, and returns its rows. */
  query(text: string, values?: readonly unknown[], url?: string): Promise<Record<string, unknown>[]>;
  /** Ends the server at once, as a crash does: its files stay. */
  kill(): Promise<void>;
  /** Starts the server again on the same port, with the data in its files. */
  restart(): Promise<void>;
  /** Suspends the server (SIGSTOP) with its connections open. */
  freeze(): Promise<void>;
  /** Resumes a suspended server (SIGCONT). */
  thaw(): void;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/** Options of {@link startPostgresServer}. */
export interface PostgresServerOptions {
  /** A password that the server asks for; it asks for none when absent. */
  readonly password?: string;
  /** True to have each write on disk before it is acknowledged, which is slow; false when absent. */
  readonly isDurable?: boolean;
}

/** The server refuses to run as root: then it is the user `nobody`. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined;

const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300'];
const quick = ['fsync=off', 'full_page_writes=off', 'shared_buffers=32MB'];

/** Starts an empty server. It ends with the tests, and leaves no folder behind. */
export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const { password, isDurable = false } = options;
  // The programs beside it are not always on PATH with it.
  const binary = await realpath(await findProgram(postgres));
  const folder = await makeGuardedFolder('postgres-server-', uid);
  const data = join(folder.path, 'data');
  let port = await freePort();
  let program: GuardedProgram | undefined;
  let frozen: readonly number[] = [];

  const urlOf = (database: string): string =>
    `postgres://postgres${password === undefined ? '' : `:${password}`}@127.0.0.1:${port}/${database}`;

  async function initialize(): Promise<void> {
    const passwordFile = join(folder.path, 'password');
    if (password !== undefined) await writeFile(passwordFile, password, { mode: 0o644 });
    const access =
      password === undefined ? ['-A', 'trust'] : ['-A', 'scram-sha-256', '--pwfile', passwordFile];
    const common = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--no-locale', '--no-sync'];
    await run(join(dirname(binary), 'initdb'), [...common, ...access], userOf(uid));
  }

  async function start(): Promise<void> {
    const chosen = [`port=${port}`, ...settings, ...(isDurable ? [] : quick)];
    program = await startGuarded(binary, ['-D', data, ...chosen.flatMap((text) => ['-c', text])], uid);
    const until = performance.now() + 30_000;
    while (performance.now() < until && !program.hasEnded) {
      if (await query('SELECT 1').catch(() => undefined)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`postgres did not start on port ${port}`);
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
    thaw();
    await program?.kill('SIGQUIT');
    program = undefined;
  }

  function thaw(): void {
    for (const pid of frozen) send(pid, 'SIGCONT');
    frozen = [];
  }

  async function query(text: string, values: readonly unknown[] = [], url = urlOf('postgres')) {
    return withClient(url, async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
      return rows;
    });
  }

  try {
    await initialize();
    await startOnFreePort(3);
  } catch (error) {
    await program?.kill();
    await folder.remove();
    throw error;
  }
  return {
    get port() {
      return port;
    },
    get url() {
      return urlOf('postgres');
    },
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await query(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    query,
    kill,
    restart: start,
    async freeze() {
      const suspended = program;
      if (suspended === undefined) return;
      await withClient(urlOf('postgres'), async (client) => {
        // First the process that starts all others, so that no new one is missed.
        suspended.signal('SIGSTOP');
        const { rows } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
        frozen = [suspended.pid, ...rows.map(({ pid }) => pid)];
      });
      for (const pid of frozen) send(pid, 'SIGSTOP');
    },
    thaw,
    async stop() {
      await kill();
      await folder.remove();
    },
  };
}

/** A process that has ended meanwhile needs no signal. */
function send(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}
