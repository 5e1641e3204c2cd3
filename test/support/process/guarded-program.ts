import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program that is killed with the tests at the latest, even if they are killed themselves. */
export interface GuardedProgram {
  readonly hasEnded: boolean;
  readonly pid: number;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Kills the program, by default with SIGKILL, and waits until it has exited. */
  kill(name?: 'SIGKILL' | 'SIGQUIT'): Promise<void>;
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

/** Starts a program under the guard, as another user where `uid` is given. Its output is discarded. */
export async function startGuarded(
  path: string,
  args: readonly string[],
  uid?: number,
): Promise<GuardedProgram> {
  const shell = spawn('/bin/sh', ['-c', guard, 'guard', path, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    ...userOf(uid),
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
    pid,
    get hasEnded() {
      return hasEnded;
    },
    signal(name) {
      if (!hasEnded) process.kill(pid, name);
    },
    async kill(name = 'SIGKILL') {
      if (!hasEnded) process.kill(pid, name);
      await ended;
    },
  };
}

/** Options of `spawn` for a program of another user; those of this user when `uid` is absent. */
export function userOf(uid: number | undefined): { uid?: number; gid?: number; cwd: string } {
  return uid === undefined ? { cwd: tmpdir() } : { uid, gid: uid, cwd: tmpdir() };
}

/** A folder for files of tests. */
export interface GuardedFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A shell script that removes a folder when standard input is closed. Its programs may be ending at that time. A signal
 * to all processes of a terminal ends the tests, and so its input.
 */
const folderGuard = `
trap '' INT TERM HUP
while read -r _; do :; done
rm -rf "$1" || { sleep 1; rm -rf "$1"; }
`;

/**
 * Makes a folder in that of temporary files, which belongs to another user where `uid` is given. It is removed with the
 * tests at the latest, even if they are killed.
 */
export async function makeGuardedFolder(prefix: string, uid?: number): Promise<GuardedFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  if (uid !== undefined) await chown(path, uid, uid);
  const shell = spawn('/bin/sh', ['-c', folderGuard, 'guard', path], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(shell, 'exit');
  shell.stdin.on('error', () => undefined);
  return {
    path,
    async remove() {
      shell.stdin.destroy();
      await ended;
    },
  };
}
