import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that is killed with the tests at the latest, even if they are killed themselves. */
export interface GuardedProgram {
  readonly hasEnded: boolean;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Kills the program and waits until it has exited. */
  kill(): Promise<void>;
}

/** A shell script that starts a program, prints its process id, and kills it when standard input is closed. */
const guard = `
exec 3<&0
"$@" </dev/null >/dev/null 2>&1 3<&- &
program=$!
echo $program
{ cat <&3; kill -9 $program; } >/dev/null 2>&1 &
exec 3<&- </dev/null
wait $program
`;

/** Starts a program under the guard. Its output is discarded. */
export async function startGuarded(path: string, args: readonly string[]): Promise<GuardedProgram> {
  const shell = spawn('/bin/sh', ['-c', guard, 'guard', path, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(shell, 'exit');
  let hasEnded = false;
  ended.then(
    () => {
      hasEnded = true;
      shell.stdin.destroy();
      shell.stdout.destroy();
    },
    () => undefined,
  );
  shell.stdin.on('error', () => undefined);
  const [line] = await once(shell.stdout, 'data');
  const pid = Number.parseInt(String(line), 10);
  return {
    get hasEnded() {
      return hasEnded;
    },
    signal(name) {
      if (!hasEnded) process.kill(pid, name);
    },
    async kill() {
      if (!hasEnded) process.kill(pid, 'SIGKILL');
      await ended;
    },
  };
}
