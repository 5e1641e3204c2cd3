import { describe, expect, test } from 'vitest';
import { createActivity } from '../../../src/lib/async/activity.ts';
import { yieldIfDue, yieldToEventLoop } from '../../../src/lib/async/yield.ts';
import { burnCpu } from '../../support/event-loop.ts';

/** Work that is busy in every turn of the event loop until it is stopped. */
function busyProcess(): () => void {
  let isOver = false;
  const burn = (): void => {
    burnCpu(15);
    void yieldIfDue();
    if (!isOver) setImmediate(burn);
  };
  setImmediate(burn);
  return () => {
    isOver = true;
  };
}

describe('an activity', () => {
  test('is at rest once its promises have been handled, however many follow each other', async () => {
    let count = 0;
    const chain = async (): Promise<void> => {
      for (; count < 10_000; count++) await undefined;
    };
    await createActivity().run(() => void chain());
    expect(count).toBe(10_000);
  });

  test('is not at rest while a part of it yields, also in a busy process', async () => {
    const stop = busyProcess();
    let parts = 0;
    const work = async (): Promise<void> => {
      for (let part = 0; part < 20; part++) {
        burnCpu(2);
        await (part % 2 === 0 ? yieldIfDue() : yieldToEventLoop());
        parts++;
      }
    };
    await createActivity().run(() => {
      for (let worker = 0; worker < 5; worker++) void work();
    });
    stop();
    expect(parts).toBe(100);
  });

  test('is at rest although others yield without an end', async () => {
    let isOver = false;
    const endless = async (): Promise<void> => {
      while (!isOver) await yieldToEventLoop();
    };
    const others = endless();
    const activity = createActivity();
    for (let turn = 0; turn < 50; turn++) await activity.run(() => void Promise.resolve());
    isOver = true;
    await others;
  });

  test('waits for what is outside, and goes on after it', async () => {
    const activity = createActivity();
    const seen: unknown[] = [];
    const outside = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, ms));
    await activity.run(() => {
      void activity.outside(outside(30)).then(async (value) => {
        await yieldToEventLoop();
        seen.push(value);
      });
      activity.outside(Promise.reject(new Error('no'))).catch((error: Error) => seen.push(error.message));
    });
    expect(seen).toEqual(['no', 30]);
  });

  test('does not wait for what waits for another turn of the activity', async () => {
    const activity = createActivity();
    const waiting = Promise.withResolvers<string>();
    let got: string | undefined;
    await activity.run(() => {
      void waiting.promise.then((value) => {
        got = value;
      });
    });
    expect(got).toBeUndefined();
    await activity.run(() => waiting.resolve('late'));
    expect(got).toBe('late');
  });

  test('rejects where its work throws', async () => {
    const work = (): never => {
      throw new Error('broken');
    };
    await expect(createActivity().run(work)).rejects.toThrow('broken');
  });

  test('two at the same time do not wait for each other', async () => {
    const [one, other] = [createActivity(), createActivity()];
    const forever = one.run(() => void one.outside(new Promise(() => undefined)));
    let isOver = false;
    void forever.then(() => {
      isOver = true;
    });
    for (let turn = 0; turn < 10; turn++) await other.run(() => void yieldToEventLoop());
    expect(isOver).toBe(false);
  });
});
