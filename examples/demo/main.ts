// Starts the service with made-up records and a stream of made-up messages, until Ctrl-C. README.md says more.
// npm run demo

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDemo } from './start.ts';
import { runStream } from './stream/stream.ts';

const HOST = process.env['HOST'] || '127.0.0.1';
const PORT = process.env['PORT'] || '8000';

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());

/** True for a host that only this machine reaches. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Runs the demonstration; resolves to the exit code. */
async function run(folder: string): Promise<number> {
  const { service, records } = await startDemo({ HOST, PORT }, folder, stopped.signal);
  console.log(`The demonstration runs. Everything in it is made up, and gone after Ctrl-C.

  Console   ${service.baseUrl}/console/
  API       ${service.baseUrl}/docs
`);
  let told = 0;
  const onError = (error: unknown): void => {
    told += 1;
    if (told <= 5) console.error(error instanceof Error ? error.message : error);
  };
  const stream = runStream(service.baseUrl, records.workflows, { signal: stopped.signal, onError });
  const ended = await Promise.race([service.ended, stream.then(() => 'stopped' as const)]);
  stopped.abort();
  await stream;
  await service.stop();
  return ended === 'stopped' ? 0 : (ended ?? 1);
}

if (isLoopback(HOST)) {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  try {
    process.exitCode = await run(folder);
  } catch (error) {
    // Whoever stops the demonstration while it starts wants no errors.
    if (!stopped.signal.aborted) console.error(error instanceof Error ? error.message : error);
    process.exitCode = stopped.signal.aborted ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
} else {
  console.error(`HOST: the demonstration listens on this machine only, such as on 127.0.0.1, not on ${HOST}`);
  process.exitCode = 1;
}
