import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A server under measurement, in a process of its own. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  /** CPU time that its process has used, in milliseconds, all threads together. */
  cpuMs(): Promise<number>;
  /** Resident memory in bytes. */
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts one of the servers beside this file, which tells its port by a message. */
export async function startServer(name: string, file: string): Promise<Subject> {
  const path = fileURLToPath(new URL(`./servers/${file}`, import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error(`${name} did not start`)));
  });
  return subject(name, port, child, async () => {});
}

/** Starts the service itself, with its log in a file, on a free port. */
export async function startService(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const log = await open(join(folder, 'log'), 'w');
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const port = await freePort();
  const defaults = { PATH: process.env['PATH'] ?? '', RATE_LIMIT_REQUESTS: '1000000', PORT: String(port) };
  const child = spawn(process.execPath, [main], {
    env: { ...defaults, ...settings },
    cwd: folder,
    stdio: ['ignore', log.fd, log.fd],
  });
  const clear = async (): Promise<void> => {
    await log.close();
    await rm(folder, { recursive: true, force: true });
  };
  await untilServing(port, join(folder, 'log'), child);
  return subject(name, port, child, clear);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function untilServing(port: number, file: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 400 && child.exitCode === null; tries++) {
    const served = await fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (served) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  child.kill();
  throw new Error(`the service did not start: ${await readFile(file, 'utf8')}`);
}

function subject(name: string, port: number, child: ChildProcess, clear: () => Promise<void>): Subject {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    name,
    port,
    cpuMs: async () => {
      const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      const ticks = Number(fields[11]) + Number(fields[12]);
      return ticks * 10;
    },
    residentBytes: async () => {
      const pages = (await readFile(`/proc/${child.pid}/statm`, 'utf8')).split(' ')[1];
      return Number(pages) * 4_096;
    },
    async stop() {
      child.kill();
      await exited;
      await clear();
    },
  };
}
