import { access, constants } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { createClient } from '@redis/client';
import { createTempFolder, freePort, startProgram } from './programs.ts';

/** A Redis server of its own process, with an append-only file unless turned off. */
export interface Redis extends AsyncDisposable {
  readonly url: string;
  /** Name, version and persistence, for reports. */
  readonly version: string;
  /** A number from `INFO`. */
  info(field: string): Promise<number>;
}

/** Reported instead of a part that needs Redis. */
export const REDIS_MISSING =
  '**NOT MEASURED: there is no `redis-server` and no `valkey-server` on the PATH.** Install one to measure this part.';

/** Starts Redis on a free port in an empty folder; `undefined` if none is installed. */
export async function startRedis({ appendOnly = true } = {}): Promise<Redis | undefined> {
  const binary = await findBinary();
  if (binary === undefined) return undefined;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createTempFolder());
  const port = await freePort();
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder.path];
  const appending = appendOnly ? 'yes' : 'no';
  const { child } = stack.use(
    startProgram(binary, [...place, '--save', '', '--appendonly', appending, '--loglevel', 'warning']),
  );
  const until = performance.now() + 20_000;
  while (!(await isListening(port))) {
    if (performance.now() > until || child.exitCode !== null) throw new Error('Redis did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const client = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  stack.defer(() => client.destroy());
  const read = async (field: string): Promise<string> =>
    new RegExp(`^${field}:([^\r]*)`, 'm').exec(String(await client.sendCommand(['INFO'])))?.[1] ?? '';
  const version = `Redis ${await read('redis_version')} with \`appendonly ${appending}\``;
  const owned = stack.move();
  return {
    url: `redis://127.0.0.1:${port}`,
    version,
    info: async (field) => Number(await read(field)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** CPU time of Redis until now, in milliseconds. */
export async function redisCpuMs({ info }: Redis): Promise<number> {
  return 1_000 * ((await info('used_cpu_user')) + (await info('used_cpu_sys')));
}

async function findBinary(): Promise<string | undefined> {
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
      const path = join(folder, name);
      const usable = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (usable) return path;
    }
  }
  return undefined;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
