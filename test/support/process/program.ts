import { spawn } from 'node:child_process';
import { compileCache } from './compile-cache.ts';

/** The exit of a program, and its output. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program. */
export interface Program {
  readonly ended: Promise<Ended>;
  /** The first match of `pattern` in its standard output. Rejects when it exits without one. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal if it is still running, and resolves when it has exited. */
  stop(signal: NodeJS.Signals): Promise<Ended>;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a program; Node in it shares compiled modules. If that fails, the promises reject with the reason. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions): Program {
  const env = { ...compileCache, ...options.env };
  const child = spawn(command, [...args], { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...written }));
  });
  return {
    ended,
    waitForOutput(pattern) {
      const found = new Promise<RegExpExecArray>((resolve) => {
        const look = (): void => {
          const match = pattern.exec(written.stdout);
          if (match !== null) resolve(match);
        };
        child.stdout.on('data', look);
        look();
      });
      const never = ended.then(({ stdout, stderr }) => {
        const match = pattern.exec(stdout);
        if (match !== null) return match;
        throw new Error(`the program exited without printing ${pattern}: ${stderr}${stdout}`);
      });
      return Promise.race([found, never]);
    },
    stop(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}
