import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { buildConsole } from '../../build/console.ts';
import { program, refreshService } from '../../build/service.ts';
import { compileCache } from './process/compile-cache.ts';
import { chromium, curl, findProgram, postgres, redisServer } from './process/programs.ts';
import { startService } from './process/service.ts';

/** Says for which program the cache of compiled modules was filled. */
const stamp = `${compileCache.NODE_COMPILE_CACHE}-stamp`;

/**
 * Installs the programs that tests need beyond npm, once before all tests. Ignores failures: each test that needs a
 * missing program fails with an instruction. Builds the service and the console from their present sources. Then fills
 * the cache of compiled modules, unless the service is as it was.
 */
export async function setup(): Promise<void> {
  await Promise.all([refreshService(), buildConsole()]);
  for (const needed of [redisServer, postgres, chromium, curl])
    await findProgram(needed).catch(() => undefined);
  const compiled = `${process.version} ${program}\n${readFileSync(program, 'utf8')}`;
  if (readStamp() === compiled) return;
  await fillCompileCache();
  // Not written into, because the file may be linked to that of another copy.
  rmSync(stamp, { force: true });
  writeFileSync(stamp, compiled);
}

function readStamp(): string | undefined {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Runs the service to a regular end, with what it loads only by settings: Node writes the cache when a process ends,
 * and most tests kill theirs.
 */
async function fillCompileCache(): Promise<void> {
  const nobody = '127.0.0.1:9';
  const llm = { LLM_API_KEY: 'none', LLM_BASE_URL: `http://${nobody}` };
  const otel = { OTEL_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: `http://${nobody}` };
  const shared = { TRACE_BACKEND: 'kvstore', KVSTORE_URL: `redis://${nobody}`, RUN_RECOVERY: 'resume' };
  await Promise.all([runOnce({ ...llm, ...otel, TRACE_BACKEND: 'sqlite' }), runOnce(shared)]);
}

async function runOnce(settings: Readonly<Record<string, string>>): Promise<void> {
  const service = await startService(settings);
  service.process.kill('SIGTERM');
  await service.exited;
  await service.stop();
}
