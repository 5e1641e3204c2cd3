import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../../../build/service.ts';
import { compileCache } from './compile-cache.ts';

/** The exit of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The service in its own process. */
export interface Service {
  readonly baseUrl: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Its log lines so far. */
  log(): Record<string, unknown>[];
  /** Its standard output and standard error so far. */
  output(): string;
  readonly exited: Promise<Exit>;
  /** Kills it if it is still running, and removes its folder. */
  stop(): Promise<void>;
}

/** The exit of a process, and its output. */
export interface Ended extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Starts the service with only these settings, in an empty folder, on a free port; resolves once it listens. */
export async function startService(settings: Environment = {}, cwd?: string): Promise<Service> {
  const folder = cwd ?? (await mkdtemp(join(tmpdir(), 'service-')));
  const child = spawnMain({ PORT: '0', ...settings }, folder);
  const exited = exitOf(child);
  const written = collect(child);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
    if (cwd === undefined) await rm(folder, { recursive: true, force: true });
  };
  const log = (): Record<string, unknown>[] => parseLines(written.stdout);
  try {
    const port = await portOf(child, written, exited);
    const output = (): string => written.stdout + written.stderr;
    return { baseUrl: `http://127.0.0.1:${port}`, port, process: child, log, output, exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs the service with settings or arguments that make it exit. */
export async function runToEnd(
  settings: Environment,
  cwd = tmpdir(),
  args: readonly string[] = [],
): Promise<Ended> {
  const child = spawnMain(settings, cwd, args);
  const written = collect(child);
  const exit = await exitOf(child);
  return { ...exit, stdout: written.stdout, stderr: written.stderr };
}

function spawnMain(settings: Environment, cwd: string, args: readonly string[] = []): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', ...compileCache, ...settings };
  return spawn(process.execPath, [program, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const written = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  return written;
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
}

async function portOf(
  child: ChildProcess,
  written: { stdout: string; stderr: string },
  exited: Promise<Exit>,
): Promise<number> {
  const listening = new Promise<number>((resolve) => {
    child.stdout?.on('data', () => {
      const line = written.stdout.includes('"listening"')
        ? parseLines(written.stdout).find(({ msg }) => msg === 'listening')
        : undefined;
      if (line !== undefined) resolve(Number(line['port']));
    });
  });
  const ended = exited.then(() => {
    throw new Error(`the service did not start: ${written.stderr}${written.stdout}`);
  });
  return Promise.race([listening, ended]);
}

function parseLines(text: string): Record<string, unknown>[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Sends a JSON body. */
export function postJson(url: string, body: unknown, headers: Environment = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** The body of a response, typed as the test expects it. */
export async function bodyOf<Shape>(reply: Response): Promise<Shape> {
  return (await reply.json()) as Shape;
}
