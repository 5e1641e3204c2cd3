import { randomUUID } from 'node:crypto';
import type { BullmqQueueOptions } from '../../../src/adapters/redis/bullmq.ts';
import { type BullmqRunQueue, createBullmqRunQueue } from '../../../src/adapters/redis/bullmq.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { QueueLimits } from '../../../src/ports/storage/run-queue.ts';
import { controlRuns, type RunQueueUnderTest } from '../../contracts/run-queue.ts';
import { type RecordingLogger, recordLogs } from '../../support/fakes.ts';
import { until } from '../../support/until.ts';

/** A queue under test on Redis, with its log. */
export interface BullmqUnderTest extends RunQueueUnderTest {
  readonly adapter: BullmqRunQueue;
  readonly prefix: string;
  readonly logger: RecordingLogger;
}

/** Times in which a run whose process is gone is soon handed out again. */
export const quickLocks = { lockMs: 1_000, searchEveryMs: 300 };

const untilConnected = ({ queue }: BullmqRunQueue) =>
  until('it is connected', () =>
    queue.remove('unknown').then(
      () => true,
      () => false,
    ),
  );

/** Resolves once a run could be added. */
export const untilAdded = ({ queue }: Pick<BullmqUnderTest, 'queue'>, runId: string) =>
  until('it can be added', () =>
    queue.wake(runId).then(
      () => true,
      () => false,
    ),
  );

/** Creates queues that are closed together. */
export function createQueues() {
  const created: BullmqRunQueue[] = [];

  function prepare(url: string, options: Partial<BullmqQueueOptions & QueueLimits> = {}): BullmqUnderTest {
    const { maxRunning = 10, maxWaiting = 10_000, ...rest } = options;
    const prefix = rest.prefix ?? `test-${randomUUID()}:`;
    const logger = recordLogs();
    const adapter = createBullmqRunQueue({
      url,
      timeoutMs: 5_000,
      clock: systemClock,
      logger,
      times: quickLocks,
      ...rest,
      prefix,
    });
    created.push(adapter);
    return Object.assign(controlRuns(adapter.queue, { maxRunning, maxWaiting }), { adapter, prefix, logger });
  }

  return {
    /** Creates a queue without starting it. */
    prepare,
    /** Creates and starts a queue, and waits until it is connected. */
    async make(url: string, options?: Partial<BullmqQueueOptions & QueueLimits>) {
      const under = prepare(url, options);
      await under.adapter.start();
      await untilConnected(under.adapter);
      return under;
    },
    /** Creates and starts a queue that starts no runs. */
    async makeAdder(url: string, prefix: string): Promise<BullmqRunQueue> {
      const adapter = createBullmqRunQueue({
        url,
        prefix,
        timeoutMs: 5_000,
        clock: systemClock,
        logger: recordLogs(),
        times: quickLocks,
      });
      created.push(adapter);
      await adapter.start();
      await untilConnected(adapter);
      return adapter;
    },
    async closeAll() {
      await Promise.all(created.splice(0).map((adapter) => adapter.close()));
    },
  };
}
