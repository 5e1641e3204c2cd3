/**
 * A replica with durable runs: `waiting`, which nobody has claimed, `working`, which is in its first step, `handed-back`,
 * which it has released, and `done`, which has ended. It writes a line to standard output, and the ids of runs that it has
 * lost. For every line on standard input it appends to `working`, and writes the outcome. Arguments: URL and key prefix of
 * the store.
 */
import { createInterface } from 'node:readline';
import { createRedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { recordLogs } from '../fakes.ts';
import { append, ended, endOf, newRun, running, stepCompleted, stepStarted } from '../workflow/run-events.ts';
import { DAY_MS, quickTimes } from './stores.ts';

const [, , url = '', prefix = ''] = process.argv;
const adapters = createRedisAdapters({
  ...{ url, prefix, timeoutMs: 500, runRetentionMs: 30 * DAY_MS, ...quickTimes, durableRuns: true },
  ...{ clock: systemClock, logger: recordLogs() },
});
await adapters.start();
const log = adapters.runLog;
log.listen({
  onSignal: () => undefined,
  onLost: (runId) => void process.stdout.write(`lost ${runId}\n`),
  onAbandoned: () => Promise.resolve(),
});

for (const id of ['waiting', 'working', 'handed-back', 'done']) {
  await log.create({ ...newRun(id), isUnclaimed: true });
}
for (const id of ['working', 'handed-back', 'done']) await log.claim(id);
await append(log, 'working', 1, [stepStarted('step-0')], running());
await append(log, 'handed-back', 1, [stepStarted('step-0')], running());
await append(log, 'done', 1, [endOf()], ended());
await log.release('handed-back');
process.stdout.write('ready\n');

createInterface({ input: process.stdin }).on('line', async () => {
  const outcome = await append(log, 'working', 2, [stepCompleted('step-0')], running());
  process.stdout.write(`${outcome}\n`);
});
