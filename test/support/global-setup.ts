import { chromium, curl, findProgram, redisServer } from './process/programs.ts';

/**
 * Installs the programs that tests need beyond npm, once before all tests. Ignores failures: each test that needs a
 * missing program fails with an instruction.
 */
export async function setup(): Promise<void> {
  for (const program of [redisServer, chromium, curl]) await findProgram(program).catch(() => undefined);
}
