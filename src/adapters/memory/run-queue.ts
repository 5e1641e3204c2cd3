import { unavailable } from '../../domain/errors.ts';
import type { QueueLimits, RunQueue, TurnOutcome } from '../../ports/storage/run-queue.ts';

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
  let handle: (runId: string) => Promise<TurnOutcome> = () =>
    Promise.reject(new Error('nothing processes the queue'));

  function remove(runId: string): boolean {
    usedSlots -= waiting.get(runId) ?? 0;
    return waiting.delete(runId);
  }

  function start(runId: string): void {
    running++;
    void handle(runId).then((outcome) => {
      if (outcome === 'again' && !closed && !waiting.has(runId)) wait(runId, 1);
      endOne();
    });
  }

  function wait(runId: string, slots: number): void {
    usedSlots += slots;
    waiting.set(runId, slots);
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

  /** The slots that a run occupies while it waits. Throws where fewer are free. */
  function checkRoom(requested: number): number {
    const slots = Math.max(1, Math.min(requested, limits.maxWaiting));
    if (usedSlots + slots > limits.maxWaiting) {
      throw unavailable('too many background runs are waiting', RETRY_AFTER_SECONDS);
    }
    return slots;
  }

  function canStart(): boolean {
    return !closed && running < limits.maxRunning;
  }

  return {
    process(handler, queueLimits) {
      handle = handler;
      limits = queueLimits;
    },
    async assertRoom(slots) {
      if (!canStart()) checkRoom(slots);
    },
    async enqueue(runId, requestedSlots) {
      if (canStart()) start(runId);
      else wait(runId, checkRoom(requestedSlots));
    },
    async wake(runId) {
      if (waiting.has(runId)) return;
      if (canStart()) start(runId);
      else wait(runId, 1);
    },
    async remove(runId) {
      return remove(runId);
    },
    occupy() {
      running++;
      return endOne;
    },
    async depth() {
      return waiting.size;
    },
    async close() {
      closed = true;
      const runIds = [...waiting.keys()];
      for (const runId of runIds) remove(runId);
      return runIds;
    },
  };
}
