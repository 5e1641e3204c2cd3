import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../../support/process/compile-cache.ts';
import { until } from '../../support/until.ts';

/** A process of `queue-process.ts`. */
export interface QueueProcess {
  /** All that it wrote to standard output and standard error, as lines. */
  readonly lines: readonly string[];
  /** Resolves when it has written a line. */
  untilLine(line: string): Promise<void>;
  /** Lets it close its queue. Resolves to its exit code. */
  close(): Promise<number | null>;
  kill(): Promise<void>;
}

const program = fileURLToPath(new URL('./queue-process.ts', import.meta.url));

/** Starts processes that are killed together. */
export function createProcesses() {
  const children: ChildProcess[] = [];

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  return {
    async start(url: string, prefix: string): Promise<QueueProcess> {
      const child = spawn(process.execPath, [program, url, prefix], {
        env: { ...process.env, ...compileCache },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      children.push(child);
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
      }
      const lines = () => text.split('\n').filter((line) => line !== '');
      const untilLine = (line: string) =>
        until(`${line} is written after ${text}`, () => lines().includes(line), 30_000);
      await untilLine('ready');
      return {
        get lines() {
          return lines();
        },
        untilLine,
        async close() {
          const exited = once(child, 'exit');
          child.stdin.write('close\n');
          const [code] = await exited;
          return code;
        },
        kill: () => kill(child),
      };
    },
    async killAll() {
      await Promise.all(children.map(kill));
    },
  };
}
