/**
 * A process with a queue of runs, which writes `ready`, and `start` with the id of every run that it starts. A run
 * whose id begins with `hang` never ends. After a line on standard input it closes the queue, writes `closed`, and has
 * nothing left to do. Arguments: URL and key prefix of the queue.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createBullmqRunQueue } from '../../../src/adapters/redis/bullmq.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { recordLogs } from '../../support/fakes.ts';

const [, , url = '', prefix = ''] = process.argv;
const times = { lockMs: 1_000, searchEveryMs: 300 };
const adapter = createBullmqRunQueue({
  url,
  prefix,
  timeoutMs: 500,
  times,
  clock: systemClock,
  logger: recordLogs(),
});
adapter.queue.process(
  async (runId) => {
    process.stdout.write(`start ${runId}\n`);
    if (runId.startsWith('hang')) await new Promise(() => undefined);
    return 'done';
  },
  { maxRunning: 10, maxWaiting: 100 },
);
await adapter.start();
process.stdout.write('ready\n');

const input = createInterface({ input: process.stdin });
await once(input, 'line');
input.close();
process.stdin.destroy();
await adapter.close();
process.stdout.write('closed\n');
