import { describe, expect, test } from 'vitest';
import { onAbort } from '../../../src/lib/async/on-abort.ts';

/** A signal that counts the listeners it has, and those that it ever had. */
function countingSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const count = { now: 0, ever: 0 };
  const { addEventListener, removeEventListener } = signal;
  Object.assign(signal, {
    addEventListener(...parameters: Parameters<typeof addEventListener>) {
      count.now++;
      count.ever++;
      addEventListener.apply(signal, parameters);
    },
    removeEventListener(...parameters: Parameters<typeof removeEventListener>) {
      count.now--;
      removeEventListener.apply(signal, parameters);
    },
  });
  return { controller, signal, count };
}

describe('work that waits for a signal', () => {
  test('is done once when the signal is aborted, unless it was called off', () => {
    const { controller, signal } = countingSignal();
    const done: string[] = [];
    onAbort(signal, () => done.push('first'));
    const callOff = onAbort(signal, () => done.push('second'));
    onAbort(signal, () => done.push('third'));
    callOff();
    controller.abort();
    controller.abort();
    expect(done).toEqual(['first', 'third']);
  });

  test('may be called off by other work, and twice', () => {
    const { controller, signal } = countingSignal();
    const done: string[] = [];
    const callOff = onAbort(signal, () => {
      done.push('first');
      callOff();
      callOffNext();
      callOffNext();
    });
    const callOffNext = onAbort(signal, () => done.push('second'));
    onAbort(signal, () => done.push('third'));
    controller.abort();
    expect(done).toEqual(['first', 'third']);
  });

  test('shares one listener with all others, however many there are', () => {
    const { signal, count } = countingSignal();
    const callOffs = Array.from({ length: 1_000 }, () => onAbort(signal, () => {}));
    expect(count).toEqual({ now: 1, ever: 1 });
    for (const callOff of callOffs.slice(1)) callOff();
    expect(count.now).toBe(1);
    callOffs[0]?.();
    expect(count.now).toBe(0);
  });

  test('is heard of again after all others have gone', () => {
    const { controller, signal } = countingSignal();
    onAbort(signal, () => expect.fail('work that was called off was done'))();
    let done = 0;
    onAbort(signal, () => done++);
    controller.abort();
    expect(done).toBe(1);
  });
});
