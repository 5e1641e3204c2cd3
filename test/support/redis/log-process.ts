/**
 * A replica with three runs, of which one is pending, one is in its second step and one has ended. It writes a line to
 * standard output, and the signals that it receives. After a line on standard input it appends to the second run until
 * an append is refused, and writes the outcome. Arguments: URL and key prefix of the store.
 */
import { createInterface } from 'node:readline';
import { createRedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { recordLogs } from '../fakes.ts';
import { append, ended, endOf, newRun, running, stepCompleted, stepStarted } from '../workflow/run-events.ts';
import { DAY_MS, quickTimes } from './stores.ts';

const [, , url = '', prefix = ''] = process.argv;
const adapters = createRedisAdapters({
  ...{ url, prefix, timeoutMs: 500, runRetentionMs: 30 * DAY_MS, ...quickTimes },
  ...{ clock: systemClock, logger: recordLogs() },
});
await adapters.start();
const log = adapters.runLog;
log.listen({
  onSignal: (runId, { by }) => void process.stdout.write(`signal for ${runId} by ${by}\n`),
  onLost: () => undefined,
  onAbandoned: () => Promise.resolve(),
});

for (const id of ['waiting', 'running', 'done']) await log.create(newRun(id));
await append(log, 'running', 1, [stepStarted('step-0'), stepCompleted('step-0')], running());
await append(log, 'done', 1, [endOf()], ended());
process.stdout.write('ready\n');

createInterface({ input: process.stdin }).on('line', async () => {
  let outcome = 'appended';
  for (let seq = 3; outcome === 'appended' && seq < 300; seq++) {
    outcome = await append(log, 'running', seq, [stepStarted('step-1')], running());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  process.stdout.write(`${outcome}\n`);
});
