import { Queue } from 'bullmq';
import { createCommands } from './commands.ts';
import { type ConnectionOptions, type Connections, openConnections } from './connections.ts';
import { createJobAdder } from './job-adder.ts';
import { type JobData, jobIdOf, QUEUE_NAME } from './jobs.ts';

/** The jobs of a queue on Redis. All members reject with `unavailable` where it cannot be reached in time. */
export interface SharedQueue {
  readonly connections: Connections;
  /** Adds the job of a run: see `JobAdder`. */
  add(runId: string): Promise<void>;
  /** Removes the job of a run that waits. Resolves to false where it is active or unknown. */
  remove(runId: string): Promise<boolean>;
  /** The number of jobs that wait. */
  count(): Promise<number>;
  /** Closes the connections at once. */
  close(): void;
}

/** Options of {@link openSharedQueue}. */
export interface SharedQueueOptions extends ConnectionOptions {
  /** Prefix of the keys of BullMQ. */
  readonly keyPrefix: string;
  /** Timeout of a command, in milliseconds. */
  readonly timeoutMs: number;
}

/** BullMQ writes an event for every change of a job. Nobody reads them, so that few are kept. */
const EVENTS_KEPT = 100;

/** Opens a {@link SharedQueue}. */
export function openSharedQueue({ keyPrefix, timeoutMs, ...options }: SharedQueueOptions): SharedQueue {
  const connections = openConnections(options);
  const { clock } = options;
  const client = connections.commands;
  const queue = new Queue<JobData>(QUEUE_NAME, {
    connection: connections.queue,
    prefix: keyPrefix,
    // BullMQ would write what it finds to the console: see `server-check`.
    ...{ skipVersionCheck: true, skipWaitingForReady: true },
    streams: { events: { maxLen: EVENTS_KEPT } },
  });
  // The same errors reach the listener of the client, or reject a command.
  queue.on('error', () => undefined);
  const commands = createCommands(client, clock, timeoutMs);
  const adder = createJobAdder({ queue, client, commands, clock });

  return {
    connections,
    add: adder.add,
    remove: (runId) =>
      commands.run(async () => {
        const jobId = jobIdOf(runId);
        // BullMQ also counts an unknown job as removed.
        if ((await queue.getJobState(jobId)) !== 'waiting') return false;
        return (await queue.remove(jobId)) === 1;
      }),
    count: () => commands.run(() => client.lLen(queue.toKey('wait'))),
    close() {
      adder.close();
      connections.close();
      void queue.close().catch(() => undefined);
    },
  };
}
