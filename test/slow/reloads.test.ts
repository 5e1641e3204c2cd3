import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ask,
  companies,
  companyKeys,
  startJobServer,
  underLoad,
  writeArticles,
  writePlaybook,
} from '../support/playbook/two-companies.ts';
import { bodyOf, startService } from '../support/process/service.ts';

const RELOADS = 1_000;

/** A busy machine makes fewer of them in that time. */
const MAX_MS = 20_000;

/** Collects the garbage, and reports the used bytes of the heap, for the signal SIGUSR2. */
const meter = `data:text/javascript,${encodeURIComponent(`
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
process.on('SIGUSR2', () => {
  runInNewContext('gc')();
  process.stdout.write(JSON.stringify({ msg: 'heap', bytes: process.memoryUsage().heapUsed }) + '\\n');
});
`)}`;

test('a thousand reloads under load fail and mix no message, and leave nothing behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reloads-'));
  const jobs = await startJobServer();
  await writeArticles(folder);
  await writePlaybook(folder, 'red', jobs.port);
  const service = await startService({
    ...companyKeys,
    PLAYBOOK: join(folder, 'playbook.yaml'),
    OUTBOUND_ALLOW: '127.0.0.1',
    RATE_LIMIT_REQUESTS: '1000000',
    // Records would take memory of their own.
    TRACE_BACKEND: 'sqlite',
    SQLITE_PATH: join(folder, 'records.db'),
    NODE_OPTIONS: `--import=${meter}`,
  });
  const heaps = () => service.log().flatMap(({ msg, bytes }) => (msg === 'heap' ? [Number(bytes)] : []));
  async function heldMegabytes(): Promise<number> {
    const before = heaps().length;
    service.process.kill('SIGUSR2');
    await expect.poll(() => heaps().length).toBe(before + 1);
    return Number(heaps().at(-1)) / 1_000_000;
  }
  let reloads = 0;
  async function reload(): Promise<void> {
    reloads += 1;
    await writePlaybook(folder, companies[reloads % companies.length] ?? 'red', jobs.port);
    const response = await fetch(`${service.baseUrl}/system/reload`, { method: 'POST' });
    expect(await bodyOf(response)).toMatchObject({ changed: true });
  }
  /** Reloads under load, up to so many in all or for so long. */
  async function reloadUpTo(count: number, ms: number) {
    const end = performance.now() + ms;
    return underLoad(service, async () => {
      while (reloads < count && performance.now() < end) await reload();
    });
  }
  try {
    // Parts that are compiled, cached or kept once are there after some of them.
    const warm = await reloadUpTo(100, MAX_MS / 5);
    const before = await heldMegabytes();
    const measuredFrom = reloads;
    const { answered, strange } = await reloadUpTo(RELOADS, (MAX_MS * 4) / 5);
    expect([...warm.strange, ...strange]).toEqual([]);
    expect(new Set(answered.flatMap(({ names }) => names)).size).toBe(2);
    const grown = (await heldMegabytes()) - before;
    // The messages in between leave events and counts; a playbook with its stages and tools takes more.
    expect(grown / (reloads - measuredFrom)).toBeLessThan(0.06);
    const [last] = (await ask(service, 0)).names;
    expect(last).toBe(companies[reloads % companies.length]);
    await expect.poll(jobs.openConnections).toBeLessThanOrEqual(6);
  } finally {
    await service.stop();
    await jobs.close();
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
