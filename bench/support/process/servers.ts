import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTempFolder, freePort, type Program, startProgram } from './programs.ts';

/** The maximum time until the service responds, on a machine with much other work. */
const MAX_START_MS = 60_000;

const ownCheckout = fileURLToPath(new URL('../../..', import.meta.url));

/** A measured server in its own process, on a loopback port. */
export interface Server extends Program {
  readonly port: number;
}

/** Environment variables of the service. */
export type Settings = Readonly<Record<string, string>>;

/** Starts a server of `bench/servers`, which sends its port as a message. */
export async function startServer(file: string): Promise<Server> {
  const path = fileURLToPath(new URL(`../../servers/${file}`, import.meta.url));
  const program = startProgram(process.execPath, [path], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const announced = once(program.child, 'message').then(([message]) => Number(message.port));
  const ended = once(program.child, 'exit').then(() => Promise.reject(new Error(`${file} did not start`)));
  // The loser of the race must not become an unhandled rejection.
  ended.catch(() => {});
  announced.catch(() => {});
  return { ...program, port: await Promise.race([announced, ended]) };
}

/** Options of {@link startService}. */
export interface StartOptions {
  /** A module of `bench/servers` that the service loads first; it can exchange messages with this process. */
  readonly preload?: string;
  /** The root of the checkout whose service is started; this one when absent. */
  readonly checkout?: string;
}

/**
 * Starts the service on a free port, with its log in a file, and waits until it responds. The rate limit is too high
 * for a benchmark to reach.
 */
export async function startService(
  settings: Settings = {},
  { preload, checkout = ownCheckout }: StartOptions = {},
): Promise<Server> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createTempFolder());
  const log = await open(join(folder.path, 'log'), 'w');
  const port = await freePort();
  const env = { PATH: process.env['PATH'] ?? '', RATE_LIMIT_REQUESTS: '1000000', PORT: String(port) };
  const program = stack.use(
    startProgram(process.execPath, [...importArguments(preload), programOf(checkout)], {
      env: { ...env, ...settings },
      cwd: folder.path,
      stdio: ['ignore', log.fd, log.fd, ...(preload === undefined ? [] : ['ipc' as const])],
    }),
  );
  await log.close();
  if (!(await waitUntilHealthy(port, program))) {
    throw new Error(`the service did not start: ${await readFile(join(folder.path, 'log'), 'utf8')}`);
  }
  const owned = stack.move();
  return { ...program, port, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The program of `npm start` in a checkout; version 0.7 has no compiled service. */
function programOf(checkout: string): string {
  const compiled = join(checkout, 'build/start.ts');
  return existsSync(compiled) ? compiled : join(checkout, 'src/main.ts');
}

function importArguments(preload: string | undefined): string[] {
  return preload === undefined ? [] : ['--import', new URL(`../../servers/${preload}`, import.meta.url).href];
}

/** Closes each connection, since the service limits their number. */
async function waitUntilHealthy(port: number, { child }: Program): Promise<boolean> {
  const until = performance.now() + MAX_START_MS;
  const headers = { Connection: 'close' };
  while (performance.now() < until && child.exitCode === null) {
    const served = await fetch(`http://127.0.0.1:${port}/health`, { headers }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (served) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}
