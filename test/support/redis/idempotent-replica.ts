/**
 * A replica of the service with short times of recovery, which sends its port as a message. Its agent `record` appends
 * a line to a file and replies after a time; its tool `record` does the same. Arguments: URL and key prefix of the
 * store, the file, and `forgetful` for a replica that stores no answers.
 */
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { createHttpApp } from '../../../src/adapters/http/app.ts';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import { defaultPorts } from '../../../src/entries/defaults.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { quickTimes } from '../stores.ts';
import { createStoresFactory } from './stores.ts';

const [, , url = '', prefix = '', file = '', kind = ''] = process.argv;
const stored = createStoresFactory().prepare(url, { prefix, ...quickTimes });
const storage = stored.ports;
const forgetful = { ...storage.idempotency, complete: async () => undefined };
const idempotency = kind === 'forgetful' ? forgetful : storage.idempotency;
const orchestrator = createOrchestrator(defaultPorts({ ...storage, idempotency }));

async function record(what: string, ms: unknown): Promise<JsonObject> {
  appendFileSync(file, `${what}\n`);
  await new Promise((resolve) => setTimeout(resolve, Number(ms)));
  return { pid: process.pid };
}

orchestrator.agents.register({
  name: 'record',
  description: 'Appends a line to a file',
  handle: ({ payload }) => record('agent', payload['ms']),
});
orchestrator.tools.register({
  name: 'record',
  description: 'Appends a line to a file',
  effect: 'write',
  input: z.object({ ms: z.number() }),
  execute: ({ ms }) => record('tool', ms),
});

await stored.start();
const app = createHttpApp({ orchestrator });
const server = await startServer({ port: 0, fetch: app.fetch });
process.send?.(server.port);
