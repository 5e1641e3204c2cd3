import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Service, startService } from '../support/process/service.ts';
import { type Acknowledged, checkAcknowledged, writeUntilKilled } from '../support/sqlite/kills.ts';

const ROUNDS = 30;

const running: Service[] = [];
let folder = '';

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<Service> {
  const service = await startService({ TRACE_BACKEND: 'sqlite', RATE_LIMIT_REQUESTS: '1000000' }, folder);
  running.push(service);
  return service;
}

test('thirty kills in a row lose nothing that was acknowledged', async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-'));
  const acknowledged: Acknowledged[] = [];
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // The file of the last kill, with its log, is the one that is opened.
    acknowledged.push(await writeUntilKilled(await start(), 1 + ((round * 7) % 40)));
  }
  const { baseUrl } = await start();
  for (const each of acknowledged) {
    const checked = await checkAcknowledged(baseUrl, each);
    expect(checked).toMatchObject({ missing: [], unended: [], changed: [] });
    count += checked.count;
  }
  expect(count).toBeGreaterThan(ROUNDS * 3);
  process.stdout.write(`${count} acknowledged records were found after ${ROUNDS} kills\n`);
}, 600_000);
