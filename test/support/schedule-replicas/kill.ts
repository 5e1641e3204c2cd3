import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../process/compile-cache.ts';
import type { Place } from './replica.ts';

const program = fileURLToPath(new URL('./process.ts', import.meta.url));

/**
 * Lets a process claim the next fire at a place, and kills it before, or just after, it has created the run. Resolves
 * to the id of the run.
 */
export async function killAtFire(place: Place, now: number, when: 'before' | 'after'): Promise<string> {
  const child = spawn(process.execPath, [program, JSON.stringify(place), String(now), when], {
    env: { ...process.env, ...compileCache },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const exited = once(child, 'exit');
  let text = '';
  try {
    return await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const runId = /^fire (.+)\n/m.exec(text)?.[1];
        if (runId !== undefined) resolve(runId);
      });
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      child.once('exit', () => reject(new Error(`the process has ended: ${text}`)));
    });
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}
