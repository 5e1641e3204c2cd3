import type { RunQueue, TurnOutcome } from '../../../ports/storage/run-queue.ts';

/** Creates the queue of the runs of one simulation, which starts each of them at once. */
export function createScratchQueue(): RunQueue {
  let handle: (runId: string) => Promise<TurnOutcome> = () =>
    Promise.reject(new Error('nothing processes the queue'));

  async function start(runId: string): Promise<void> {
    while ((await handle(runId)) === 'again');
  }

  return {
    process(handler) {
      handle = handler;
    },
    assertRoom: async () => undefined,
    async enqueue(runId) {
      void start(runId);
    },
    async wake(runId) {
      void start(runId);
    },
    remove: async () => false,
    occupy: () => () => undefined,
    depth: async () => 0,
    close: async () => [],
  };
}
