import { chromium, curl, findProgram, redisServer } from './process/programs.ts';

/**
 * Installs once, before any test runs, what tests need beyond npm. Where that cannot be done nothing is said here:
 * each test that needs it fails with the line that says what to do.
 */
export async function setup(): Promise<void> {
  for (const program of [redisServer, chromium, curl]) await findProgram(program).catch(() => undefined);
}
