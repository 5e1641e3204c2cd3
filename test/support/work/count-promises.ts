import { createHook } from 'node:async_hooks';

/**
 * How many promises come into being while `work` is done, those included that `await` makes for itself: a measure of
 * asynchronous work that, unlike a clock, is the same on every machine.
 */
export async function countPromises(work: () => unknown): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') count++;
    },
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}
