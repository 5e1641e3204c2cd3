/**
 * A replica that creates three runs, of which one is pending, one is in its second layer and one has ended, writes a
 * line to standard output, and stays idle. After a line on standard input it continues the second run, and writes
 * whether it could. Arguments: URL and key prefix of the store.
 */
import { createInterface } from 'node:readline';
import { createRedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { ended, endedResult, pendingResult, pendingRun, started } from '../../contracts/run-store.ts';
import { recordLogs } from '../fakes.ts';
import { DAY_MS, quickTimes } from './stores.ts';

const [, , url = '', prefix = ''] = process.argv;
const adapters = createRedisAdapters({
  ...{ url, prefix, timeoutMs: 500, runRetentionMs: 30 * DAY_MS, ...quickTimes },
  ...{ clock: systemClock, logger: recordLogs() },
});
await adapters.start();
const runs = adapters.runStore;

for (const id of ['waiting', 'running', 'done']) await runs.create(pendingRun(id, 4));
const first = { index: 0, result: endedResult(0, { of: 'layer 0' }) };
const second = { index: 1, result: { ...pendingResult(1), status: 'RUNNING' as const } };
await runs.save('running', { ...started(), stepResults: [first, second] });
await runs.save('done', ended('COMPLETED', [first]));

process.stdout.write('ready\n');
createInterface({ input: process.stdin }).on('line', async () => {
  let continues = true;
  for (let index = 2; continues && index < 200; index++) {
    continues = await runs.save('running', { ...started(), stepResults: [{ ...first, index: 2 }] });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  process.stdout.write(`${continues ? 'continues' : 'stops'}\n`);
});
