import { type ChildProcess, spawn } from 'node:child_process';
import { program } from '../../../../build/service.ts';
import { compileCache } from '../../process/compile-cache.ts';

/** A time in milliseconds since the epoch; `to` is infinite until it is over. */
export interface Span {
  readonly from: number;
  to: number;
}

/** One process of the service, from its start to its end. Times are in milliseconds since the epoch. */
export interface Life {
  readonly slot: number;
  readonly pid: number;
  readonly process: ChildProcess;
  /** Where it listens; undefined before that. */
  readonly service: { readonly baseUrl: string } | undefined;
  /** When it was sent a signal that ends it. */
  readonly killedAt: number | undefined;
  /** When it had exited. */
  readonly exitedAt: number | undefined;
  /** The times in which it was suspended. */
  readonly frozen: readonly Span[];
  isReady: boolean;
  readonly exited: Promise<string>;
  /** The last lines of its output. */
  output(): string;
  /** Sends SIGKILL; resolves when it has exited. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves when it has exited. */
  terminate(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

/** Bytes of output that are kept. */
const KEPT = 40_000;

/** Starts the service. Resolves at once, so that it can be killed while it starts. */
export function startLife(slot: number, settings: Readonly<Record<string, string>>, cwd: string): Life {
  const env = { PATH: process.env['PATH'] ?? '', ...compileCache, PORT: '0', ...settings };
  const child = spawn(process.execPath, [program], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const frozen: Span[] = [];
  let output = '';
  let port: string | undefined;
  let exitedAt: number | undefined;
  let killedAt: number | undefined;
  const collect = (text: string): void => {
    output += text;
    port ??= portOf(output);
    if (output.length > 2 * KEPT) output = output.slice(-KEPT);
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  const exited = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => {
      exitedAt = Date.now();
      resolve(String(code ?? signal));
    });
  });
  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    killedAt ??= Date.now();
    child.kill(signal);
    await exited;
  }
  return {
    slot,
    pid: child.pid ?? -1,
    process: child,
    get service() {
      return port === undefined ? undefined : { baseUrl: `http://127.0.0.1:${port}` };
    },
    get killedAt() {
      return killedAt;
    },
    get exitedAt() {
      return exitedAt;
    },
    frozen,
    isReady: false,
    exited,
    output: () => output,
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGTERM'),
    freeze() {
      frozen.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
      child.kill('SIGSTOP');
    },
    thaw() {
      child.kill('SIGCONT');
      const last = frozen.at(-1);
      if (last !== undefined) last.to = Date.now();
    },
  };
}

/** The port in the line that says where the service listens. */
function portOf(output: string): string | undefined {
  const line = /^.*"msg":"listening".*$/m.exec(output)?.[0] ?? '';
  return /"port":(\d+)/.exec(line)?.[1];
}
