import { describe, expect, test } from 'vitest';
import { createSemaphore } from '../../../src/lib/async/semaphore.ts';

const { signal } = new AbortController();

describe('a semaphore', () => {
  test('grants as many permits as it has, and the next one when a permit is released', async () => {
    const semaphore = createSemaphore(2, 10);
    const first = await semaphore.acquire(signal);
    await semaphore.acquire(signal);
    let granted = false;
    const third = semaphore.acquire(signal).then((permit) => {
      granted = true;
      return permit;
    });
    await Promise.resolve();
    expect(granted).toBe(false);
    first?.release();
    expect(await third).toBeDefined();
  });

  test('grants permits in the order of the requests', async () => {
    const semaphore = createSemaphore(1, 10);
    const permit = await semaphore.acquire(signal);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      const own = await semaphore.acquire(signal);
      order.push(number);
      own?.release();
    });
    permit?.release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  test('grants nothing to callers beyond its queue', async () => {
    const semaphore = createSemaphore(1, 1);
    await semaphore.acquire(signal);
    void semaphore.acquire(signal);
    expect(await semaphore.acquire(signal)).toBeUndefined();
  });

  test('grants nothing to a caller that aborts while it waits, and its place in the queue is free again', async () => {
    const semaphore = createSemaphore(1, 1);
    const permit = await semaphore.acquire(signal);
    const controller = new AbortController();
    const aborted = semaphore.acquire(controller.signal);
    controller.abort();
    expect(await aborted).toBeUndefined();
    expect(await semaphore.acquire(AbortSignal.abort())).toBeUndefined();
    const next = semaphore.acquire(signal);
    permit?.release();
    expect(await next).toBeDefined();
  });
});
