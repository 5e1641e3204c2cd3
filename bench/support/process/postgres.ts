import { once } from 'node:events';
import { access, chown, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { createTempFolder, freePort, startProgram } from './programs.ts';

/** A PostgreSQL server of its own process, with its default durability. */
export interface Postgres extends AsyncDisposable {
  /** The URL of an empty database. */
  readonly url: string;
  /** Its version and settings, for reports. */
  readonly version: string;
}

/** Reported instead of a part that needs PostgreSQL. */
export const POSTGRES_MISSING =
  '**NOT MEASURED: there is no `initdb` and `postgres` on the PATH or in `/usr/lib/postgresql`.** Install one to measure this part.';

/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

const MAX_START_MS = 30_000;
const MAX_STOP_MS = 10_000;

/** Starts PostgreSQL on a free port with an empty folder; `undefined` if none is installed. */
export async function startPostgres(): Promise<Postgres | undefined> {
  const binaries = await findBinaries();
  if (binaries === undefined) return undefined;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createTempFolder());
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder.path, NOBODY, NOBODY);
  const options = { cwd: folder.path, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
  const data = join(folder.path, 'data');
  const setUp = ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const initdb = startProgram(join(binaries, 'initdb'), setUp, options);
  const [code] = await once(initdb.child, 'exit');
  if (code !== 0) throw new Error(`initdb ended with ${code}`);
  const port = await freePort();
  const listening = ['-h', '127.0.0.1', '-p', String(port), '-c', 'unix_socket_directories='];
  const sizes = ['-c', 'shared_buffers=256MB', '-c', 'max_connections=50'];
  const { child } = stack.use(
    startProgram(join(binaries, 'postgres'), ['-D', data, ...listening, ...sizes], options),
  );
  // Shut down by itself it also ends its helpers and frees its shared memory.
  stack.defer(async () => {
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(MAX_STOP_MS) });
    if (child.kill('SIGINT')) await ended.catch(() => undefined);
  });
  const until = performance.now() + MAX_START_MS;
  while (!(await isReady(port))) {
    if (performance.now() > until || child.exitCode !== null) throw new Error('PostgreSQL did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const owned = stack.move();
  return {
    url: `postgresql://bench@127.0.0.1:${port}/postgres`,
    version: `PostgreSQL ${await versionOf(binaries)} with \`fsync\` and \`synchronous_commit\` on, as by default`,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The folder that holds `initdb` and `postgres`. */
async function findBinaries(): Promise<string | undefined> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.toSorted().map((version) => join(debian, version, 'bin')),
  ];
  for (const folder of folders) {
    const found = await Promise.all(
      ['initdb', 'postgres'].map((name) =>
        access(join(folder, name)).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (found.every(Boolean)) return folder;
  }
  return undefined;
}

async function versionOf(binaries: string): Promise<string> {
  const { child } = startProgram(join(binaries, 'postgres'), ['--version'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  for await (const part of child.stdout ?? []) text += part;
  return /\d+(\.\d+)*/.exec(text)?.[0] ?? 'of unknown version';
}

/** True once it answers a request for encryption, which it does when it accepts connections. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])));
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('close', () => resolve(false));
  });
}
