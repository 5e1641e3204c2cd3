import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Milliseconds of CPU time in one tick of /proc, which Linux has fixed for programs at a hundredth of a second. */
const TICK_MS = 10;

const PAGE_BYTES = 4_096;

/** A process that the benchmarks started; disposing of it ends it. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  /** CPU time that it has used, in milliseconds, all threads together; `NaN` where there is no /proc. */
  cpuMs(): Promise<number>;
  /** Resident memory in bytes; `NaN` where there is no /proc. */
  residentBytes(): Promise<number>;
}

/** A folder for what a process writes; disposing of it removes it. */
export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();

// However this process comes to its end, nothing that it started outlives it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Lets a signal end the process the ordinary way, with the exit code that shells give it. */
export function exitOnSignals(): void {
  for (const [signal, number] of [['SIGINT', 2] as const, ['SIGTERM', 15] as const, ['SIGHUP', 1] as const]) {
    process.once(signal, () => process.exit(128 + number));
  }
}

/** Starts a program. */
export function startProgram(command: string, args: readonly string[], options: SpawnOptions = {}): Program {
  const child = spawn(command, args, { stdio: 'ignore', ...options });
  running.add(child);
  // Without an exit there was none to begin with: the spawn failed.
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

/** Makes an empty folder. */
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

/** A port of this machine that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
