import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Milliseconds of CPU time per tick of /proc: Linux reports hundredths of a second. */
const TICK_MS = 10;

const PAGE_BYTES = 4_096;

/** A child process; disposing of it kills it. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  /** CPU time of all threads in milliseconds; `NaN` without /proc. */
  cpuMs(): Promise<number>;
  /** Resident memory in bytes; `NaN` without /proc. */
  residentBytes(): Promise<number>;
}

/** A temporary folder; disposing of it deletes it. */
export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();

// Child processes and folders are removed however this process exits.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Exits on SIGINT, SIGTERM and SIGHUP with the exit code of shells, so that `exit` handlers run. */
export function exitOnSignals(): void {
  for (const [signal, number] of [['SIGINT', 2] as const, ['SIGTERM', 15] as const, ['SIGHUP', 1] as const]) {
    process.once(signal, () => process.exit(128 + number));
  }
}

/** Starts a child process. */
export function startProgram(command: string, args: readonly string[], options: SpawnOptions = {}): Program {
  const child = spawn(command, args, { stdio: 'ignore', ...options });
  running.add(child);
  // A failed spawn emits `error` and no `exit`.
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  }).then(() => void running.delete(child));
  return {
    child,
    async cpuMs() {
      const fields = (await readProcFile(child, 'stat')).split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
    async residentBytes() {
      return Number((await readProcFile(child, 'statm')).split(' ')[1]) * PAGE_BYTES;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function readProcFile({ pid }: ChildProcess, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
}

/** Creates an empty temporary folder. */
export async function createTempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'bench-'));
  folders.add(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      rmSync(path, { recursive: true, force: true });
      folders.delete(path);
    },
  };
}

/** A local port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
