import { spawn } from 'node:child_process';

/** How a program ended, and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program under way. */
export interface Program {
  readonly ended: Promise<Ended>;
  /** The first match of `pattern` in its standard output. Rejects when it ends without one. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends it with a signal, if it has not ended, and resolves when it has. */
  stop(signal: NodeJS.Signals): Promise<Ended>;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a program. Rejected promises of a program that cannot be started name the reason. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions): Program {
  const child = spawn(command, [...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
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
    said(pattern) {
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
        throw new Error(`the program ended without saying ${pattern}: ${stderr}${stdout}`);
      });
      return Promise.race([found, never]);
    },
    stop(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}
