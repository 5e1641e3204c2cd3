// Starts the service in a process of its own, as a user would.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const program = fileURLToPath(new URL('../../build/start.ts', import.meta.url));
const compiled = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

/** The settings of a service that {@link seedDemo} can fill, and that says on each page that everything is made up. */
export function demoSettings(): Readonly<Record<string, string>> {
  return {
    EXTENSIONS: `${folder}shop.ts`,
    CONSOLE_NOTICE: 'Demonstration: everything here is made up',
    INBOX_CLAIM_SECONDS: '300',
    // The visitor and the made-up customers come from the same address.
    RATE_LIMIT_REQUESTS: '100000',
    SHUTDOWN_GRACE_SECONDS: '1',
    CANCEL_GRACE_MS: '1000',
  };
}

/** A service that listens. */
export interface DemoService {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Resolves with its exit code when it has ended; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Ends it with a signal; resolves when it is gone. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/**
 * Starts a service with {@link demoSettings} and `settings`, and nothing else of the environment; resolves once it
 * listens. Rejects when it ends before. What it writes to standard error is passed on, its log is not.
 */
export async function startDemoService(settings: Readonly<Record<string, string>>): Promise<DemoService> {
  const path = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compiled };
  const env = { ...path, ...demoSettings(), ...settings };
  // In a process group of its own, so that Ctrl-C reaches only this program, which then stops the service.
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const failed = ended.then(() => {
    throw new Error('the service did not start');
  });
  const baseUrl = await Promise.race([urlOf(child.stdout), failed]);
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return { baseUrl, ended, stop };
}

/** The URL in the log line `listening`. Everything after it is read and dropped. */
function urlOf(log: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    let found = false;
    log.setEncoding('utf8').on('data', (chunk: string) => {
      if (found) return;
      text += chunk;
      const line = text.split('\n').find((part) => part.includes('"msg":"listening"') && part.endsWith('}'));
      if (line === undefined) return;
      found = true;
      text = '';
      const { url } = JSON.parse(line) as { readonly url: string };
      resolve(url.replace(/\/$/, ''));
    });
  });
}
