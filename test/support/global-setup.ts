import { existsSync } from 'node:fs';
import { compileCache } from './process/compile-cache.ts';
import { chromium, curl, findProgram, redisServer } from './process/programs.ts';
import { startService } from './process/service.ts';

/**
 * Installs the programs that tests need beyond npm, once before all tests. Ignores failures: each test that needs a
 * missing program fails with an instruction. Then fills the cache of compiled modules on a new machine.
 */
export async function setup(): Promise<void> {
  for (const program of [redisServer, chromium, curl]) await findProgram(program).catch(() => undefined);
  if (!existsSync(compileCache.NODE_COMPILE_CACHE)) await fillCompileCache();
}

/**
 * Runs the service once to a regular end, with what it loads only by settings: Node writes the cache when a process
 * ends, and most tests kill theirs.
 */
async function fillCompileCache(): Promise<void> {
  const nobody = 'http://127.0.0.1:9';
  const service = await startService({
    LLM_API_KEY: 'none',
    LLM_BASE_URL: nobody,
    OTEL_ENABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: nobody,
  });
  service.process.kill('SIGTERM');
  await service.exited;
  await service.stop();
}
