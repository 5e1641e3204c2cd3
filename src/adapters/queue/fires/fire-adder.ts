import { Queue } from 'bullmq';
import type { Clock } from '../../../ports/clock.ts';
import type { ScheduleWake } from '../../../ports/storage/schedule-store.ts';
import { createCommands } from '../commands.ts';
import type { Connections } from '../connections.ts';
import { FIRE_JOB_NAME, FIRE_QUEUE_NAME, type FireData, fireJobIdOf, fireJobOptions } from './fire-jobs.ts';

/** Adds the jobs of wakes. */
export interface FireAdder {
  /**
   * Adds the job of a wake; ignored where it waits or is handled. Rejects with `unavailable`; it may have been added even
   * then.
   */
  add(wake: ScheduleWake): Promise<void>;
  /** Lets go of the connection, which the caller closes. */
  close(): void;
}

/** Options of {@link createFireAdder}. */
export interface FireAdderOptions {
  readonly connections: Connections;
  /** Prefix of the keys of BullMQ. */
  readonly keyPrefix: string;
  /** Timeout of a command, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'after' | 'now'>;
}

/** BullMQ writes an event for every change of a job. Nobody reads them, so that few are kept. */
const EVENTS_KEPT = 100;

/**
 * Removes a job that is in no list, because one of them was deleted by hand or evicted: its id could not be added again.
 * KEYS: job, delayed, wait, active. ARGV: id.
 */
const removeOrphan = `
local id = ARGV[1]
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[1] .. ':lock') == 1 then return 0 end
if redis.call('ZSCORE', KEYS[2], id) then return 0 end
if redis.call('LPOS', KEYS[3], id) or redis.call('LPOS', KEYS[4], id) then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Creates a {@link FireAdder}. */
export function createFireAdder({ connections, keyPrefix, timeoutMs, clock }: FireAdderOptions): FireAdder {
  const client = connections.commands;
  const queue = new Queue<FireData>(FIRE_QUEUE_NAME, {
    connection: connections.queue,
    prefix: keyPrefix,
    // BullMQ would write what it finds to the console: see `server-check`.
    ...{ skipVersionCheck: true, skipWaitingForReady: true },
    streams: { events: { maxLen: EVENTS_KEPT } },
  });
  // The same errors reach the listener of the client, or reject a command.
  queue.on('error', () => undefined);
  const commands = createCommands(client, clock, timeoutMs, 'the queue of fires');

  return {
    add: (wake) =>
      commands.run(async () => {
        const jobId = fireJobIdOf(wake);
        const keys = [jobId, 'delayed', 'wait', 'active'].map((key) => queue.toKey(key));
        // Sent in the same turn, so that both take one round trip.
        await Promise.all([
          client.eval(removeOrphan, { keys, arguments: [jobId] }),
          queue.add(FIRE_JOB_NAME, wake, fireJobOptions(wake, clock.now())),
        ]);
      }),
    close: () => void queue.close().catch(() => undefined),
  };
}
