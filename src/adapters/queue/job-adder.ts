import type { Queue } from 'bullmq';
import type { Clock } from '../../ports/clock.ts';
import type { Commands } from './commands.ts';
import type { CommandClient } from './connections.ts';
import { JOB_NAME, type JobData, jobIdOf, jobOptions } from './jobs.ts';

/** Adds jobs to a queue. */
export interface JobAdder {
  /**
   * Adds the job of a run. Ignored where it waits. Where it is active, it is added again a second later: the job may just
   * be ending, and what woke the run would be lost. Rejects with `unavailable`; it may have been added even then.
   */
  add(runId: string): Promise<void>;
  /** Adds nothing more later. */
  close(): void;
}

/** Options of {@link createJobAdder}. */
export interface JobAdderOptions {
  readonly queue: Queue<JobData>;
  readonly client: CommandClient;
  readonly commands: Commands;
  readonly clock: Pick<Clock, 'after'>;
}

/** Milliseconds after which the job of an active run is added again. */
const REPEAT_AFTER_MS = 1_000;

/**
 * What becomes of a job that was there before it was added. A job that is in neither list, because one of them was deleted
 * by hand or evicted, would keep its run from being added for ever: it is removed.
 */
const inspectJob = `
local job, wait, active, id = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
if redis.call('EXISTS', job .. ':lock') == 1 then return 'active' end
if redis.call('LPOS', wait, id) or redis.call('LPOS', active, id) then return 'waiting' end
redis.call('DEL', job)
return 'removed'`;

/** Creates a {@link JobAdder}. */
export function createJobAdder({ queue, client, commands, clock }: JobAdderOptions): JobAdder {
  /** Cancels the repeats, by the ids of their runs. */
  const repeats = new Map<string, () => void>();
  let isInspecting = false;
  let isClosed = false;

  /** Both commands are sent at once. Whether there was a job before is asked first. */
  async function addOnce(runId: string): Promise<boolean> {
    const exists = client.exists(queue.toKey(jobIdOf(runId)));
    const added = queue.add(JOB_NAME, { executionId: runId }, jobOptions(runId));
    const [count] = await Promise.all([exists, added]);
    return count === 0;
  }

  async function add(runId: string): Promise<void> {
    const isNew = await commands.run(() => addOnce(runId));
    // Where this fails, the run is found without its job, as after any job that is lost.
    if (!isNew) handleKnown(runId).catch(() => undefined);
  }

  async function handleKnown(runId: string): Promise<void> {
    // The search in the lists takes a time that grows with their length, so that one at a time must do.
    if (isInspecting) return;
    isInspecting = true;
    try {
      const found = await commands.run(() => inspect(runId));
      if (found === 'active') repeatLater(runId);
      if (found === 'removed') await commands.run(() => addOnce(runId));
    } finally {
      isInspecting = false;
    }
  }

  function inspect(runId: string): Promise<unknown> {
    const jobId = jobIdOf(runId);
    const keys = [queue.toKey(jobId), queue.toKey('wait'), queue.toKey('active')];
    return client.eval(inspectJob, { keys, arguments: [jobId] });
  }

  function repeatLater(runId: string): void {
    if (isClosed || repeats.has(runId)) return;
    const cancel = clock.after(REPEAT_AFTER_MS, () => {
      repeats.delete(runId);
      commands.run(() => addOnce(runId)).catch(() => undefined);
    });
    repeats.set(runId, cancel);
  }

  return {
    add,
    close() {
      isClosed = true;
      for (const cancel of repeats.values()) cancel();
      repeats.clear();
    },
  };
}
