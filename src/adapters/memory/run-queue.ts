import { unavailable } from '../../domain/errors.ts';
import type { QueueLimits, RunQueue } from '../../ports/storage/run-queue.ts';

/** Seconds after which a rejected run may be tried again. */
const RETRY_AFTER_SECONDS = 5;

/** Creates a queue of the runs of this process. */
export function createMemoryRunQueue(): RunQueue {
  /** The slots of the waiting runs, by their ids, in the order of their start. */
  const waiting = new Map<string, number>();
  let usedSlots = 0;
  let running = 0;
  let closed = false;
  let limits: QueueLimits = { maxRunning: 0, maxWaiting: 0 };
  let handle: (runId: string) => Promise<void> = () =>
    Promise.reject(new Error('nothing processes the queue'));

  function remove(runId: string): boolean {
    usedSlots -= waiting.get(runId) ?? 0;
    return waiting.delete(runId);
  }

  function start(runId: string): void {
    running++;
    void handle(runId).finally(endOne);
  }

  /** A waiting run starts in the same step, so that no other run can start first. */
  function endOne(): void {
    running--;
    for (const [runId] of waiting) {
      if (closed || running >= limits.maxRunning) return;
      remove(runId);
      start(runId);
    }
  }

  return {
    process(handler, queueLimits) {
      handle = handler;
      limits = queueLimits;
    },
    async enqueue(runId, requestedSlots) {
      if (!closed && running < limits.maxRunning) return start(runId);
      const slots = Math.max(1, Math.min(requestedSlots, limits.maxWaiting));
      if (usedSlots + slots > limits.maxWaiting) {
        throw unavailable('too many background runs are waiting', RETRY_AFTER_SECONDS);
      }
      usedSlots += slots;
      waiting.set(runId, slots);
    },
    async remove(runId) {
      return remove(runId);
    },
    occupy() {
      running++;
      return endOne;
    },
    async close() {
      closed = true;
      const runIds = [...waiting.keys()];
      for (const runId of runIds) remove(runId);
      return runIds;
    },
  };
}
